import type { Digest, Instant, IntentId, JobName } from '../ids.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import type { OutcomeClass, OutcomeSummary } from '../outcome/outcome.ts';
import type { RunDefinition } from '../spec/job.ts';
import type { BatchView, ProviderError } from './batch.ts';
import type {
  CancelReason,
  CandidatesSeen,
  DownloadFailed,
  OrdinalRange,
  RawFile,
  ResultsLost,
  RunDropped,
  RunFrozen,
  SourceFiles,
  SubmitIntent,
  TryAnswered,
  TryIntent,
} from './events.ts';

/** The fold of a journal: plain data, so that a snapshot is its JSON. */
export interface JournalState {
  readonly lineage: string | null;
  /** Number and digest of the last segment folded; 0 and null for an empty journal. */
  readonly seq: number;
  readonly head: Digest | null;
  readonly jobs: Readonly<Record<JobName, JobState>>;
  readonly intents: Readonly<Record<IntentId, IntentState>>;
}

export interface JobState {
  /** The last segment that said something about this job; its report changes with it and not with other jobs' news. */
  readonly mark: SegmentMark | null;
  readonly generations: readonly GenerationState[];
  /** A person's wish for a new run that no run has served yet. */
  readonly requested: { readonly reason: string; readonly by: string; readonly at: Instant } | null;
  readonly runs: readonly RunState[];
  /** Rows that people asked at the synchronous price, oldest first. Absent: none. */
  readonly tries?: readonly TryState[];
  /** Since when, and since which commit, git has the job no more. */
  readonly withdrawn: { readonly at: Instant; readonly commit: string } | null;
}

/** `answered`: null while nobody knows what it has cost. */
export interface TryState extends Omit<TryIntent, 'type' | 'job'> {
  readonly at: Instant;
  readonly answered: (Omit<TryAnswered, 'type' | 'job' | 'attempt'> & { readonly at: Instant }) | null;
}

export interface SegmentMark {
  readonly seq: number;
  readonly digest: Digest;
}

export interface GenerationState {
  readonly generation: number;
  readonly digest: Digest;
  readonly defines: RunDefinition;
  readonly source: SourceFiles;
  readonly commit: string | null;
  readonly at: Instant;
}

/** A frozen run with what has happened to it since. */
export interface RunState extends Omit<RunFrozen, 'type'> {
  readonly frozenAt: Instant;
  /** In the order of their announcement; the place in this list is the shard's number, from 1. */
  readonly intents: readonly IntentId[];
  /** By sink (`<kind>:<path>`): the last proof. */
  readonly applied: Readonly<Record<string, AppliedState>>;
  /** Each time a person asked for another round: attempts that had ended in these classes before `seq` count no more. */
  readonly pardons: readonly { readonly seq: number; readonly classes: readonly OutcomeClass[] }[];
  /** The newest edit of schema or sinks that changed no request. Absent: none. */
  readonly recheck?: { readonly check: Digest; readonly recipe: StoredFile };
  /** Its files are kept no longer. Absent: they are. */
  readonly dropped?: DroppedState;
}

export interface DroppedState {
  readonly at: Instant;
  readonly files: number;
  readonly bytes: number;
  readonly dispositions: RunDropped['dispositions'];
}

export interface AppliedState {
  readonly path: string;
  readonly digest: Digest;
  readonly bytes: number;
  readonly rows: number;
  readonly throughSeq: number;
  readonly shape: Digest;
  readonly at: Instant;
}

/** `planned` is before the journal knows; the rest is where the logic may be. */
export type IntentPhase = 'intent' | 'live' | 'ended' | 'collected' | 'settled' | 'refused' | 'absent';

/** An announcement with what has become of it. */
export interface IntentState extends Omit<SubmitIntent, 'type'> {
  /** From 1 within the run. */
  readonly shard: number;
  /** The intent whose requests this second batch holds; null for an announcement of ours. */
  readonly secondOf: IntentId | null;
  readonly at: Instant;
  readonly phase: IntentPhase;
  readonly batch: BatchView | null;
  readonly error: ProviderError | null;
  /** When the provider turned the create away, and in which segment that stands. Absent: it did not. */
  readonly refusedAt?: { readonly seq: number; readonly at: Instant };
  /** When a complete listing did not have it though its input file was gone, oldest first, by the provider's clock. */
  readonly searches: readonly Instant[];
  /** The input file was deleted, so that a create which arrives late fails unpaid. */
  readonly inputGone: boolean;
  /** The last complete listing that showed no batch of it that we do not know, by the provider's clock. */
  readonly secondsSearchedAt: Instant | null;
  /** Batches that may be its own, where only results tell; null where nobody has had to look. */
  readonly candidates: Pick<CandidatesSeen, 'batches' | 'presumed'> | null;
  /** How far the provider's clock was ahead of ours at the last look that compared them; 0 within a minute. */
  readonly clockSkewMs: number;
  /** Since when the provider has said that it knows no such batch; null while it shows it. */
  readonly unseenSince: Instant | null;
  /** A person has given it up: its rows count as missing, and what it may have cost is assumed. */
  readonly lost: { readonly by: string; readonly at: Instant } | null;
  /** Each look at its result files, oldest first. */
  readonly collections: readonly {
    readonly at: Instant;
    readonly files: readonly RawFile[];
    readonly gone: readonly RawFile['kind'][];
    readonly counts: BatchView['progress'];
  }[];
  /** Since when its results cannot be had, and why; null where they could at the last look, or nobody has looked. */
  readonly downloadFailed: (Pick<DownloadFailed, 'status' | 'about'> & { readonly since: Instant }) | null;
  /** Its results will never be read any more; null while they may be. */
  readonly resultsLost: { readonly why: ResultsLost['why']; readonly at: Instant } | null;
  /** Unreadable rows that went again by themselves. */
  readonly released: readonly OrdinalRange[];
  readonly settled: SettledState | null;
  readonly cancel: { readonly why: CancelReason; readonly at: Instant } | null;
  readonly discarded: boolean;
}

export interface SettledState {
  /** The segment that settled it: answers are ordered by this. */
  readonly seq: number;
  readonly at: Instant;
  readonly outcomes: StoredFile;
  readonly summary: OutcomeSummary;
  readonly usd: number | null;
  readonly wastedUsd: number | null;
  /** What the answers were last held against. Absent: the check of the run's own recipe. */
  readonly check?: Digest | null;
  /** Absent unless a later reading has changed some outcome: since which segment, and the outcomes as they were settled. */
  readonly revised?: {
    readonly seq: number;
    readonly at: Instant;
    readonly first: StoredFile;
    /** Other outcomes that stood since then and do no more, each once. Absent: none. */
    readonly between?: readonly StoredFile[];
  };
  /** Absent: no other batch had answered any of its items. */
  readonly duplicateUsd?: number | null;
  /** How many of its looks at result files the outcomes were read from. */
  readonly collections: number;
}
