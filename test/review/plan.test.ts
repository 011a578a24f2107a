import { describe, expect, it } from 'vitest';
import { digestOf } from '../../runner/ids.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { currentRun } from '../../runner/journal/fold.ts';
import type { JournalState, RunState } from '../../runner/journal/state.ts';
import { spendOfRun } from '../../runner/plan/spend.ts';
import { accepted, frozen, generation, intent, intentId, JOB, settled, stateOf } from '../support/journal.ts';

function runOf(state: JournalState): RunState {
  const run = currentRun(state, JOB.name);
  if (run === undefined) throw new Error('no run');
  return run;
}

function unreadableSettled(n: number, counts: Record<string, number>): JournalEvent {
  const event = settled(n, counts);
  if (event.type !== 'outcomes.settled') throw new Error('x');
  return { ...event, summary: { ...event.summary, withoutUsage: counts.unreadable ?? 0 } };
}

describe('money', () => {
  it('released rows of which one is read later: the one that waits yet keeps its reservation', () => {
    const state = stateOf(
      [generation(), frozen()],
      [intent(1)],
      [accepted(1, { state: 'completed' })],
      [unreadableSettled(1, { ok: 98, unreadable: 2 })],
      [{ type: 'rows.released', intent: intentId(1), job: JOB.name, ordinals: [[3, 3]], rows: 1 }],
      [
        {
          ...(unreadableSettled(1, { ok: 99, unreadable: 1 }) as Extract<
            JournalEvent,
            { type: 'outcomes.settled' }
          >),
          type: 'outcomes.revised',
          why: 'results',
          check: null,
          outcomes: { name: 'tickets/runs/1/outcomes-1b.parquet', digest: digestOf('1b'), bytes: 1 },
        },
      ],
    );
    const spend = spendOfRun(state, runOf(state));
    expect(spend.reserved).toBeCloseTo(0.02);
  });
});
