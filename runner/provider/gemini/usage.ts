import type { Usage } from '../../outcome/outcome.ts';
import { type Fields, fieldsOf, tokensOf } from '../fields.ts';
import { readTokenCounts } from '../token-counts.ts';

/**
 * `usageMetadata` of @google/genai 3.3.0. The prompt's count has the cached tokens in it; thoughts are billed as output and
 * stand beside the candidates, what tools brought stands beside the prompt, and the total is the sum of all four. Zeros
 * are left out, and a blocked prompt has no candidates.
 */
export function usageOf(response: Fields | null): Usage | null {
  const usage = fieldsOf(response?.usageMetadata);
  if (usage === null) return null;
  const prompt = tokensOf(usage.promptTokenCount);
  const tools = tokensOf(usage.toolUsePromptTokenCount ?? 0);
  return readTokenCounts({
    input: prompt === null || tools === null ? null : prompt + tools,
    output: usage.candidatesTokenCount ?? 0,
    cached: usage.cachedContentTokenCount,
    reasoning: usage.thoughtsTokenCount,
    reasoningIs: 'beside the output',
    total: usage.totalTokenCount,
  });
}

/** An embedding's `tokenCount`, an int64 and so written as text. Null where the server does not count. */
export function embeddingUsageOf(response: Fields): Usage | null {
  const { tokenCount } = response;
  const isText = typeof tokenCount === 'string' && /^\d{1,10}$/.test(tokenCount);
  const input = isText ? Number(tokenCount) : tokenCount;
  return readTokenCounts({ input, output: 0, reasoningIs: 'beside the output' });
}
