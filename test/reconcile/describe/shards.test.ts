import { expect, it } from 'vitest';
import { currentRun } from '../../../runner/journal/fold.ts';
import { shardReports } from '../../../runner/reconcile/describe/shards.ts';
import { accepted, frozen, generation, intent, JOB, settled, stateOf } from '../../support/journal.ts';

it.each([
  [{ ok: 98, provider_error: 2 }, 2],
  [{ ok: 98, lost: 2 }, 2],
  [{ ok: 98, unreadable: 2 }, 0],
  [{ ok: 98, duplicate: 1, late: 1 }, 0],
])('of %j so many have failed: %i', (counts, failed) => {
  const state = stateOf([generation(), frozen()], [intent(1)], [accepted(1)], [settled(1, counts)]);
  const run = currentRun(state, JOB.name);
  expect(run === undefined ? [] : shardReports(state, run)).toMatchObject([{ ok: 98, failed }]);
});
