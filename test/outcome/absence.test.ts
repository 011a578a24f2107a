import { describe, expect, test } from 'vitest';
import { digestOf } from '../../runner/ids.ts';
import {
  type AbsenceCase,
  type AbsenceDoubt,
  doubtAbsence,
  hasNoResults,
  looksAgree,
} from '../../runner/outcome/absence.ts';
import { lookAt, QUARTER_MS, rawFile } from '../support/unreadable.ts';

/** All that is needed: an expired batch of four whose two results were read, twice, a quarter of an hour apart. */
const PROVED: AbsenceCase = {
  state: 'expired',
  sent: 4,
  looks: [lookAt(0), lookAt(1)],
  read: { own: 2, foreign: 0, unparsed: 0 },
  apartMs: QUARTER_MS,
};

/** The same, but for both looks. */
function both(changes: Parameters<typeof lookAt>[1]): Pick<AbsenceCase, 'looks'> {
  return { looks: [lookAt(0, changes), lookAt(1, changes)] };
}

const file = (changes: Parameters<typeof rawFile>[0]) => both({ files: [rawFile(changes)] });
const counts = (total: number, done: number, failed: number) => both({ counts: { total, done, failed } });

test.each<[string, Partial<AbsenceCase>]>([
  ['an expired batch', {}],
  ['a cancelled one', { state: 'cancelled' }],
  ['counts that claim less than was read', counts(4, 1, 0)],
  ['files without a listed length that end with a line feed', file({ listedBytes: null })],
  ['a file of a listed length without a last line feed', file({ endsWithLineFeed: false })],
  [
    'no file at all',
    {
      ...both({ files: [], counts: { total: 4, done: 0, failed: 0 } }),
      read: { own: 0, foreign: 0, unparsed: 0 },
    },
  ],
  [
    'looks in between that brought other bytes',
    { looks: [lookAt(0), lookAt(1, { files: [rawFile({ digest: digestOf('b') })] }), lookAt(2)] },
  ],
  [
    'two files in another order',
    {
      looks: [
        lookAt(0, { files: [rawFile(), rawFile({ kind: 'error' })] }),
        lookAt(1, { files: [rawFile({ kind: 'error' }), rawFile()] }),
      ],
    },
  ],
])('rows without a line are proved to have no answer: %s', (_title, changes) => {
  expect(doubtAbsence({ ...PROVED, ...changes })).toBeNull();
});

test.each<[AbsenceDoubt, string, Partial<AbsenceCase>]>([
  ['no_look', 'nobody has looked', { looks: [] }],
  ['file_gone', 'a file that it names is not there', both({ gone: ['error'] })],
  ['file_size', 'a file is shorter than listed', file({ bytes: 80 })],
  ['file_size', 'a file is longer than listed', file({ bytes: 120 })],
  [
    'file_end',
    'no length is listed, and no line feed ends it',
    file({ listedBytes: null, endsWithLineFeed: false }),
  ],
  ['lines_unreadable', 'a line is no JSON', { read: { own: 2, foreign: 0, unparsed: 1 } }],
  ['lines_foreign', 'a line is of another request', { read: { own: 2, foreign: 1, unparsed: 0 } }],
  ['counts_absent', 'it counts nothing', both({ counts: null })],
  ['counts_total', 'it counts a total of 0', counts(0, 0, 0)],
  ['counts_total', 'it counts fewer than were sent', counts(3, 2, 0)],
  ['counts_total', 'it counts more than were sent', counts(5, 2, 0)],
  ['counts_more', 'it claims more answers than were read', counts(4, 3, 0)],
  ['counts_more', 'it claims more failures than were read', counts(4, 2, 1)],
  ['line_owed', 'it has completed', { state: 'completed' }],
  ['line_owed', 'it has completed, and claims fewer', { state: 'completed', ...counts(4, 2, 0) }],
  ['line_owed', 'its end is a word that nobody knows', { state: 'unknown' }],
  ['seen_once', 'there was one look', { looks: [lookAt(1)] }],
  ['seen_once', 'the second came too soon', { looks: [lookAt(0.5), lookAt(1)] }],
  [
    'seen_once',
    'the second brought other bytes',
    { looks: [lookAt(0, { files: [rawFile({ digest: digestOf('b') })] }), lookAt(1)] },
  ],
  [
    'seen_once',
    'the first had only one of two files',
    { looks: [lookAt(0), lookAt(1, { files: [rawFile(), rawFile({ kind: 'error' })] })] },
  ],
  ['seen_once', 'at the first it counted nothing', { looks: [lookAt(0, { counts: null }), lookAt(1)] }],
  [
    'seen_once',
    'at the first it counted more',
    { looks: [lookAt(0, { counts: { total: 4, done: 4, failed: 0 } }), lookAt(1)] },
  ],
  ['seen_once', 'at the first a file was not there', { looks: [lookAt(0, { gone: ['error'] }), lookAt(1)] }],
  [
    'seen_once',
    'at the first a file had another length than listed',
    { looks: [lookAt(0, { files: [rawFile({ listedBytes: 101 })] }), lookAt(1)] },
  ],
])('%s: %s', (doubt, _title, changes) => {
  expect(doubtAbsence({ ...PROVED, ...changes })).toBe(doubt);
});

