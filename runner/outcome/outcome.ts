import type { WireId } from '../ids.ts';

/** What became of an attempt: exactly one of these. `docs/architecture.md` says when and what follows. */
export const OUTCOME_CLASSES = [
  'ok',
  'invalid_output',
  'truncated',
  'unknown_stop',
  'invalid_request',
  'rate_or_capacity',
  'account',
  'expired',
  'cancelled',
  'refused',
  'provider_error',
  'missing',
  'unreadable',
  'lost',
  'conflict',
  'duplicate',
  'late',
] as const;
export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

/**
 * Tokens as the provider counted them. Cached tokens, cache writes and reasoning tokens are parts of input and output;
 * a provider that counts them apart has them added by its `decode`.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Input that was written to the provider's cache, at a price of its own. */
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
}

/** One line of a provider's result file in neutral words; each provider's `decode` makes these. */
export interface Reply {
  /** The provider's echo of our id; null where the line has none or is not readable. */
  readonly wireId: WireId | string | null;
  readonly result: ReplyResult;
}

export type ReplyResult =
  | {
      readonly kind: 'answer';
      /** What each message says, its parts joined: parts belong together, messages do not. Mostly one; none where it said nothing. */
      readonly texts: readonly string[];
      readonly refusal: string | null;
      /** Why the model stopped, in neutral words; `providerReason` as the provider wrote it. */
      readonly stop: 'complete' | 'token_cap' | 'context_window' | 'language' | 'filter' | 'tool' | 'unknown';
      readonly providerReason: string;
      readonly servedModel: string | null;
      readonly responseId: string | null;
      readonly usage: Usage | null;
    }
  | {
      readonly kind: 'error';
      /** HTTP status of the request inside the batch; null where it never became one. */
      readonly status: number | null;
      readonly code: string | null;
      readonly message: string;
      readonly usage: Usage | null;
      /** The provider's own word for "never ran": these two are not errors of the request. */
      readonly unrun: 'expired' | 'cancelled' | null;
      /** Provider says money, spend limit, credentials: nothing about the item. */
      readonly about: 'request' | 'account' | 'capacity' | 'content' | 'server';
    }
  | { readonly kind: 'malformed'; readonly detail: string };

/** A classified attempt, as it stands in an outcomes file. */
export interface Outcome {
  readonly ordinal: number;
  readonly class: OutcomeClass;
  /** The cause in few words, the same for the same cause: reports group by it. */
  readonly cause: string;
  /** The provider's or validator's words, cut at 500 characters. */
  readonly detail: string | null;
  /** The accepted answer as JSON text (a JSON string for free text); null unless `ok`, or `late` and still of use. */
  readonly answer: string | null;
  /** What the model said where that is no accepted answer, cut at 2,000 characters; null for `ok`. */
  readonly said: string | null;
  readonly usage: Usage | null;
  readonly servedModel: string | null;
  readonly responseId: string | null;
}

/**
 * The columns of an outcomes file (Parquet). Published: people query them.
 * ordinal INTEGER · class VARCHAR · cause VARCHAR · detail VARCHAR · answer VARCHAR · said VARCHAR ·
 * input_tokens, output_tokens, cached_tokens, reasoning_tokens INTEGER · model VARCHAR · response_id VARCHAR ·
 * cache_write_tokens INTEGER (absent in files of earlier versions)
 */
export const OUTCOME_COLUMNS = [
  'ordinal',
  'class',
  'cause',
  'detail',
  'answer',
  'said',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'model',
  'response_id',
  'cache_write_tokens',
] as const;

/** What an outcomes file adds up to; goes into the journal with it. */
export interface OutcomeSummary {
  readonly counts: Readonly<Partial<Record<OutcomeClass, number>>>;
  /** Sums over all lines that carried usage. */
  readonly usage: Usage;
  /** Lines without usage whose class may have been billed. */
  readonly withoutUsage: number;
  /** By served model as the provider named it; `unknown` where it did not. */
  readonly models: Readonly<Record<string, number>>;
  readonly lines: LinesRead;
}

/** What the lines were in the files of the last look at a batch. */
export interface LinesRead {
  /** Distinct items of the batch that a line names. */
  readonly own: number;
  /** Lines under an id that is not of this batch. */
  readonly foreign: number;
  /** Lines without an id, that are no JSON, or no text. */
  readonly unparsed: number;
}
