import type { BatchRow, End } from '../batch/row.ts';

const DAY_MS = 86_400_000;
/** A batch expires 24 hours after its creation. */
export const WINDOW_MS = DAY_MS;
/** Results can be had for 29 days, counted from the creation too. */
export const RESULTS_KEPT_MS = 29 * DAY_MS;

export interface AnthropicBatch extends BatchRow {
  readonly requests: number;
  /** The header `anthropic-version` of the create. */
  readonly version: string;
  readonly workspace: string;
  readonly deleted: boolean;
  readonly end: AnthropicEnd | null;
}

export interface AnthropicEnd extends End {
  /** Relative to the emulator's folder; null where a scenario lost them. */
  readonly results: { readonly path: string; readonly bytes: number } | null;
  readonly counts: ResultCounts;
}

export interface ResultCounts {
  readonly succeeded: number;
  readonly errored: number;
  readonly canceled: number;
  readonly expired: number;
}
