import { expect, it } from 'vitest';
import { currentRun } from '../../../runner/journal/fold.ts';
import { findStop } from '../../../runner/plan/stop.ts';
import { describeStop } from '../../../runner/reconcile/describe/stop.ts';
import {
  accepted,
  frozen,
  generation,
  intent,
  intentId,
  JOB,
  settled,
  stateAtMinutes,
} from '../../support/journal.ts';
import { inMinutes, observed } from '../../support/plan.ts';

it('a create that is refused in the middle of a run stops it from then on', () => {
  const error = { status: 404, code: 'x', message: 'gone', about: 'request', retryAfterMs: null } as const;
  const state = stateAtMinutes(
    [0, [generation(), frozen()]],
    [1, [intent(1), accepted(1)]],
    [2, [settled(1, { ok: 100 })]],
    [4_000, [intent(2), { type: 'submit.refused', intent: intentId(2), job: JOB.name, error }]],
  );
  const run = currentRun(state, JOB.name);
  const stop = run === undefined ? null : findStop(state, run, observed());
  if (run === undefined || stop === null) throw new Error('nothing stops it');
  expect(describeStop(state, run, stop)).toMatchObject({
    reason: 'ProviderRejected',
    since: inMinutes(4_000),
  });
});
