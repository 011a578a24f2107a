import { describe, expect, it } from 'vitest';
import { StateConflict } from '../../runner/errors.ts';
import type { JobName } from '../../runner/ids.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { currentRun, jobState } from '../../runner/journal/fold.ts';
import type { IntentPhase } from '../../runner/journal/state.ts';
import {
  accepted,
  batch,
  frozen,
  generation,
  intent,
  intentId,
  JOB,
  settled,
  stateOf,
} from '../support/journal.ts';

const collected: JournalEvent = {
  type: 'raw.collected',
  intent: intentId(1),
  job: JOB.name,
  state: 'completed',
  files: [],
  gone: [],
  counts: null,
};
const observed = (state: 'running' | 'completed'): JournalEvent => ({
  type: 'batch.observed',
  intent: intentId(1),
  job: JOB.name,
  batch: batch(1, { state }),
});
const absent: JournalEvent = { type: 'submit.absent', intent: intentId(1), job: JOB.name, proof: 'none' };

describe('the phase of an intent', () => {
  const cases: [string, JournalEvent[], IntentPhase][] = [
    ['announced', [], 'intent'],
    ['accepted', [accepted(1)], 'live'],
    ['accepted in a terminal state', [accepted(1, { state: 'failed' })], 'ended'],
    ['seen as ended', [accepted(1), observed('completed')], 'ended'],
    ['collected', [accepted(1), observed('completed'), collected], 'collected'],
    ['settled', [accepted(1), collected, settled(1, { ok: 100 })], 'settled'],
    [
      'a late look does not bring it back',
      [accepted(1), collected, settled(1, { ok: 100 }), observed('running')],
      'settled',
    ],
    ['absent', [absent], 'absent'],
    ['called absent, then found all the same', [absent, accepted(1)], 'live'],
  ];
  it.each(cases)('%s', (_name, events, phase) => {
    const state = stateOf([generation(), frozen(), intent(1)], ...events.map((event) => [event]));
    expect(state.intents[intentId(1)]?.phase).toBe(phase);
  });
});

it('numbers shards within their run, in the order of their announcement', () => {
  const state = stateOf([frozen(), intent(1)], [intent(2)], [frozen({ run: 2 }), intent(3, { run: 2 })]);
  expect([1, 2, 3].map((n) => state.intents[intentId(n)]?.shard)).toEqual([1, 2, 1]);
});

it('holds a job called constructor like any other, and knows no job that is not there', () => {
  const name = 'constructor' as JobName;
  expect(jobState(stateOf(), name)).toEqual({
    mark: null,
    generations: [],
    requested: null,
    runs: [],
    withdrawn: null,
  });
  const state = stateOf([frozen({ job: name })]);
  expect(jobState(state, name).runs).toHaveLength(1);
  expect(currentRun(state, 'toString'.toLowerCase() as JobName)).toBeUndefined();
});

it('is plain data: its JSON is a snapshot that folds on', () => {
  const state = stateOf([generation(), frozen(), intent(1)], [accepted(1)]);
  expect(JSON.parse(JSON.stringify(state))).toEqual(state);
});

it('an event of a newer version is refused in a sentence', () => {
  const unknown = { type: 'shard.blessed', job: JOB.name } as unknown as JournalEvent;
  expect(() => stateOf([generation(), frozen()], [unknown], [intent(1)])).toThrow(StateConflict);
});

it('another look that brings the same outcomes and other lines tells of its lines', () => {
  const event = settled(1, { ok: 99, unreadable: 1 });
  if (event.type !== 'outcomes.settled') throw new Error('it is another event');
  const lines = { own: 99, foreign: 3, unparsed: 0 };
  const state = stateOf(
    [generation(), frozen()],
    [intent(1)],
    [accepted(1)],
    [{ ...event, summary: { ...event.summary, lines } }],
    [
      {
        ...event,
        type: 'outcomes.revised',
        why: 'results',
        check: null,
        summary: { ...event.summary, lines: { own: 99, foreign: 0, unparsed: 0 } },
        collections: 2,
      },
    ],
  );
  expect(state.intents[intentId(1)]?.settled?.summary.lines.foreign).toBe(0);
});
