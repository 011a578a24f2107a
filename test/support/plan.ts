import { digestOf, type Instant, later } from '../../runner/ids.ts';
import type { JournalState } from '../../runner/journal/state.ts';
import { type DesiredJob, PATIENT, type RunObserved, type Snapshot } from '../../runner/plan/snapshot.ts';
import type { Job, LoadedJob, RunDefinition } from '../../runner/spec/job.ts';
import type { Settings } from '../../runner/spec/settings.ts';
import { ACCOUNT, DEFINES, JOB, SOURCE, START, stateOf } from './journal.ts';

export const SETTINGS: Settings = {
  store: { kind: 'local', path: 'state' },
  branch: null,
  providers: {},
  models: {},
  budgets: { perRunUsd: null, perMonthUsd: null, maxItems: null, approveAboveUsd: null, owners: {} },
  policy: { neverSend: [], allowedRoots: [] },
  report: { keys: 'shown', samples: 5, target: 'branch', tokenEnv: null },
  suspend: null,
};

const FILE = { path: 'prompts/tickets/user.hbs', text: 'x', digest: digestOf('x') };

export function loaded(job: Partial<Job> = {}, defines: Partial<RunDefinition> = {}): LoadedJob {
  return {
    job: { ...JOB, ...job },
    prompts: { system: null, user: FILE, partials: {} },
    schema: null,
    defines: { ...DEFINES, ...defines },
  };
}

export function desired(job: Partial<Job> = {}, changes: Partial<DesiredJob> = {}): DesiredJob {
  return { loaded: loaded(job), source: SOURCE, account: ACCOUNT, ...changes };
}

export const NOTHING_SENDABLE = { first: 0, retry: 0, raisedCap: 0, stalled: 0, cancelled: 0 };

const NOTHING_STALE = { intents: [], answers: 0 };

export function observed(changes: Partial<RunObserved> = {}): RunObserved {
  return {
    dispositions: {},
    sendable: NOTHING_SENDABLE,
    rejected: [],
    stale: NOTHING_STALE,
    sinks: {},
    ...changes,
  };
}

/** A whole valid snapshot of one job; each test changes one thing. */
export function snapshot(
  changes: Partial<Snapshot> & {
    readonly job?: DesiredJob;
    readonly run?: RunObserved;
    readonly state?: JournalState;
  } = {},
): Snapshot {
  const { job, run, state, ...rest } = changes;
  return {
    now: inMinutes(60),
    settings: SETTINGS,
    jobs: [job ?? desired()],
    journal: state ?? stateOf(),
    fleet: null,
    runs: run === undefined ? {} : { [JOB.name]: run },
    pacing: PATIENT,
    readOnly: null,
    ...rest,
  };
}

export function inMinutes(minutes: number): Instant {
  return later(START, minutes * 60_000);
}
