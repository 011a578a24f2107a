import type { AnyCallFault } from '../faults.ts';
import type { Phases } from '../scenario.ts';

/**
 * A batch as the emulator keeps it, whatever provider's it is; a face adds its own fields. Times in milliseconds, as
 * everywhere inside. What can be computed from the clock is not in it.
 */
export interface BatchRow {
  readonly id: string;
  /** 1 for the first of its provider; 0 for one that somebody else made. */
  readonly number: number;
  /** Somebody else's, as a scenario has it: the caller is not charged for it. */
  readonly foreign?: boolean;
  readonly createdAt: number;
  /** From creation; what has not run by then never will. */
  readonly windowMs: number;
  /** Relative to the emulator's folder; null where there was no such file when the batch was created. */
  readonly inputPath: string | null;
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

/** Why a whole batch is not run. */
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

/** How a batch ended; a face adds where its results are. */
export interface End {
  readonly status: EndStatus;
  /** Requests that ran, the first so many of the run log. */
  readonly ran: RunTotals | null;
}

export type EndStatus = 'completed' | 'failed' | 'expired' | 'cancelled';