describe('ends that have no results by contract', () => {
  const ended = {
    state: 'failed',
    outputFileId: null,
    errorFileId: null,
    startedAt: null,
    finalizingAt: null,
    progress: { total: 0, done: 0, failed: 0 },
    errors: [{ code: null, message: 'no', line: null }],
  } as const;
  const began = lookAt(0).at;

  test.each<[string, Parameters<typeof hasNoResults>]>([
    ['OpenAI: failed, and counts nothing', ['openai', ended]],
    ['OpenAI: cancelled before it ran', ['openai', { ...ended, state: 'cancelled' }]],
    ['OpenAI: expired before it ran', ['openai', { ...ended, state: 'expired' }]],
    ['Gemini: expired', ['gemini', { ...ended, state: 'expired', progress: null }]],
    ['Gemini: failed with an error', ['gemini', { ...ended, progress: null }]],
  ])('%s', (_title, args) => {
    expect(hasNoResults(...args)).toBe(true);
  });

  test.each<[string, Parameters<typeof hasNoResults>]>([
    ['OpenAI: failed, and says no counts', ['openai', { ...ended, progress: null }]],
    ['OpenAI: failed, and counts rows', ['openai', { ...ended, progress: { total: 3, done: 0, failed: 3 } }]],
    ['OpenAI: failed, with a file', ['openai', { ...ended, errorFileId: 'file-1' }]],
    ['OpenAI: cancelled while it ran', ['openai', { ...ended, state: 'cancelled', startedAt: began }]],
    ['OpenAI: expired while it finalised', ['openai', { ...ended, state: 'expired', finalizingAt: began }]],
    ['OpenAI: completed', ['openai', { ...ended, state: 'completed' }]],
    ['Anthropic: whatever its end', ['anthropic', ended]],
    ['Anthropic: cancelled', ['anthropic', { ...ended, state: 'cancelled' }]],
    ['Gemini: failed without an error', ['gemini', { ...ended, errors: [] }]],
    [
      'Gemini: failed, and counts answers',
      ['gemini', { ...ended, progress: { total: 3, done: 1, failed: 0 } }],
    ],
    ['Gemini: cancelled', ['gemini', { ...ended, state: 'cancelled' }]],
    ['Gemini: expired, with a file', ['gemini', { ...ended, state: 'expired', outputFileId: 'files/b' }]],
  ])('is none: %s', (_title, args) => {
    expect(hasNoResults(...args)).toBe(false);
  });
});

test('a length that was listed once shows a cut, although nobody tells it the next time', () => {
  const cut = lookAt(0, { files: [rawFile({ listedBytes: 120 })] });
  const untold = (n: number) => lookAt(n, { files: [rawFile({ listedBytes: null })] });
  expect(looksAgree([cut, untold(1)], QUARTER_MS)).toBe(false);
  expect(looksAgree([cut, untold(1), untold(2)], QUARTER_MS)).toBe(true);
});
