import type { Usage } from '../../outcome/outcome.ts';
import { type Fields, fieldsOf } from '../fields.ts';
import { readTokenCounts } from '../token-counts.ts';

/**
 * `Usage` of @anthropic-ai/sdk 1.14.0. There `input_tokens` is what was neither read from the cache nor written to it;
 * ours is all of the input. Thinking tokens are part of the output already, and there is no total.
 */
export function usageOf(message: Fields | null): Usage | null {
  const usage = fieldsOf(message?.usage);
  if (usage === null) return null;
  const cached = usage.cache_read_input_tokens ?? 0;
  const cacheWrite = writtenTokens(usage);
  return readTokenCounts({
    input: sumOf([usage.input_tokens, cached, cacheWrite]),
    output: usage.output_tokens,
    cached,
    cacheWrite,
    reasoning: fieldsOf(usage.output_tokens_details)?.thinking_tokens,
    reasoningIs: 'within the output',
  });
}

/** The sum, or where it is absent the parts by lifetime that it is made of; no number where both are there and differ. */
function writtenTokens(usage: Fields): unknown {
  const sum = usage.cache_creation_input_tokens;
  const byLifetime = fieldsOf(usage.cache_creation);
  const parts = [byLifetime?.ephemeral_5m_input_tokens, byLifetime?.ephemeral_1h_input_tokens];
  const given = parts.filter((part) => part !== undefined && part !== null);
  if (given.length === 0) return sum ?? 0;
  const ofParts = sumOf(given);
  return (sum ?? ofParts) === ofParts ? ofParts : Number.NaN;
}

/** NaN, which is no count, where one of them is none. */
function sumOf(counts: readonly unknown[]): number {
  return counts.reduce<number>((sum, count) => sum + (isCount(count) ? count : Number.NaN), 0);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
