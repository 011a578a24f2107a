import type { AccountId, Digest, Instant, JobName } from '../ids.ts';
import type { BatchState } from '../journal/batch.ts';
import type { Estimate } from '../manifest/manifest.ts';
import type { Disposition } from '../outcome/disposition.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';
import type { Task } from '../spec/job.ts';

/**
 * A job's report as a value. Everything in it comes from git, journal and ledger, nothing from the moment of
 * writing: the same content gives the same bytes. Renderers (`markdown.ts`, `terminal.ts`, `json.ts`) only lay it out.
 * Strings from rows, answers and names are hostile until a renderer has escaped them.
 */
export interface JobReport {
  readonly job: JobName;
  readonly file: string;
  readonly owner: string;
  readonly description: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly phase: Phase;
  readonly conditions: readonly Condition[];
  /** Null before the first run is frozen; then `waits` says what it waits for. */
  readonly run: RunReport | null;
  readonly waits: readonly Wait[];
  /** The ten runs before the current one, newest first. */
  readonly history: readonly PastRun[];
  /** Where the journal stood; needed before the first run too, when there is no provenance to hold it. */
  readonly journal?: JournalMark | null;
}

/** The tripwire in `status.json`: a store whose journal is older than this is not trusted. */
export interface JournalMark {
  readonly lineage: string;
  readonly seq: number;
  readonly head: Digest | null;
}

export const PHASES = [
  'planned',
  'awaiting approval',
  'canary',
  'sent',
  'collecting',
  'partly done',
  'complete',
  'complete with failures',
  'stalled',
  'suspended',
] as const;
export type Phase = (typeof PHASES)[number];

export const CONDITIONS = [
  'Ready',
  'Validated',
  'Approved',
  'Reconciling',
  'Stalled',
  'Suspended',
  'Balanced',
] as const;

/** In the manner of Kubernetes. `since` is the time of the journal entry that made it so. */
export interface Condition {
  readonly type: (typeof CONDITIONS)[number];
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly generation: number | null;
  readonly since: Instant | null;
}

/** Something that is not done yet, and what it waits for. `command`: what a person can do about it, if anything. */
export interface Wait {
  readonly what: string;
  readonly waitsFor: string;
  readonly until: Instant | null;
  readonly command: string | null;
}

export interface RunReport {
  readonly run: number;
  readonly generation: number;
  /** Why there is this run: `new job`, `prompt changed (user.hbs)` … */
  readonly reason: string;
  readonly task: Task;
  readonly emulator: boolean;
  readonly books: Books;
  readonly needs: readonly Need[];
  /** What came back so that nothing more of the run is sent before a person acts; null where nothing did. */
  readonly stop: RunStop | null;
  /** What came back of a canary that has not passed, or of the batch that stopped the run; null where there is none. */
  readonly cameBack: CameBack | null;
  readonly answers: AnswerReport | null;
  readonly sample: readonly SampleRow[];
  readonly canary: {
    readonly items: number;
    readonly ok: number;
    readonly judged: boolean;
    readonly passed: boolean;
  } | null;
  readonly askedModel: string;
  readonly servedModels: Readonly<Record<string, number>>;
  readonly money: Money;
  readonly time: RunTimes;
  readonly shards: readonly ShardReport[];
  readonly sinks: readonly {
    readonly kind: string;
    readonly path: string;
    readonly rows: number;
    readonly digest: Digest;
  }[];
  readonly provenance: Provenance;
}

export interface Books {
  readonly items: number;
  /** Only those that are not zero. */
  readonly dispositions: Readonly<Partial<Record<Disposition, number>>>;
  readonly balanced: boolean;
  readonly attempts: number;
  readonly batches: number;
  /** First try, second try …: how many attempts, and how many of them ended `ok`. */
  readonly rounds: readonly { readonly attempts: number; readonly ok: number }[];
}

export interface RunStop {
  /** CamelCase: the condition's reason. */
  readonly reason: string;
  readonly message: string;
  readonly next: string;
  readonly since: Instant | null;
}

/** Attempts that brought no answer, by cause, and one of them for a reader. */
export interface CameBack {
  readonly kind: 'canary' | 'batch';
  readonly causes: readonly {
    readonly class: OutcomeClass;
    readonly cause: string;
    readonly attempts: number;
  }[];
  /** Null where the settings keep keys or samples out of pages: what was said may quote the row. */
  readonly example: {
    readonly key: string;
    /** The provider's or the validator's words. */
    readonly detail: string | null;
    /** What the model said. */
    readonly said: string | null;
  } | null;
}

