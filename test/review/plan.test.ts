import { describe, expect, it } from 'vitest';
import { digestOf } from '../../runner/ids.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { currentRun } from '../../runner/journal/fold.ts';
import type { JournalState, RunState } from '../../runner/journal/state.ts';
import { plan } from '../../runner/plan/plan.ts';
import { spendOfRun } from '../../runner/plan/spend.ts';
import { findStop } from '../../runner/plan/stop.ts';
import { shardReports } from '../../runner/reconcile/describe/shards.ts';
import {
  accepted,
  batch,
  frozen,
  generation,
  intent,
  intentId,
  JOB,
  SHAPE,
  settled,
  stateOf,
} from '../support/journal.ts';
import { desired, inMinutes, NOTHING_SENDABLE, observed, snapshot } from '../support/plan.ts';

const CANARY = { ...JOB, canary: { items: 10, minValid: 1, via: 'batch' as const } };

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

const retry = (classes: readonly string[]): JournalEvent => ({
  type: 'retry.asked',
  job: JOB.name,
  run: 1,
  classes: classes as never,
  by: 'x',
});

describe('stop', () => {
  it('a canary asked row by row whose answer cannot be understood: nothing is looked at again by itself', () => {
    const state = stateOf(
      [generation(), frozen({ spec: CANARY })],
      [intent(1, { kind: 'canary', ordinals: [[0, 9]], count: 10, via: 'live', fileId: null })],
      [accepted(1, { state: 'completed' })],
      [unreadableSettled(1, { unreadable: 10 })],
    );
    const stop = findStop(
      state,
      runOf(state),
      observed({
        dispositions: { unreadable: 10, unsent: 90 },
        sendable: { ...NOTHING_SENDABLE, first: 90 },
      }),
    );
    expect(stop?.reason).toBe('ResultsUnreadable');
    expect(stop?.next).not.toContain('by themselves');
  });

  it('cancelled rows are told beside unreadable ones', () => {
    const state = stateOf(
      [generation(), frozen()],
      [intent(1)],
      [accepted(1, { state: 'cancelled', endedAt: inMinutes(1) })],
      [unreadableSettled(1, { ok: 90, cancelled: 9, unreadable: 1 })],
    );
    const { rests } = plan(
      snapshot({
        state,
        run: observed({
          dispositions: { applied: 90, waiting: 9, unreadable: 1 },
          sendable: { ...NOTHING_SENDABLE, cancelled: 9 },
        }),
      }),
    );
    expect(rests.map(({ reason }) => reason)).toContain('Cancelled');
  });

  it('what stops the run comes before results that cannot be read', () => {
    const looks: JournalEvent[] = [1, 2, 3].map(() => ({
      type: 'raw.collected',
      intent: intentId(1),
      job: JOB.name,
      state: 'completed',
      files: [],
      gone: [],
      counts: null,
    }));
    const state = stateOf(
      [generation(), frozen()],
      [intent(1)],
      [accepted(1, { state: 'completed', endedAt: inMinutes(1) })],
      ...looks.map((look) => [look]),
      [unreadableSettled(1, { ok: 99, unreadable: 1 })],
      [intent(2)],
      [
        accepted(2, {
          state: 'failed',
          errors: [{ code: 'x', message: 'no such model', line: null, about: 'request' }],
        }),
      ],
      [settled(2, { cancelled: 100 })],
    );
    const { rests } = plan(
      snapshot({
        state,
        now: inMinutes(200),
        run: observed({
          dispositions: { unreadable: 1, applied: 99 },
          sendable: { ...NOTHING_SENDABLE, cancelled: 100 },
        }),
      }),
    );
    expect(rests.map(({ reason, kind }) => `${reason} ${kind}`)).toEqual([
      'BatchFailed blocked',
      'ResultsUnreadable blocked',
    ]);
  });
});

describe('plan', () => {
  it('a finished run of which only remote files are left to delete is said to be finished', () => {
    const state = stateOf(
      [generation(), frozen()],
      [intent(1)],
      [accepted(1, { state: 'completed', outputFileId: 'o' })],
      [settled(1, { ok: 100 })],
      [
        {
          type: 'applied',
          job: JOB.name,
          run: 1,
          sink: 'parquet:out/tickets.parquet',
          path: 'out/tickets.parquet',
          digest: digestOf('sink'),
          bytes: 1,
          rows: 100,
          throughSeq: 4,
          shape: SHAPE,
        },
      ],
    );
    const planned = plan(
      snapshot({
        state,
        run: observed({
          dispositions: { applied: 100 },
          sinks: { 'parquet:out/tickets.parquet': digestOf('sink') },
        }),
      }),
    );
    expect(planned.actions.map(({ kind }) => kind)).toEqual(['discard']);
    expect(planned.rests.map(({ kind }) => kind)).toEqual(['idle']);
  });
});

describe('pages', () => {
  const settledAgain = () =>
    stateOf(
      [generation(), frozen()],
      [intent(1)],
      [accepted(1, { state: 'completed', endedAt: inMinutes(1) })],
      [unreadableSettled(1, { ok: 98, unreadable: 2 })],
      [retry(['unreadable'])],
      [intent(2, { ordinals: [[0, 1]], count: 2 })],
      [accepted(2, { state: 'completed' })],
      [settled(2, { ok: 2 })],
    );

  it('rows whose results cannot be read have not failed', () => {
    const [line] = shardReports(
      stateOf(
        [generation(), frozen()],
        [intent(1)],
        [accepted(1, { state: 'completed' })],
        [unreadableSettled(1, { ok: 98, unreadable: 2 })],
      ),
      runOf(settledAgain()),
    );
    expect(line).toMatchObject({ ok: 98, failed: 0 });
  });
});

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
void batch;
void desired;
