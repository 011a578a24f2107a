import type { RetrySpec } from '../spec/job.ts';
import type { Decision } from './disposition.ts';
import type { OutcomeClass } from './outcome.ts';

/** How often an item of a run was tried, by what counts against which limit. */
export interface Tries {
  /** Closed attempts that count: all but `rate_or_capacity` and `account`. */
  readonly used: number;
  readonly invalidOutput: number;
  readonly truncated: number;
  /** The last attempt ended because we cancelled its batch, as the job's policy says. */
  readonly cancelledByUs: boolean;
  /**
   * The last attempt ended `ok`, or was for a person to decide, and an edit made something else of it; or its answer is
   * valid and only a sink cannot hold it. Another try would pay twice, and nobody has asked for it.
   */
  readonly revised: boolean;
  /** A person asked for another round after the last attempt. */
  readonly pardoned: boolean;
}

/** Total: what to do about an item whose last closed attempt ended in this class. */
export function decide(last: OutcomeClass, tries: Tries, retry: RetrySpec): Decision {
  if (tries.pardoned && isRetryable(last)) return 'retry';
  if (tries.revised && last !== 'ok' && last !== 'unreadable') return 'hold';
  switch (last) {
    case 'ok':
    case 'duplicate':
    case 'late':
      return 'none';
    case 'invalid_output':
      return tries.invalidOutput <= retry.invalidOutput && tries.used < retry.maxAttempts ? 'retry' : 'hold';
    case 'truncated':
      return mayRaiseCap(tries, retry) ? 'retry' : 'hold';
    case 'invalid_request':
      return 'fail';
    case 'unreadable':
      return 'await';
    case 'rate_or_capacity':
      return 'later';
    case 'account':
      return 'stall';
    case 'expired':
    case 'provider_error':
    case 'missing':
      return tries.used < retry.maxAttempts ? 'retry' : 'fail';
    case 'cancelled':
      if (!tries.cancelledByUs) return 'stall';
      return tries.used < retry.maxAttempts ? 'retry' : 'fail';
    case 'refused':
      return 'refuse';
    case 'unknown_stop':
    case 'conflict':
    case 'lost':
      return 'hold';
    default:
      return last satisfies never;
  }
}

/** Classes that a person may have tried again. The others would come out the same, and some would be paid for again. */
export const RETRYABLE = [
  'invalid_output',
  'truncated',
  'unknown_stop',
  'account',
  'expired',
  'cancelled',
  'provider_error',
  'missing',
  'unreadable',
  'lost',
  'conflict',
] as const satisfies readonly OutcomeClass[];

function isRetryable(of: OutcomeClass): boolean {
  return RETRYABLE.some((each) => each === of);
}

/** Once, with the higher cap; the same cap would cut the same answer at the same place, and be paid for again. */
function mayRaiseCap(tries: Tries, retry: RetrySpec): boolean {
  return retry.truncatedMaxTokens !== null && tries.truncated <= 1 && tries.used < retry.maxAttempts;
}

const FREE: ReadonlySet<OutcomeClass> = new Set(['rate_or_capacity', 'account', 'duplicate', 'late']);

/** True where an attempt of this class counts against `max_attempts`. */
export function usesAttempt(of: OutcomeClass): boolean {
  return !FREE.has(of);
}
