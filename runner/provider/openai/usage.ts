import type { Usage } from '../../outcome/outcome.ts';
import type { Endpoint } from '../../spec/job.ts';
import { type Fields, fieldsOf } from '../fields.ts';
import { readTokenCounts } from '../token-counts.ts';

/**
 * Every endpoint's names. Cached and reasoning tokens are parts of input and output, and optional. An embedding's usage
 * has no output, since there is none; some servers leave the total out.
 */
export function usageOf(endpoint: Endpoint, body: Fields | null): Usage | null {
  const usage = fieldsOf(body?.usage);
  if (usage === null) return null;
  const none = endpoint === '/v1/embeddings' ? 0 : undefined;
  const input = fieldsOf(usage.input_tokens_details ?? usage.prompt_tokens_details);
  const output = fieldsOf(usage.output_tokens_details ?? usage.completion_tokens_details);
  return readTokenCounts({
    input: agreed(usage.input_tokens, usage.prompt_tokens),
    output: agreed(usage.output_tokens, usage.completion_tokens) ?? none,
    cached: input?.cached_tokens,
    cacheWrite: input?.cache_write_tokens,
    reasoning: output?.reasoning_tokens,
    reasoningIs: 'within the output',
    total: usage.total_tokens,
  });
}

/** One count under the names of two endpoints: a gateway may write both, and where they differ neither is one. */
function agreed(one: unknown, other: unknown): unknown {
  const known = one ?? other;
  return (other ?? known) === known ? known : Number.NaN;
}
