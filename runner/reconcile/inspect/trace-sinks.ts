import { jobState } from '../../journal/fold.ts';
import type { JournalState, RunState } from '../../journal/state.ts';
import { sinkId } from '../../plan/apply.ts';
import type { TracedSink } from '../../report/trace-view.ts';
import type { SinkSpec } from '../../spec/job.ts';

/**
 * Pure: where an answer of a run stands. `answeredSeq`: the segment that settled it. `isInRuns`: whether a run after
 * this one and up to the given one has a good row with the same key.
 */
export function tracedSinks(
  state: JournalState,
  run: RunState,
  specs: readonly SinkSpec[],
  answeredSeq: number,
  isInRuns: (upTo: number) => boolean,
): TracedSink[] {
  const { runs } = jobState(state, run.job);
  const isCurrent = runs.at(-1) === run;
  const ids = new Set([...Object.keys(run.applied), ...(isCurrent ? specs.map(sinkId) : [])]);
  return [...ids].map((id): TracedSink => {
    const proof = run.applied[id];
    const newest = runs.findLast((each) => each.applied[id] !== undefined);
    const place = { kind: id.slice(0, id.indexOf(':')), path: id.slice(id.indexOf(':') + 1) };
    if (proof === undefined || proof.throughSeq < answeredSeq) {
      return { ...place, state: 'not_yet', appliedAt: proof?.at ?? null, byRun: newest?.run ?? null };
    }
    if (newest === undefined || newest.run === run.run) {
      return { ...place, state: 'holds', appliedAt: proof.at, byRun: run.run };
    }
    const spec = specs.find((each) => sinkId(each) === id);
    const keeps = spec !== undefined && spec.onRemoved !== 'delete';
    const kept = keeps && hasSameKey(run, newest) && !isInRuns(newest.run);
    const appliedAt = newest.applied[id]?.at ?? null;
    return { ...place, state: kept ? 'kept' : 'replaced', appliedAt, byRun: newest.run };
  });
}

/** With other key columns the rows of an earlier run would not be the same things, and are not kept. */
function hasSameKey(one: RunState, other: RunState): boolean {
  return JSON.stringify(one.spec.input.key) === JSON.stringify(other.spec.input.key);
}
