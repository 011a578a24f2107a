import type { AccountId, Digest, Instant, IntentId, JobName } from '../ids.ts';
import type { Estimate, Manifest, StoredFile } from '../manifest/manifest.ts';
import type { Price } from '../manifest/price.ts';
import type { OutcomeClass, OutcomeSummary } from '../outcome/outcome.ts';
import type { Job, RunDefinition } from '../spec/job.ts';
import type { BatchView, ProviderError } from './batch.ts';
import type { CancelReason, OrdinalRange, RawFile, ShardKind, SourceFiles } from './events.ts';

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

export interface RunState {
  readonly job: JobName;
  readonly run: number;
  readonly generation: number;
  readonly account: AccountId;
  readonly emulator: boolean;
  readonly manifest: Manifest;
  readonly estimate: Estimate;
  readonly price: Price | null;
  readonly spec: Job;
  readonly recipe: StoredFile;
  readonly reason: string;
  readonly commit: string | null;
  readonly dirty: boolean;
  readonly frozenAt: Instant;
  /** In the order of their announcement; the place in this list is the shard's number, from 1. */
  readonly intents: readonly IntentId[];
  /** By sink (`<kind>:<path>`): the last proof. */
  readonly applied: Readonly<Record<string, AppliedState>>;
  /** Each time a person asked for another round: attempts settled before `seq` in these classes count no more. */
  readonly pardons: readonly { readonly seq: number; readonly classes: readonly OutcomeClass[] }[];
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

export interface IntentState {
  readonly intent: IntentId;
  readonly job: JobName;
  readonly run: number;
  /** From 1 within the run. */
  readonly shard: number;
  readonly kind: ShardKind;
  readonly ordinals: readonly OrdinalRange[];
  readonly count: number;
  readonly account: AccountId;
  readonly fileId: string;
  readonly wire: { readonly digest: Digest; readonly bytes: number };
  readonly reservedUsd: number | null;
  readonly notAfter: Instant;
  readonly maxTokens: number | null;
  readonly at: Instant;
  readonly phase: IntentPhase;
  readonly batch: BatchView | null;
  readonly error: ProviderError | null;
  /** When a complete listing did not have it, oldest first. */
  readonly searches: readonly Instant[];
  /** Each complete download, oldest first. */
  readonly collections: readonly { readonly at: Instant; readonly files: readonly RawFile[] }[];
  readonly lookAgainAt: Instant | null;
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
}
