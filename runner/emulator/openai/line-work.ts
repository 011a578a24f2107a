import type { LineWork } from '../batch/run-lines.ts';
import { createLineChecker } from './check-line.ts';
import { servedModel } from './question.ts';
import { resultOf } from './result-line.ts';
import type { OpenaiBatch } from './types.ts';

/** What OpenAI does with each line of a batch's input file. @param models those that exist; null for any. */
export function lineWork(
  batch: Pick<OpenaiBatch, 'id' | 'endpoint' | 'createdAt' | 'phases'>,
  models: readonly string[] | null,
): LineWork {
  const context = {
    batchId: batch.id,
    endpoint: batch.endpoint,
    created: Math.floor((batch.createdAt + batch.phases.validating_ms) / 1000),
  };
  return {
    ...createLineChecker(batch.endpoint, models),
    run: (request, bodyHash, fault) => resultOf(request, bodyHash, context, fault),
    servedModel,
  };
}
