import type { Usage } from '../../outcome/outcome.ts';
import { type Fields, fieldsOf, tokensOf } from '../fields.ts';

/** Both endpoints' names. Cached and reasoning tokens are parts of input and output, and optional. */
export function usageOf(body: Fields | null): Usage | null {
  const usage = fieldsOf(body?.usage);
  if (usage === null) return null;
  const inputTokens = tokensOf(usage.input_tokens ?? usage.prompt_tokens);
  const outputTokens = tokensOf(usage.output_tokens ?? usage.completion_tokens);
  if (inputTokens === null || outputTokens === null) return null;
  const input = fieldsOf(usage.input_tokens_details ?? usage.prompt_tokens_details);
  const output = fieldsOf(usage.output_tokens_details ?? usage.completion_tokens_details);
  return {
    inputTokens,
    outputTokens,
    cachedTokens: tokensOf(input?.cached_tokens) ?? 0,
    cacheWriteTokens: tokensOf(input?.cache_write_tokens) ?? 0,
    reasoningTokens: tokensOf(output?.reasoning_tokens) ?? 0,
  };
}
