import type { Usage } from '../../outcome/outcome.ts';
import { type Fields, fieldsOf } from '../fields.ts';

/**
 * `usageMetadata` of @google/genai 3.3.0. The prompt's count has the cached tokens in it; thoughts are billed as
 * output and stand beside the candidates. Zeros are left out, and a blocked prompt has no candidates.
 */
export function usageOf(response: Fields | null): Usage | null {
  const usage = fieldsOf(response?.usageMetadata);
  if (usage === null) return null;
  const prompt = tokens(usage.promptTokenCount);
  const tools = tokens(usage.toolUsePromptTokenCount ?? 0);
  const cached = tokens(usage.cachedContentTokenCount ?? 0);
  const candidates = tokens(usage.candidatesTokenCount ?? 0);
  const thoughts = tokens(usage.thoughtsTokenCount ?? 0);
  if (prompt === null || tools === null || cached === null || candidates === null || thoughts === null)
    return null;
  return {
    inputTokens: prompt + tools,
    outputTokens: candidates + thoughts,
    cachedTokens: cached,
    cacheWriteTokens: 0,
    reasoningTokens: thoughts,
  };
}

/** Half of what an outcomes file can hold, since two are added. */
const MOST_TOKENS = 2 ** 30;

function tokens(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MOST_TOKENS;
  return isCount ? value : null;
}
