import { describe, expect, it } from 'vitest';
import type { JobName } from '../../runner/ids.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { plan } from '../../runner/plan/plan.ts';
import type { Fleet } from '../../runner/plan/snapshot.ts';
import { tombstonesOf } from '../../runner/plan/withdraw.ts';
import { accepted, frozen, generation, intent, JOB, settled, stateOf } from '../support/journal.ts';
import { inMinutes, snapshot } from '../support/plan.ts';

const OTHERS = ['a', 'b', 'c'] as JobName[];
const FLEET: Fleet = { jobs: OTHERS, broken: [], commit: 'c1', dirty: false };
const LIVE: readonly (readonly JournalEvent[])[] = [[generation(), frozen()], [intent(1)], [accepted(1)]];
const TOMB: JournalEvent = { type: 'job.withdrawn', job: JOB.name, commit: 'c1' };

/** The fourth segment is three minutes after the start. */
function planned(fleet: Partial<Fleet>, events: readonly (readonly JournalEvent[])[], minutes = 0) {
  const state = stateOf(...LIVE, ...events);
  const { actions, rests } = plan({
    ...snapshot({ state }),
    jobs: [],
    fleet: { ...FLEET, ...fleet },
    now: inMinutes(minutes),
  });
  return { actions, said: rests.map(({ kind, reason }) => `${kind} ${reason}`) };
}

describe('a job that the journal knows and git does not', () => {
  it('gets its tombstone first, with the commit that lacks it', () => {
    const { actions } = planned({}, []);
    expect(actions).toEqual([{ kind: 'withdraw', job: JOB.name, commit: 'c1', batches: 1 }]);
    expect(tombstonesOf(actions)).toEqual([TOMB]);
  });

  it.each([
    { commit: 'c1', minutes: 62, cancels: 0 },
    { commit: 'c1', minutes: 64, cancels: 0 },
    { commit: 'c2', minutes: 62, cancels: 0 },
    { commit: 'c2', minutes: 63, cancels: 1 },
  ])('at $commit, $minutes minutes in: $cancels batches are ended', ({ commit, minutes, cancels }) => {
    const { actions, said } = planned({ commit }, [[TOMB]], minutes);
    expect(actions).toHaveLength(cancels);
    expect(said).toEqual(cancels === 0 ? ['waiting Withdrawn'] : []);
  });

  it('is said nothing of once nothing of it is under way', () => {
    const done = [[settled(1, { ok: 100 })]];
    expect(planned({}, [...done, [TOMB]])).toEqual({ actions: [], said: [] });
    expect(planned({ jobs: [] }, done)).toEqual({ actions: [], said: [] });
  });

  it('is taken back when git has it again, and starts anew when it goes again', () => {
    const back = planned({ jobs: [...OTHERS, JOB.name] }, [[TOMB]]);
    expect(tombstonesOf(back.actions)).toEqual([{ type: 'job.returned', job: JOB.name }]);
    const again = planned({ commit: 'c2' }, [[TOMB], [{ type: 'job.returned', job: JOB.name }]], 600);
    expect(again.actions).toMatchObject([{ kind: 'withdraw', commit: 'c2' }]);
  });

  it.each([
    ['a file that cannot be read', { broken: ['jobs/x.yaml'] }],
    ['no job left', { jobs: [] }],
    ['one of three gone', { jobs: OTHERS.slice(0, 2) }],
    ['changes that no commit holds', { dirty: true }],
    ['no git', { commit: null }],
  ])('is left alone with %s, before and after its tombstone', (_, fleet) => {
    expect(planned(fleet, [])).toEqual({ actions: [], said: ['blocked NotPruned'] });
  });

  it('counts against the 30 % only until it has its tombstone', () => {
    expect(planned({ jobs: OTHERS.slice(0, 2), commit: 'c2' }, [[TOMB]], 600).actions).toHaveLength(1);
  });

  it('is not looked for where only some jobs are', () => {
    const state = stateOf(...LIVE);
    expect(plan({ ...snapshot({ state }), jobs: [], fleet: null }).actions).toEqual([]);
    const readOnly = { ...snapshot({ state }), jobs: [], fleet: FLEET, readOnly: 'not the tip' };
    expect(plan(readOnly).actions).toEqual([]);
  });
});
