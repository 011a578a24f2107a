import type { Instant, IntentId } from '../ids.ts';

export const BATCH_STATES = [
  'created',
  'validating',
  'submitted',
  'running',
  'finalizing',
  'completed',
  'failed',
  'expired',
  'cancelling',
  'cancelled',
  'unknown',
] as const;
/** A provider's states in our common words. `unknown` is loud and never terminal. */
export type BatchState = (typeof BATCH_STATES)[number];

const TERMINAL: ReadonlySet<BatchState> = new Set(['completed', 'failed', 'expired', 'cancelled']);

export function isTerminal(state: BatchState): boolean {
  return TERMINAL.has(state);
}

/** A provider's batch in our words. */
export interface BatchView {
  readonly id: string;
  readonly state: BatchState;
  /** As the provider wrote it. */
  readonly providerState: string;
  readonly intent: IntentId | null;
  readonly inputFileId: string | null;
  /** Empty strings of providers are null here. */
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
  readonly createdAt: Instant;
  readonly startedAt: Instant | null;
  readonly finalizingAt: Instant | null;
  readonly endedAt: Instant | null;
  readonly expiresAt: Instant | null;
  /** The provider's counts; they need not add up. Null unless all of them were there: what is not said proves nothing. */
  readonly progress: { readonly total: number; readonly done: number; readonly failed: number } | null;
  /** Why the whole batch failed validation. `line` is 1-based in the uploaded file. */
  readonly errors: readonly {
    readonly code: string | null;
    readonly message: string;
    readonly line: number | null;
    /** Each adapter knows its provider's codes. */
    readonly about?: Exclude<ProviderError['about'], 'network'>;
  }[];
  /** The provider's clock when it answered. */
  readonly serverNow: Instant | null;
}

export interface ProviderError {
  readonly status: number | null;
  readonly code: string | null;
  readonly message: string;
  /** What it is about: decides whether to come back, shrink, pause the account, or give up. */
  readonly about: 'request' | 'account' | 'capacity' | 'server' | 'network';
  readonly retryAfterMs: number | null;
}
