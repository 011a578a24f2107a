import type { AnyCallFault } from '../faults.ts';
import type { Phases } from '../scenario.ts';

/** Endpoints whose batches the emulator can answer. */
export const ENDPOINTS = ['/v1/responses', '/v1/chat/completions'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** A file as the emulator keeps it; times in milliseconds, as everywhere inside. */
export interface FileRow {
  readonly id: string;
  readonly filename: string;
  readonly purpose: string;
  /** May be less than the file on disk holds. */
  readonly bytes: number;
  /** Relative to the emulator's folder. */
  readonly path: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly deleted: boolean;
  /** Number of the batch that it is a result of; null for an upload. */
  readonly batch: number | null;
}

/** A batch as the emulator keeps it. What can be computed from the clock is not in it. */
export interface BatchRow {
  readonly id: string;
  /** 1 for the first. */
  readonly number: number;
  readonly createdAt: number;
  readonly endpoint: Endpoint;
  readonly inputFileId: string;
  /** Null where there was no such file when the batch was created. */
  readonly inputPath: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly outputKeptMs: number;
  readonly phases: Phases;
  readonly fault: AnyCallFault;
  /** Null until validation is over. */
  readonly verdict: Verdict | null;
  readonly cancelAt: number | null;
  /** `cancelling` has been shown to somebody. */
  readonly cancelSeen: boolean;
  /** Null until the batch has come to its end and its files are written. */
  readonly end: End | null;
}

export type Verdict =
  | { readonly kind: 'invalid'; readonly at: number; readonly errors: readonly BatchError[] }
  | { readonly kind: 'valid'; readonly at: number; readonly run: RunTotals };

/** As in `errors.data` of a batch. */
export interface BatchError {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** 1-based. */
  readonly line: number | null;
}

/** What the requests of a batch came to, or the first so many of them. */
export interface RunTotals {
  /** The served model. */
  readonly model: string;
  readonly requests: number;
  readonly completed: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Bytes of their lines in the result files. */
  readonly outputBytes: number;
  readonly errorBytes: number;
}

export interface End {
  readonly status: 'completed' | 'failed' | 'expired' | 'cancelled';
  /** Requests that ran, the first so many of the run log. */
  readonly ran: RunTotals | null;
  readonly outputFileId: string | null;
  /** `''` where a scenario wants it so. */
  readonly errorFileId: string | null;
}
