import { describe, expect, it } from 'vitest';
import type { BatchView, ProviderError } from '../../runner/journal/batch.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { currentRun } from '../../runner/journal/fold.ts';
import { plan } from '../../runner/plan/plan.ts';
import type { RejectedShard, RunObserved } from '../../runner/plan/snapshot.ts';
import { findStop } from '../../runner/plan/stop.ts';
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
import { inMinutes, NOTHING_SENDABLE, observed, snapshot } from '../support/plan.ts';

const RUN: readonly JournalEvent[] = [generation(), frozen()];
const LEFT = observed({ dispositions: { unsent: 90 }, sendable: { ...NOTHING_SENDABLE, first: 90 } });

type Groups = readonly (readonly JournalEvent[])[];

function stop(groups: Groups, run: RunObserved = LEFT) {
  const state = stateOf(RUN, ...groups);
  const current = currentRun(state, JOB.name);
  if (current === undefined) throw new Error('there is no run');
  return findStop(state, current, run);
}

/** A batch that failed as a whole, with what became of its rows. */
function failed(n: number, errors: BatchView['errors'], counts: Record<string, number>): Groups {
  return [[intent(n)], [accepted(n, { state: 'failed', errors })], [settled(n, counts)]];
}

function because(
  about: BatchView['errors'][number]['about'],
  message = 'no such model',
): BatchView['errors'] {
  return [{ code: 'x', message, line: null, ...(about === undefined ? {} : { about }) }];
}

function refused(n: number, about: ProviderError['about']): Groups {
  const error = { status: 404, code: 'x', message: 'no such model', about, retryAfterMs: null };
  return [[intent(n)], [{ type: 'submit.refused', intent: intentId(n), job: JOB.name, error }]];
}

function rejected(some: Partial<RejectedShard> = {}): RunObserved {
  const words = 'model: claude-9';
  const shard = {
    shard: 1,
    rows: 100,
    cause: 'not_found_error',
    words,
    alike: true,
    mayBeQuoted: true,
    ...some,
  };
  return { ...LEFT, rejected: [shard] };
}

const ANSWERED: Groups = [[intent(1)], [accepted(1)], [settled(1, { ok: 100 })]];
const ALL_INVALID: Groups = [[intent(1)], [accepted(1)], [settled(1, { invalid_request: 100 })]];
const RETRY: JournalEvent = { type: 'retry.asked', job: JOB.name, run: 1, classes: ['cancelled'], by: 'x' };

describe('a batch that was refused as a whole', () => {
  it.each<[string, Groups, RunObserved, string]>([
    ['when it was validated', failed(1, because('request'), { cancelled: 100 }), LEFT, 'BatchFailed'],
    ['for a reason that nobody gives', failed(1, [], { cancelled: 100 }), LEFT, 'BatchFailed'],
    [
      'after others were answered',
      [...ANSWERED, ...failed(2, because('request'), { cancelled: 100 })],
      LEFT,
      'BatchFailed',
    ],
    [
      'with some rows that are bad by themselves',
      failed(1, because('request'), { cancelled: 98, invalid_request: 2 }),
      LEFT,
      'BatchFailed',
    ],
    ['at its create', refused(1, 'request'), LEFT, 'ProviderRejected'],
    ['line by line', ALL_INVALID, rejected(), 'ProviderRejected'],
  ])('%s stops the run, whatever is left to send', (_name, groups, run, reason) => {
    expect(stop(groups, run)).toMatchObject({ reason });
    expect(stop(groups, { ...run, sendable: NOTHING_SENDABLE }), 'where nothing is left too').toMatchObject({
      reason,
    });
    const retries = { ...NOTHING_SENDABLE, retry: 3 };
    expect(stop(groups, { ...run, sendable: retries }), 'and of retries').toMatchObject({ reason });
  });

  it('is told in the provider’s words', () => {
    expect(
      stop(failed(1, because('request', 'gpt-9 does not exist'), { cancelled: 100 }))?.message,
    ).toContain('gpt-9 does not exist');
    expect(stop(ALL_INVALID, rejected())?.message).toContain('model: claude-9');
    expect(
      stop(ALL_INVALID, rejected({ cause: 'HTTP 404 model_not_found', words: null }))?.message,
    ).toContain('model_not_found');
  });

  it('holds the job while other batches are under way, which are collected', () => {
    const groups = [...failed(1, because('request'), { cancelled: 100 }), [intent(2)], [accepted(2)]];
    const { actions, rests } = plan(
      snapshot({ state: stateOf(RUN, ...groups), run: LEFT, now: inMinutes(60) }),
    );
    expect(actions.filter(({ kind }) => kind === 'submit')).toEqual([]);
    expect(rests).toMatchObject([{ kind: 'blocked', reason: 'BatchFailed' }]);
  });

  it.each<[string, Groups, RunObserved]>([
    ['failed', failed(1, because('request'), { cancelled: 100 }), LEFT],
    ['refused', refused(1, 'request'), LEFT],
    ['rejected', ALL_INVALID, rejected()],
  ])('a person’s retry lifts one that was %s before it, and not the next', (_name, groups, run) => {
    expect(stop([...groups, [RETRY]], run)).toBeNull();
    const next = failed(7, because('request'), { cancelled: 100 });
    expect(stop([...groups, [RETRY], ...next], run)).toMatchObject({ reason: 'BatchFailed' });
  });
});

