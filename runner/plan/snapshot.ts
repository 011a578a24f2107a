import type { AccountId, Digest, Instant, JobName } from '../ids.ts';
import type { SourceFiles } from '../journal/events.ts';
import type { JournalState } from '../journal/state.ts';
import type { Disposition } from '../outcome/disposition.ts';
import type { Rejection } from '../outcome/rejection.ts';
import type { LoadedJob } from '../spec/job.ts';
import type { Settings } from '../spec/settings.ts';
import type { Rest } from './action.ts';
import type { StaleAnswers } from './checks.ts';

/** Everything that a plan depends on, as values: what git wants, what was done, what time it is. */
export interface Snapshot {
  readonly now: Instant;
  readonly settings: Settings;
  readonly jobs: readonly DesiredJob[];
  /** All that git has, whatever is planned; null where only some jobs are looked at. */
  readonly fleet: Fleet | null;
  readonly journal: JournalState;
  /** The current run of each job that has one, as its ledger says. */
  readonly runs: Readonly<Record<JobName, RunObserved>>;
  /** Jobs whose stored files are not as they were written, and why each is left alone. Absent: none. */
  readonly damaged?: Readonly<Record<JobName, Rest>>;
  readonly pacing: Pacing;
  /** Null where this pass may act; else why it may only poll and collect. */
  readonly readOnly: string | null;
}

export interface DesiredJob {
  readonly loaded: LoadedJob;
  readonly source: SourceFiles;
  /** Who would pay for a run frozen now. */
  readonly account: AccountId;
}

export interface Fleet {
  readonly jobs: readonly JobName[];
  /** Files that cannot be read: each may be a job that seems to be gone. */
  readonly broken: readonly string[];
  readonly commit: string | null;
  /** Changes that no commit holds. */
  readonly dirty: boolean;
}

export interface RunObserved {
  readonly dispositions: Readonly<Partial<Record<Disposition, number>>>;
  readonly sendable: {
    readonly first: number;
    readonly retry: number;
    readonly raisedCap: number;
    readonly stalled: number;
    readonly cancelled: number;
  };
  /** Shards of which every line was refused as an invalid request, for one and the same cause. */
  readonly rejected: readonly RejectedShard[];
  /** Answers that were judged by another schema than the one that git has now. */
  readonly stale: StaleAnswers;
  /** By sink: what stands there now; null where nothing does. */
  readonly sinks: Readonly<Record<string, Digest | null>>;
}

/** By the shard's number within its run. */
export interface RejectedShard extends Rejection {
  readonly shard: number;
  /** False where pages show no rows: then what was said of one, which may quote it, stands on none. */
  readonly mayBeQuoted: boolean;
}

/** How patient the reconciler is. One set for real providers, a quick one for a rehearsal. */
export interface Pacing {
  /** Between two looks at a young batch; grows with its age. */
  readonly pollMs: number;
  readonly mostPollMs: number;
  /** Before items whose attempt failed are sent again. */
  readonly retryMs: number;
  /** After the provider said that its queue is full. */
  readonly capacityMs: number;
  /** After the provider said that the account may not spend; doubles with each time that it says so again. */
  readonly accountMs: number;
  /** So long turned away for room, with nothing in flight, and the job is told as stalled. */
  readonly stalledAfterMs: number;
  /** The longest pause before an account that turns us away is asked again. */
  readonly mostProbeMs: number;
  /** Between two complete downloads before an item counts as missing. */
  readonly missingMs: number;
  /** Over which complete listings must lack a batch before its intent counts as never carried out. */
  readonly absenceMs: number;
}

export const PATIENT: Pacing = {
  pollMs: 60_000,
  mostPollMs: 600_000,
  retryMs: 300_000,
  capacityMs: 900_000,
  accountMs: 3_600_000,
  stalledAfterMs: 86_400_000,
  mostProbeMs: 21_600_000,
  missingMs: 900_000,
  absenceMs: 900_000,
};

export const QUICK: Pacing = {
  pollMs: 250,
  mostPollMs: 1_000,
  retryMs: 500,
  capacityMs: 1_000,
  accountMs: 5_000,
  stalledAfterMs: 600_000,
  mostProbeMs: 30_000,
  missingMs: 1_000,
  absenceMs: 1_000,
};
