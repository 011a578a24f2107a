import type { Usage } from '../../outcome/outcome.ts';
import { type Fields, fieldsOf } from '../fields.ts';

/** Both endpoints' names. Cached and reasoning tokens are parts of input and output, and optional. */
export function usageOf(body: Fields | null): Usage | null {
  const usage = fieldsOf(body?.usage);
  if (usage === null) return null;
  const inputTokens = tokens(usage.input_tokens ?? usage.prompt_tokens);
  const outputTokens = tokens(usage.output_tokens ?? usage.completion_tokens);
  if (inputTokens === null || outputTokens === null) return null;
  const input = fieldsOf(usage.input_tokens_details ?? usage.prompt_tokens_details);
  const output = fieldsOf(usage.output_tokens_details ?? usage.completion_tokens_details);
  return {
    inputTokens,
    outputTokens,
    cachedTokens: tokens(input?.cached_tokens) ?? 0,
    cacheWriteTokens: tokens(input?.cache_write_tokens) ?? 0,
    reasoningTokens: tokens(output?.reasoning_tokens) ?? 0,
  };
}

const MOST_TOKENS = 2 ** 31 - 1;

/** A count that an outcomes file can hold; anything else is no count. */
function tokens(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS;
  return isCount ? value : null;
}
