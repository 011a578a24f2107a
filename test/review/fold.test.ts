import { expect, it } from 'vitest';
import { StateConflict } from '../../runner/errors.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { accepted, frozen, generation, intent, intentId, JOB, settled, stateOf } from '../support/journal.ts';

it('an event of a newer version is refused in a sentence', () => {
  const unknown = { type: 'shard.blessed', job: JOB.name } as unknown as JournalEvent;
  expect(() => stateOf([generation(), frozen()], [unknown], [intent(1)])).toThrow(StateConflict);
});

it('another look that brings the same outcomes and other lines tells of its lines', () => {
  const event = settled(1, { ok: 99, unreadable: 1 });
  if (event.type !== 'outcomes.settled') throw new Error('x');
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
