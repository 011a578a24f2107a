import type { Estimate } from './manifest.ts';
import { ceilingUsd, costUsd, type Price } from './price.ts';
import { ceilingTokens } from './tokens.ts';

/** Requests and their estimated input, those beyond a model's long-context threshold apart. */
export interface RequestTotals {
  requests: number;
  inputTokens: number;
  longRequests: number;
  longInputTokens: number;
}

export interface OutputExpectation {
  /** Tokens that one answer may have at most. */
  readonly maxTokens: number;
  /** Mean of earlier answers; null where there are none. */
  readonly expected: number | null;
}

/** Without earlier answers: half of the cap, halfway between a job that uses little of it and one that needs all. */
const SHARE_OF_CAP = 0.5;

/** What a run is expected to cost, and the most it can. Null in money where the price is unknown. */
export function estimateOf(totals: RequestTotals, output: OutputExpectation, price: Price | null): Estimate {
  const each = Math.min(output.expected ?? output.maxTokens * SHARE_OF_CAP, output.maxTokens);
  return {
    requests: totals.requests,
    inputTokens: totals.inputTokens,
    outputTokens: Math.round(totals.requests * each),
    outputTokensCap: totals.requests * output.maxTokens,
    usd: price === null ? null : usdOf(totals, each, price, EXPECTED),
    ceilingUsd: price === null ? null : usdOf(totals, output.maxTokens, price, AT_MOST),
    pricesOf: price?.pricesOf ?? null,
  };
}

/** How a sum is worked out: what to make of counted tokens, and of their price. */
interface Reckoning {
  tokens(counted: number): number;
  usd: typeof costUsd;
}

const EXPECTED: Reckoning = { tokens: (counted) => counted, usd: costUsd };
const AT_MOST: Reckoning = { tokens: ceilingTokens, usd: ceilingUsd };

function usdOf(totals: RequestTotals, outputEach: number, price: Price, { tokens, usd }: Reckoning): number {
  const { longRequests, longInputTokens } = totals;
  const short = {
    inputTokens: tokens(totals.inputTokens - longInputTokens),
    outputTokens: (totals.requests - longRequests) * outputEach,
  };
  const long = { inputTokens: tokens(longInputTokens), outputTokens: longRequests * outputEach };
  return usd(short, price) + usd(long, { ...price, ...price.longContext });
}
