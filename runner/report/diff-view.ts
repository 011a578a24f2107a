import type { Instant, JobName, Json } from '../ids.ts';

/** Two runs of a job side by side: what was asked otherwise, and what came out otherwise. */
export interface DiffView {
  readonly job: JobName;
  readonly before: DiffedRun;
  readonly after: DiffedRun;
  readonly recipe: readonly PartChange[];
  readonly answers: AnswerDiff;
}

export interface DiffedRun {
  readonly run: number;
  readonly generation: number;
  readonly reason: string;
  readonly model: string;
  readonly frozenAt: Instant;
  readonly items: number;
  readonly settledUsd: number | null;
}

/** A part of what a run is made of that is not the same in both. */
export interface PartChange {
  readonly part: 'model' | 'prompt' | 'schema' | 'output' | 'input' | 'source files' | 'account';
  /** Digests or names of the part as a whole; null where a run has none. */
  readonly before: string | null;
  readonly after: string | null;
  readonly fields: readonly FieldChange[];
  readonly texts: readonly TextChange[];
}

/** A value inside the part, by JSON pointer; undefined where a side does not have it. */
export interface FieldChange {
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** A prompt file: lines that only one side has. A line that was moved counts for nothing. */
export interface TextChange {
  readonly role: string;
  /** Paths and digests; null where a side has no such file. */
  readonly before: { readonly path: string; readonly digest: string } | null;
  readonly after: { readonly path: string; readonly digest: string } | null;
  readonly linesGone: number;
  readonly linesNew: number;
}

export interface AnswerDiff {
  /** Keys answered in both runs, and how many of those answers differ. */
  readonly both: number;
  readonly changed: number;
  readonly onlyBefore: number;
  /** Of `onlyBefore`: keys that the other run's manifest does not have. */
  readonly onlyBeforeGone: number;
  readonly onlyAfter: number;
  readonly onlyAfterGone: number;
  readonly properties: readonly PropertyDiff[];
  /** The first of the changed ones. */
  readonly rows: readonly RowDiff[];
}

export interface PropertyDiff {
  readonly property: string;
  readonly changed: number;
  /** The most frequent ones, for properties with few values; JSON text, null where an answer has none. */
  readonly moves: readonly {
    readonly before: string | null;
    readonly after: string | null;
    readonly count: number;
  }[];
}

export interface RowDiff {
  readonly key: string;
  /** Whole answers as JSON text. */
  readonly before: string;
  readonly after: string;
}
