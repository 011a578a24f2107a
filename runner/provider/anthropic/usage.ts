import type { Usage } from '../../outcome/outcome.ts';
import { type Fields, fieldsOf, tokensOf } from '../fields.ts';

/**
 * `Usage` of @anthropic-ai/sdk 1.14.0. There `input_tokens` is what was neither read from the cache nor written to it;
 * ours is all of the input. Thinking tokens are part of the output already.
 */
export function usageOf(message: Fields | null): Usage | null {
  const usage = fieldsOf(message?.usage);
  if (usage === null) return null;
  const plainTokens = tokensOf(usage.input_tokens);
  const outputTokens = tokensOf(usage.output_tokens);
  if (plainTokens === null || outputTokens === null) return null;
  const cachedTokens = tokensOf(usage.cache_read_input_tokens) ?? 0;
  const cacheWriteTokens = writtenTokens(usage);
  return {
    inputTokens: plainTokens + cachedTokens + cacheWriteTokens,
    outputTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: tokensOf(fieldsOf(usage.output_tokens_details)?.thinking_tokens) ?? 0,
  };
}

/** The sum, or where it is absent the parts by lifetime that it is made of. */
function writtenTokens(usage: Fields): number {
  const sum = tokensOf(usage.cache_creation_input_tokens);
  if (sum !== null) return sum;
  const parts = fieldsOf(usage.cache_creation);
  return (
    (tokensOf(parts?.ephemeral_5m_input_tokens) ?? 0) + (tokensOf(parts?.ephemeral_1h_input_tokens) ?? 0)
  );
}
