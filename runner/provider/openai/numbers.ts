import type { ReplyResult, Usage } from '../../outcome/outcome.ts';
import { type Fields, fieldsOf } from '../fields.ts';
import { malformed } from '../line.ts';
import { firstEntries } from '../parts.ts';
import { readVector } from '../vector.ts';
import { type Answer, provenance } from './answer.ts';

/** The two endpoints whose answers are no words. */

/**
 * `/v1/embeddings`: `CreateEmbeddingResponse` of the openai SDK 7.59.0. A line of ours has one input, so that the vector
 * of another index is somebody else's: gateways send the inputs of several requests on together.
 */
export function embeddingResult(body: Fields): ReplyResult {
  const [first, ...others] = firstEntries(body.data);
  if (first === undefined) return malformed('an embedding without numbers');
  if (others.length > 0) return malformed('several embeddings of one input');
  const numbers = readVector(first.embedding);
  if (numbers === null) return malformed('an embedding without numbers');
  return { ...provenance('/v1/embeddings', body), ...whole(numbers) };
}

/** `/v1/moderations`: `ModerationCreateResponse` of the openai SDK 7.59.0. Its results have no index. */
export function moderationResult(body: Fields): ReplyResult {
  const results = Array.isArray(body.results) ? body.results : [];
  const result = fieldsOf(results[0]);
  if (result === null) return malformed('a moderation without results');
  if (results.length > 1) return malformed('several moderations of one input');
  const known = provenance('/v1/moderations', body);
  // It counts no tokens, since it is free.
  return { ...known, usage: fieldsOf(body.usage) === null ? NO_TOKENS : known.usage, ...whole(result) };
}

const NO_TOKENS: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** These two have no words that could stop early, and no reason for stopping. */
function whole(value: unknown): Pick<Answer, 'texts' | 'refusal' | 'stop' | 'providerReason'> {
  return { texts: [JSON.stringify(value)], refusal: null, stop: 'complete', providerReason: 'none' };
}
