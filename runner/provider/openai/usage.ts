import type { Usage } from '../../outcome/outcome.ts';
import type { Endpoint } from '../../spec/job.ts';
import { type Fields, fieldsOf, tokensOf } from '../fields.ts';

/**
 * Every endpoint's names. Cached and reasoning tokens are parts of input and output, and optional. An embedding's usage
 * has no output, since there is none.
 */
export function usageOf(endpoint: Endpoint, body: Fields | null): Usage | null {
  const usage = fieldsOf(body?.usage);
  if (usage === null) return null;
  const inputTokens = tokensOf(usage.input_tokens ?? usage.prompt_tokens);
  const none = endpoint === '/v1/embeddings' ? 0 : undefined;
  const outputTokens = tokensOf(usage.output_tokens ?? usage.completion_tokens ?? none);
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
