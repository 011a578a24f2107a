import type { Usage } from '../../outcome/outcome.ts';
import { type Fields, fieldsOf, tokensOf } from '../fields.ts';

/**
 * `usageMetadata` of @google/genai 3.3.0. The prompt's count has the cached tokens in it; thoughts are billed as
 * output and stand beside the candidates. Zeros are left out, and a blocked prompt has no candidates.
 */
export function usageOf(response: Fields | null): Usage | null {
  const usage = fieldsOf(response?.usageMetadata);
  if (usage === null) return null;
  const prompt = tokensOf(usage.promptTokenCount);
  const tools = tokensOf(usage.toolUsePromptTokenCount ?? 0);
  const cached = tokensOf(usage.cachedContentTokenCount ?? 0);
  const candidates = tokensOf(usage.candidatesTokenCount ?? 0);
  const thoughts = tokensOf(usage.thoughtsTokenCount ?? 0);
  if (prompt === null || tools === null || cached === null || candidates === null || thoughts === null)
    return null;
  const inputTokens = tokensOf(prompt + tools);
  const outputTokens = tokensOf(candidates + thoughts);
  if (inputTokens === null || outputTokens === null) return null;
  return {
    inputTokens,
    outputTokens,
    cachedTokens: cached,
    cacheWriteTokens: 0,
    reasoningTokens: thoughts,
  };
}

/** An embedding's `tokenCount`, an int64 and so written as text. Null where the server does not count. */
export function embeddingUsageOf(response: Fields): Usage | null {
  const { tokenCount } = response;
  const isText = typeof tokenCount === 'string' && /^\d{1,10}$/.test(tokenCount);
  const inputTokens = tokensOf(isText ? Number(tokenCount) : tokenCount);
  if (inputTokens === null) return null;
  return { inputTokens, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
}
