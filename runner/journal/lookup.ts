import type { JobName } from '../ids.ts';
import type { IntentState, JobState, JournalState, RunState } from './state.ts';

const EMPTY_JOB: JobState = { mark: null, generations: [], requested: null, runs: [], withdrawn: null };

export function runState(state: JournalState, name: JobName, run: number): RunState | undefined {
  return jobState(state, name).runs.find((each) => each.run === run);
}

/** By own property: a job may be called `constructor`. */
export function jobState(state: JournalState, name: JobName): JobState {
  return (Object.hasOwn(state.jobs, name) ? state.jobs[name] : undefined) ?? EMPTY_JOB;
}

/** The job's newest run: the one that submits, retries and applies. */
export function currentRun(state: JournalState, name: JobName): RunState | undefined {
  return jobState(state, name).runs.at(-1);
}

/** A run's intents in the order of their announcement. */
export function intentsOf(state: JournalState, run: RunState): IntentState[] {
  return run.intents.map((id) => state.intents[id]).filter((intent) => intent !== undefined);
}