describe('nothing stops a run', () => {
  it.each<[string, Groups, RunObserved]>([
    ['that was answered', ANSWERED, LEFT],
    ['whose batch found no room', failed(1, because('capacity'), { rate_or_capacity: 100 }), LEFT],
    ['whose batch met an outage', failed(1, because('server'), { provider_error: 100 }), LEFT],
    [
      'of whose batch single lines are bad',
      failed(1, because('request'), { invalid_request: 1, expired: 99 }),
      LEFT,
    ],
    ['whose create found no room', refused(1, 'capacity'), LEFT],
    ['whose create was turned away for money', refused(1, 'account'), LEFT],
    [
      'of whose rows each is too long',
      ALL_INVALID,
      rejected({ cause: 'HTTP 400 context_length_exceeded', words: 'This is too long' }),
    ],
    [
      'of whose rows three are bad in words that are not known',
      ALL_INVALID,
      rejected({ rows: 3, cause: 'HTTP 400', words: 'No.' }),
    ],
    [
      'that a person has cancelled in part',
      [[intent(1)], [accepted(1, { state: 'cancelled' })], [settled(1, { cancelled: 100 })]],
      LEFT,
    ],
  ])('%s', (_name, groups, run) => {
    expect(stop(groups, run)).toBeNull();
  });

  it('for what became of a second batch', () => {
    const second: JournalEvent = {
      type: 'second.found',
      intent: intentId(2),
      secondOf: intentId(1),
      job: JOB.name,
      batch: batch(2, { state: 'failed', errors: because('request') }),
    };
    expect(stop([...ANSWERED, [second], [settled(2, { cancelled: 100 })]])).toBeNull();
  });
});

describe('results that cannot be read', () => {
  const UNREAD: Groups = [[intent(1)], [accepted(1)], [settled(1, { ok: 97, unreadable: 3 })]];
  const run = observed({ dispositions: { applied: 97, unreadable: 3 } });

  it('leave the run unfinished: it is told, and nothing is sent for them', () => {
    expect(stop(UNREAD, run)).toMatchObject({ reason: 'ResultsUnreadable', shards: [1] });
    const { actions, rests } = plan(snapshot({ state: stateOf(RUN, ...UNREAD), run }));
    expect(actions.filter(({ kind }) => kind === 'submit')).toEqual([]);
    // Within the first hour it may be over by itself.
    expect(rests).toMatchObject([{ kind: 'waiting', message: expect.stringContaining('3 rows') }]);
  });

  it('do not keep other rows from being sent', () => {
    expect(stop(UNREAD, { ...run, sendable: LEFT.sendable })).toBeNull();
    expect(stop([...UNREAD, [intent(2)], [accepted(2)]], run), 'while a batch is under way').toBeNull();
  });
});

describe('results that cannot be read, and what is told beside them', () => {
  const cancelled = observed({
    dispositions: { applied: 90, waiting: 9, unreadable: 1 },
    sendable: { ...NOTHING_SENDABLE, cancelled: 9 },
  });

  it('do not hide rows that a person has cancelled', () => {
    const counts = { ok: 90, cancelled: 9, unreadable: 1 };
    const back = accepted(1, { state: 'cancelled', endedAt: inMinutes(1) });
    const state = stateOf(RUN, [intent(1)], [back], [settled(1, counts)]);
    expect(reasons(state, cancelled, 60)).toEqual(['Cancelled', 'ResultsUnreadable']);
  });

  it('are told after what stops the run', () => {
    const state = stateOf(
      RUN,
      [intent(1)],
      [accepted(1, { state: 'completed', endedAt: inMinutes(1) })],
      [settled(1, { ok: 99, unreadable: 1 })],
      [intent(2)],
      [accepted(2, { state: 'failed', errors: because('request') })],
      [settled(2, { cancelled: 100 })],
    );
    const run = observed({
      dispositions: { applied: 99, unreadable: 1 },
      sendable: { ...NOTHING_SENDABLE, cancelled: 100 },
    });
    expect(reasons(state, run, 600)).toEqual(['BatchFailed', 'ResultsUnreadable']);
  });

  it.each([
    ['in a batch', {}, 'they are looked at again by themselves'],
    ['row by row', { via: 'live' as const, fileId: null }, '`batchwright reprocess tickets` reads it again'],
  ])('of a canary that was asked %s: what comes next', (_, changes, next) => {
    const canary = { ...JOB, canary: { items: 10, minValid: 0.9, via: 'batch' as const } };
    const state = stateOf(
      [generation(), frozen({ spec: canary })],
      [intent(1, { kind: 'canary', ordinals: [[0, 9]], count: 10, ...changes })],
      [accepted(1, { state: 'completed' })],
      [settled(1, { unreadable: 10 })],
    );
    const run = currentRun(state, JOB.name);
    const left = { ...LEFT, dispositions: { unsent: 90, unreadable: 10 } };
    const found = run === undefined ? null : findStop(state, run, left);
    expect(found).toMatchObject({ reason: 'ResultsUnreadable', next: expect.stringContaining(next) });
  });
});

function reasons(state: ReturnType<typeof stateOf>, run: RunObserved, minutes: number): string[] {
  return plan(snapshot({ state, run, now: inMinutes(minutes) })).rests.map(({ reason }) => reason);
}
