import type { Instant, IntentId, JobName } from '../ids.ts';
import type { CancelReason, ShardKind } from '../journal/events.ts';
import type { Estimate } from '../manifest/manifest.ts';
import type { LoadedJob } from '../spec/job.ts';

/** One thing that a pass would do. Tagged; each tag has only its own data. */
export type Action =
  /** Ask the provider to end a batch. */
  | { readonly kind: 'cancel'; readonly job: JobName; readonly intent: IntentId; readonly why: CancelReason }
  /** Note that git has the job no more; its batches are ended later. `batches`: how many are under way. */
  | { readonly kind: 'withdraw'; readonly job: JobName; readonly commit: string; readonly batches: number }
  /** Git has the job again. */
  | { readonly kind: 'restore'; readonly job: JobName }
  /** Freeze the job's current generation into a run. `forcedBy`: the fields whose change made it necessary. */
  | {
      readonly kind: 'new_run';
      readonly job: JobName;
      readonly run: number;
      readonly generation: number;
      readonly reason: string;
      readonly forcedBy: readonly string[];
      readonly loaded: LoadedJob;
    }
  /** Hold answers that are there against the schema as it is now; asks nothing. */
  | {
      readonly kind: 'revalidate';
      readonly job: JobName;
      readonly intents: readonly IntentId[];
      readonly answers: number;
    }
  /** Send items of a frozen run. */
  | {
      readonly kind: 'submit';
      readonly job: JobName;
      readonly run: number;
      readonly shard: ShardKind;
      readonly items: number;
      readonly reason: string;
      /** One small batch that only asks whether the account takes any. Absent: as many as there are. */
      readonly probe?: true;
    }
  | {
      readonly kind: 'apply';
      readonly job: JobName;
      readonly run: number;
      readonly sink: string;
      readonly reason: string;
    }
  /** Delete at the provider what it holds of a batch. `inputOnly`: its results stay, since not all of them were read. */
  | {
      readonly kind: 'discard';
      readonly job: JobName;
      readonly intent: IntentId;
      readonly files: number;
      readonly inputOnly: boolean;
    };

export type Cancel = Extract<Action, { kind: 'cancel' }>;
export type NewRun = Extract<Action, { kind: 'new_run' }>;
export type Revalidate = Extract<Action, { kind: 'revalidate' }>;
export type Submit = Extract<Action, { kind: 'submit' }>;
export type Apply = Extract<Action, { kind: 'apply' }>;
export type Discard = Extract<Action, { kind: 'discard' }>;

/** A job that a pass would leave as it is, and why. */
export interface Rest {
  readonly job: JobName;
  readonly kind: 'idle' | 'in_flight' | 'blocked' | 'suspended' | 'waiting';
  /** CamelCase where a person must act; the condition's reason. */
  readonly reason: string;
  readonly message: string;
  readonly next: string | null;
  /** When it goes on by itself. Absent: nobody can tell, or never. */
  readonly until?: Instant;
}

export interface Plan {
  readonly actions: readonly Action[];
  readonly rests: readonly Rest[];
}

/** What a new run would send, from a draft manifest; the gate reads it before anything is frozen. */
export interface NewRunSize {
  readonly requests: number;
  readonly reused: number;
  readonly setAside: number;
  /** Rows of the run before that the input has no more, by their keys; none where the key is another. */
  readonly gone: { readonly rows: number; readonly of: number };
  /** What it would put into the store: its manifest, and what its answers are expected to take. */
  readonly fileBytes: number;
  readonly estimate: Estimate;
}
