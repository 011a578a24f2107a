import type { Digest, JobName, JsonObject } from '../ids.ts';

/**
 * A job as code uses it: every default filled in, every unit in its name.
 * What people write is `WrittenJob` (generated from the JSON Schema); `load.ts` alone turns one into the other.
 */
export interface Job {
  readonly name: JobName;
  /** From the repository's root, with forward slashes. Not part of the job's identity. */
  readonly file: string;
  readonly owner: string;
  readonly description: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly task: Task;
  readonly sla: SlaSpec;
  readonly priority: 'low' | 'normal' | 'high';
  readonly model: ModelSpec;
  readonly input: InputSpec;
  readonly prompt: PromptSpec;
  readonly output: OutputSpec;
  readonly sinks: readonly SinkSpec[];
  readonly budget: BudgetSpec;
  readonly canary: CanarySpec | null;
  readonly shard: { readonly maxItems: number | null; readonly maxInFlight: number };
  readonly retry: RetrySpec;
  readonly suspend: { readonly reason: string; readonly until: string | null } | null;
  readonly movedFrom: JobName | null;
}

export interface SlaSpec {
  readonly class: 'offline';
  /** From freezing to applying. */
  readonly deadlineMs: number;
  readonly onDeadline: LatePolicy;
  /** From a batch's creation. */
  readonly stuckAfterMs: number;
  readonly onStuck: LatePolicy;
}

/** `cancel_and_resubmit` sends items again only after the provider has confirmed that the first batch has ended. */
export type LatePolicy = 'wait' | 'cancel_and_resubmit';

export type Task = 'classification' | 'extraction' | 'generation' | 'embedding';

/** The last two are Gemini's. */
export const ENDPOINTS = [
  '/v1/responses',
  '/v1/chat/completions',
  '/v1/embeddings',
  '/v1/moderations',
  '/v1/messages',
  'generateContent',
  'embedContent',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** Neutral parameters; `null` means "not sent", so that the provider's own default holds. */
export interface ModelSpec {
  /** A name under `providers` in the settings; `openai` needs no settings. */
  readonly provider: string;
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly temperature: number | null;
  readonly reasoning: 'none' | 'minimal' | 'low' | 'medium' | 'high' | null;
  readonly seed: number | null;
  /** The provider's own fields, merged into each request body over the neutral ones. */
  readonly raw: JsonObject;
}

export interface InputSpec {
  /** Paths or globs from the root. */
  readonly files: readonly string[];
  /** One SELECT over the view `input`; null means every row of the files. */
  readonly sql: string | null;
  /** Columns that together are the business key. */
  readonly key: readonly string[];
  readonly itemType: string;
  /** Columns copied to the sinks. */
  readonly pass: readonly string[];
  readonly onBadRow: 'stop' | 'set_aside';
  readonly refresh: 'on_change' | 'once' | 'manual';
  /** A column of this name is added, holding the path of each row's file. */
  readonly filenameColumn: string | null;
}

/** Paths below `prompts/`. */
export interface PromptSpec {
  readonly system: string | null;
  readonly user: string;
}

export type OutputSpec =
  /** `schema`: a path below `schemas/`. */
  | { readonly kind: 'json'; readonly schema: string; readonly maxTokens: number }
  | { readonly kind: 'text'; readonly maxTokens: number }
  /** A list of numbers. `dimensions`: how many; null means "not sent", so that the model's own number holds. */
  | { readonly kind: 'embedding'; readonly dimensions: number | null; readonly maxTokens: 0 }
  /** Whether a text is flagged, and for what. Neither of these two is made of tokens. */
  | { readonly kind: 'moderation'; readonly maxTokens: 0 };

export interface SinkSpec {
  readonly kind: 'parquet' | 'jsonl' | 'csv';
  /** From the root. */
  readonly path: string;
  /**
   * Rows whose key is gone from the input: kept from the last run that answered them, the same with the run since which
   * they are gone, or deleted.
   */
  readonly onRemoved: 'keep' | 'mark' | 'delete';
}

/** `null` means "as the settings say". */
export interface BudgetSpec {
  readonly perRunUsd: number | null;
  readonly perMonthUsd: number | null;
  readonly maxItems: number | null;
  readonly approveAboveUsd: number | null;
}

export interface CanarySpec {
  readonly items: number;
  /** Share of the canary's items, 0 to 1, that must be `ok` before the rest is sent. */
  readonly minValid: number;
  /** `live`: through the synchronous API, at its price. Absent: written before there was a choice, so by batch. */
  readonly via?: 'batch' | 'live';
}

export interface RetrySpec {
  /** Tries of one item in one run, the first included. */
  readonly maxAttempts: number;
  /** Further tries after an answer that breaks the schema. */
  readonly invalidOutput: number;
  /** The higher token cap for one more try of a truncated answer; null means: held at once. */
  readonly truncatedMaxTokens: number | null;
  /** Up to this share of a batch's rows, and at least one, goes again once where only their results cannot be read; 0: none. */
  readonly unreadableShare: number;
}

/** A text file of the repository, read once, line ends as they stand in the file. */
export interface TextFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly digest: Digest;
}

/** A job with everything that git says about it; pure code needs nothing else from the work tree. */
export interface LoadedJob {
  readonly job: Job;
  readonly prompts: {
    readonly system: TextFile | null;
    readonly user: TextFile;
    readonly partials: Readonly<Record<string, TextFile>>;
  };
  readonly schema: { readonly file: TextFile; readonly value: JsonObject; readonly sent: JsonObject } | null;
  /** Digests of what defines a run, one a component, so that a plan can name what changed. */
  readonly defines: RunDefinition;
}

/** What a generation is made of, apart from the source files (`null` until they were digested). */
export interface RunDefinition {
  readonly model: Digest;
  readonly prompt: Digest;
  /** The schema as it travels in the request. */
  readonly schema: Digest | null;
  /** The input section: sql, key, item type, what happens to a bad row. Not `pass`: it never reaches a request. */
  readonly input: Digest;
  readonly output: Digest;
}
