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
