import { expect, test } from 'vitest';
import type { IntentState } from '../../runner/journal/state.ts';
import { judgeAbsent } from '../../runner/outcome/absent-rows.ts';
import type { LinesRead, OutcomeClass } from '../../runner/outcome/outcome.ts';
import { batch, START } from '../support/journal.ts';
import { lookAt, QUARTER_MS, settledIntent } from '../support/unreadable.ts';

const NONE: LinesRead = { own: 0, foreign: 0, unparsed: 0 };
const TWO: LinesRead = { own: 2, foreign: 0, unparsed: 0 };
const twice = [lookAt(0), lookAt(1)];
const counted = { total: 4, done: 0, failed: 0 };
const unrun = [0, 1].map((n) => lookAt(n, { files: [], counts: counted }));

function judge(changes: Partial<IntentState>, read: LinesRead = TWO) {
  const intent = settledIntent({ count: 4, ordinals: [[0, 3]], collections: twice, ...changes });
  const { rowOf, doubt } = judgeAbsent(intent, 'openai', read, QUARTER_MS);
  return [rowOf(3).class, doubt] as const;
}

const ended = (state: 'completed' | 'expired' | 'cancelled' | 'failed', changes = {}) =>
  batch(1, { state, outputFileId: null, errorFileId: null, startedAt: START, ...changes });
const byPerson = { why: 'person', at: START } as const;

test.each<[string, OutcomeClass, string | null, Partial<IntentState>, LinesRead?]>([
  ['completed: unreadable, since a line is owed', 'unreadable', 'line_owed', { batch: ended('completed') }],
  ['expired, and proved: missing', 'missing', null, { batch: ended('expired') }],
  [
    'cancelled by policy, and proved: missing',
    'missing',
    null,
    { batch: ended('cancelled'), cancel: { why: 'deadline', at: START } },
  ],
  // At Gemini a cancelled batch has no lines for what did not run; at the others each has one that says so.
  [
    'cancelled at the provider, and proved: waits for a person',
    'cancelled',
    null,
    { batch: ended('cancelled') },
  ],
  [
    'cancelled by a person, and proved: waits for a person',
    'cancelled',
    null,
    { batch: ended('cancelled'), cancel: byPerson },
  ],
  [
    'cancelled by a person, and not proved',
    'unreadable',
    'seen_once',
    { batch: ended('cancelled'), cancel: byPerson, collections: [lookAt(1)] },
  ],
  [
    'expired without any file, and counted so',
    'expired',
    null,
    { batch: ended('expired'), collections: unrun },
    NONE,
  ],
  [
    'cancelled without any file, and counted so',
    'cancelled',
    null,
    { batch: ended('cancelled'), collections: unrun },
    NONE,
  ],
  [
    'expired without any file and count',
    'unreadable',
    'counts_absent',
    { batch: ended('expired'), collections: unrun.map((look) => ({ ...look, counts: null })) },
    NONE,
  ],
  [
    'cancelled while it was validated, seen once',
    'unreadable',
    'seen_once',
    {
      batch: ended('cancelled', { startedAt: null, progress: { total: 0, done: 0, failed: 0 } }),
      collections: unrun.slice(0, 1),
    },
    NONE,
  ],
  [
    'cancelled while it was validated, and not to be asked again',
    'unreadable',
    'seen_once',
    {
      batch: ended('cancelled', { startedAt: null, progress: { total: 0, done: 0, failed: 0 } }),
      collections: unrun.map((look, nth) => (nth === 0 ? look : { ...look, counts: null })),
    },
    NONE,
  ],
  [
    'cancelled while it was validated, seen twice',
    'cancelled',
    null,
    {
      batch: ended('cancelled', { startedAt: null, progress: { total: 0, done: 0, failed: 0 } }),
      collections: unrun,
    },
    NONE,
  ],
  [
    'failed validation: as its errors say, at once',
    'rate_or_capacity',
    null,
    {
      batch: ended('failed', {
        progress: { total: 0, done: 0, failed: 0 },
        errors: [{ code: 'x', message: 'full', line: null, about: 'capacity' }],
      }),
      collections: unrun.slice(0, 1),
    },
    NONE,
  ],
  [
    'failed, and says no counts',
    'unreadable',
    'counts_absent',
    {
      batch: ended('failed', { progress: null }),
      collections: unrun.map((look) => ({ ...look, counts: null })),
    },
    NONE,
  ],
  [
    'failed, and a file is said to be gone',
    'unreadable',
    'file_gone',
    {
      batch: ended('failed', { progress: { total: 0, done: 0, failed: 0 } }),
      collections: [lookAt(0, { files: [], gone: ['output'] })],
    },
    NONE,
  ],
  ['given up by a person', 'missing', null, { batch: ended('completed'), lost: { by: 'ann', at: START } }],
  ['asked row by row', 'missing', null, { batch: ended('completed'), via: 'live' }],
  [
    'its files are gone for good',
    'lost',
    null,
    { batch: ended('completed'), resultsLost: { why: 'deleted', at: START } },
  ],
  [
    'the provider keeps them no longer',
    'lost',
    null,
    { batch: ended('completed'), resultsLost: { why: 'expired', at: START } },
  ],
])('%s', (_title, of, doubt, changes, read) => {
  expect(judge(changes, read)).toEqual([of, doubt]);
});

test('a batch of Anthropic owes a line for each row, whatever ended it', () => {
  const collections = [0, 1].map((n) => lookAt(n, { counts: { total: 4, done: 1, failed: 1 } }));
  const intent = settledIntent({ count: 4, ordinals: [[0, 3]], collections, batch: ended('cancelled') });
  expect(judgeAbsent(intent, 'anthropic', TWO, QUARTER_MS).doubt).toBe('line_owed');
});
