import type { AccountId, Digest, Instant, IntentId, JobName } from '../ids.ts';
import type { Estimate, Manifest, StoredFile } from '../manifest/manifest.ts';
import type { Price } from '../manifest/price.ts';
import type { Disposition } from '../outcome/disposition.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';
import type { Job, RunDefinition } from '../spec/job.ts';
import type { BatchView, ProviderError } from './batch.ts';
import type { JobEvent } from './job-events.ts';
import type { OrdinalRange, ResultEvent } from './result-events.ts';
import type { SearchEvent } from './search-events.ts';
import type { TryAnswered, TryIntent } from './try-events.ts';

export type * from './job-events.ts';
export type * from './result-events.ts';
export type * from './search-events.ts';
export type * from './try-events.ts';

/**
 * Everything the journal can say. A segment is one atomic group of such lines.
 * Events are facts in the past tense or intents; none is ever changed or removed.
 */
export type JournalEvent =
  | GenerationObserved
  | RunFrozen
  | SubmitIntent
  | SubmitAccepted
  | SubmitRefused
  | SubmitAbsent
  | SearchEvent
  | BatchObserved
  | ResultEvent
  | Applied
  | RemoteDiscarded
  | CancelAsked
  | RetryAsked
  | JobEvent
  | TryIntent
  | TryAnswered
  | RunDropped;

/** What the source files were when a generation was seen; the paths are from the root. */
export interface SourceFiles {
  readonly digest: Digest;
  readonly files: number;
  readonly bytes: number;
}

/** A run-defining version of a job that the journal had not seen. Counts from 1 within a job. */
export interface GenerationObserved {
  readonly type: 'generation.observed';
  readonly job: JobName;
  readonly generation: number;
  readonly digest: Digest;
  readonly defines: RunDefinition;
  readonly source: SourceFiles;
  readonly commit: string | null;
}

/** A generation put to work: from here on the run reads nothing but what this event names. */
export interface RunFrozen {
  readonly type: 'run.frozen';
  readonly job: JobName;
  readonly run: number;
  readonly generation: number;
  readonly account: AccountId;
  readonly emulator: boolean;
  readonly manifest: Manifest;
  readonly estimate: Estimate;
  /** What settled usage is priced at; null: unknown. */
  readonly price: Price | null;
  /** The job as it was; operational fields are read from git while the run is current. */
  readonly spec: Job;
  /** Prompts and schema as stored files, so that a diff with a later run needs no git. */
  readonly recipe: StoredFile;
  /** Of the part of the schema that answers are held against; null for free text. Absent: written before it was kept. */
  readonly check?: Digest | null;
  readonly reason: string;
  readonly commit: string | null;
  /** True where the work tree had changes that no commit holds. */
  readonly dirty: boolean;
}

export type ShardKind = 'canary' | 'first' | 'retry';

/** The durable announcement of a paid effect. After `notAfter` it must not be carried out. */
export interface SubmitIntent {
  readonly type: 'submit.intent';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly run: number;
  readonly kind: ShardKind;
  readonly ordinals: readonly OrdinalRange[];
  readonly count: number;
  readonly account: AccountId;
  /** Null where the requests travel in the create itself. */
  readonly fileId: string | null;
  readonly wire: { readonly digest: Digest; readonly bytes: number };
  readonly reservedUsd: number | null;
  readonly notAfter: Instant;
  /** The raised token cap of a retry of truncated items, else null. */
  readonly maxTokens: number | null;
  /** Asked row by row through the synchronous API, at its price. Absent: one batch. */
  readonly via?: 'live';
}

export interface SubmitAccepted {
  readonly type: 'submit.accepted';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly batch: BatchView;
  /** How we know: the create call's own answer, or found later at the provider. */
  readonly how: 'answered' | 'adopted';
}

export interface SubmitRefused {
  readonly type: 'submit.refused';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly error: ProviderError;
}

/** The provider provably does not have it: its items may be sent again under another intent. */
export interface SubmitAbsent {
  readonly type: 'submit.absent';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly proof: string;
}

/** Written when the state changed, not at each look. */
export interface BatchObserved {
  readonly type: 'batch.observed';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly batch: BatchView;
  /** How far the provider's clock was ahead of ours; 0 within a minute. Absent: not compared, or not news. */
  readonly clockSkewMs?: number;
}

/** The proof that a sink holds the answers of everything settled up to `throughSeq`. */
export interface Applied {
  readonly type: 'applied';
  readonly job: JobName;
  readonly run: number;
  /** `<kind>:<path>` */
  readonly sink: string;
  readonly path: string;
  readonly digest: Digest;
  readonly bytes: number;
  readonly rows: number;
  readonly throughSeq: number;
  /** Of what the file's columns and kept rows depend on besides the answers. */
  readonly shape: Digest;
}

export interface RemoteDiscarded {
  readonly type: 'remote.discarded';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly files: number;
  /** True: its results stay, since not all of them were read. */
  readonly inputOnly: boolean;
}

/** The batch shall end. Written before the provider is asked, which is asked until the batch shows it. */
export interface CancelAsked {
  readonly type: 'cancel.asked';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly why: CancelReason;
}

/**
 * `person`: its items wait for a person. `second`: another batch has them. The others: they are sent again by
 * themselves, while git has the job.
 */
export type CancelReason = 'person' | 'deadline' | 'stuck' | 'withdrawn' | 'second';

/** A person wants items of these classes tried again, from the first try on. */
export interface RetryAsked {
  readonly type: 'retry.asked';
  readonly job: JobName;
  readonly run: number;
  readonly classes: readonly OutcomeClass[];
  readonly by: string;
}

/** A run's files are kept no longer: nothing that stands now comes from them. What was bought and spent stays said. */
export interface RunDropped {
  readonly type: 'run.dropped';
  readonly job: JobName;
  readonly run: number;
  readonly files: number;
  readonly bytes: number;
  /** Its books as they were. */
  readonly dispositions: Readonly<Partial<Record<Disposition, number>>>;
}

/** First line of a segment. `lineage` is chosen once, in segment 1; `previous` chains the digests. */
export interface SegmentHeader {
  readonly type: 'segment';
  readonly format: 1;
  readonly seq: number;
  readonly lineage: string;
  readonly previous: Digest | null;
  readonly nonce: string;
  readonly writer: string;
  readonly at: Instant;
  readonly commit: string | null;
}