/** Rows that ended in one class for one cause and that no pass will mend by itself. */
export interface Need {
  readonly rows: number;
  readonly class: OutcomeClass | 'set_aside';
  readonly cause: string;
  /** How many of `rows` have this top cause. */
  readonly causeRows: number;
  /** Up to three keys; hashed where the settings say so. */
  readonly examples: readonly string[];
  readonly next: string;
}

/** How the answers fall, for each property of the schema whose values are few (enum, boolean). */
export interface AnswerReport {
  readonly fields: readonly {
    readonly name: string;
    readonly values: readonly {
      readonly value: string;
      readonly count: number;
      readonly before: number | null;
    }[];
  }[];
  /** The run compared with, or null where there is none with answers. */
  readonly before: {
    readonly run: number;
    readonly keysInBoth: number;
    readonly changed: number;
    readonly topMove: {
      readonly field: string;
      readonly from: string;
      readonly to: string;
      readonly count: number;
    } | null;
  } | null;
}

/** One answered row for a reader: chosen by hash, so that the same run shows the same rows. */
export interface SampleRow {
  readonly key: string;
  /** Property by property in the schema's order, as text; free text under the name `answer`. */
  readonly values: readonly (readonly [name: string, text: string])[];
}

/** USD at the batch price unless said; null is "unknown", never zero. */
export interface Money {
  readonly estimate: Estimate;
  readonly settledUsd: number | null;
  readonly settledInputTokens: number;
  readonly settledOutputTokens: number;
  readonly cachedTokens: number;
  /** For rows that may have been billed and of whose usage nobody will be told: at their limit. */
  readonly assumedUsd: number | null;
  /** Held by intents that are not settled, and by rows whose results may be read yet. */
  readonly reservedUsd: number | null;
  /** The same work at the synchronous price. */
  readonly synchronousUsd: number | null;
  /** Part of the settled money that bought no applied row. */
  readonly wastedUsd: number | null;
  /** Part of the wasted money that went for rows which another batch had answered. Absent: no batch was made twice. */
  readonly duplicateUsd?: number | null;
  readonly perThousandAppliedUsd: number | null;
  readonly perRunUsd: number | null;
  /** `monthUsd`: settled and assumed. */
  readonly owner: { readonly monthUsd: number; readonly ofUsd: number | null };
  /** Attempts without usage figures whose cost cannot be known. */
  readonly unknownCost: number;
}

export interface RunTimes {
  readonly frozenAt: Instant;
  readonly canarySentAt: Instant | null;
  readonly canaryDoneAt: Instant | null;
  readonly sentAt: Instant | null;
  readonly lastSettledAt: Instant | null;
  readonly appliedAt: Instant | null;
  readonly deadlineAt: Instant;
}

export interface ShardReport {
  readonly shard: number;
  readonly kind: 'canary' | 'first' | 'retry';
  /** The shard whose rows this batch holds too, which nobody announced. Absent or null: one of ours. */
  readonly secondOf?: number | null;
  readonly batchId: string | null;
  readonly rows: number;
  /** `submitting` while an intent has no receipt; `settled` once its outcomes are in the books. */
  readonly state: BatchState | 'submitting' | 'refused' | 'absent' | 'settled';
  /** Rows that a model has answered: the provider's own count while it runs, ours once settled. */
  readonly done: number;
  readonly ok: number | null;
  readonly failed: number | null;
  readonly queuedMs: number | null;
  readonly ranMs: number | null;
  readonly createdAt: Instant | null;
  readonly expiresAt: Instant | null;
  readonly usd: number | null;
  /** Why it was refused or failed, in the provider's words. */
  readonly error: string | null;
}

export interface Provenance {
  readonly commit: string | null;
  readonly dirty: boolean;
  readonly prompt: Digest;
  readonly schema: Digest | null;
  readonly source: Digest;
  readonly manifest: Digest;
  readonly journalSeq: number;
  readonly journalHead: Digest;
  readonly lineage: string;
  readonly account: AccountId;
  readonly remoteFilesDeleted: number;
  readonly remoteFiles: number;
}

export interface PastRun {
  readonly run: number;
  readonly generation: number;
  readonly reason: string;
  readonly items: number;
  readonly dispositions: Readonly<Partial<Record<Disposition, number>>>;
  readonly settledUsd: number | null;
  readonly frozenAt: Instant;
  /** When its answers were first all in their sinks; tells how long such runs take. */
  readonly appliedAt?: Instant | null;
}

/** All jobs on one page: `state/README.md`. */
export interface FleetReport {
  readonly jobs: readonly JobReport[];
  /** Files under `jobs/` that could not be read as a job. */
  readonly broken: readonly { readonly file: string; readonly message: string }[];
}
