import type { Usage } from '../outcome/outcome.ts';
import { tokensOf } from './fields.ts';

/** What an answer cost, by what each count is, as its source wrote them: nobody has looked at the values. */
export interface TokenCounts {
  /** All input, that from and into the cache included. */
  readonly input: unknown;
  readonly output: unknown;
  /** Parts of the input; none where absent. */
  readonly cached?: unknown;
  readonly cacheWrite?: unknown;
  readonly reasoning?: unknown;
  /** Where the source counts reasoning. Its kin may do otherwise, and then their total tells. */
  readonly reasoningIs: 'within the output' | 'beside the output';
  /** Of all input and output; not asked where absent. */
  readonly total?: unknown;
}

/**
 * Null where a count is missing or none, or where two of them contradict each other: a server that does not count writes
 * zeros, and what it cost is then unknown and not nothing. Pure.
 */
export function readTokenCounts(counts: TokenCounts): Usage | null {
  const inputTokens = tokensOf(counts.input);
  const cachedTokens = readPart(counts.cached);
  const cacheWriteTokens = readPart(counts.cacheWrite);
  const reasoningTokens = readPart(counts.reasoning);
  if (inputTokens === null || cachedTokens === null || cacheWriteTokens === null || reasoningTokens === null)
    return null;
  const outputTokens = readOutput(counts, inputTokens, reasoningTokens);
  if (outputTokens === null || reasoningTokens > outputTokens) return null;
  if (cachedTokens + cacheWriteTokens > inputTokens) return null;
  return { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens };
}

function readPart(value: unknown): number | null {
  return value === undefined || value === null ? 0 : tokensOf(value);
}

/**
 * All output, reasoning included. xAI counts reasoning beside the output where OpenAI counts it within (vercel/ai#12425),
 * some models of Google's the other way round: the total fits one of the two.
 */
function readOutput(counts: TokenCounts, input: number, reasoning: number): number | null {
  const { reasoningIs, total } = counts;
  const output = tokensOf(counts.output);
  if (output === null) return null;
  const usual = reasoningIs === 'within the output' ? output : output + reasoning;
  const unusual = reasoningIs === 'within the output' ? output + reasoning : output;
  if (total === undefined || total === null || total === input + usual) return tokensOf(usual);
  return total === input + unusual ? tokensOf(unusual) : null;
}
