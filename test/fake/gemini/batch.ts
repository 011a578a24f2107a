import type { View } from '../batch.ts';
import { toStamp } from '../clock.ts';
import type { ResultFile } from '../files.ts';
import type { Json } from '../json.ts';
import type { Phase } from '../life.ts';

const PACKAGE = 'type.googleapis.com/google.ai.generativelanguage.v1main';

/** A batch as the operation that `GET /v1beta/batches/{id}` shows. */
export function writeOperation(view: View): Json {
  const { batch, line, phase, at } = view;
  const name = `batches/${batch.id}`;
  const ended = ['completed', 'failed', 'expired', 'cancelled'].includes(phase);
  const endedAt = Math.min(line.endedAt, at);
  const output = writeOutput(view);
  return {
    name,
    metadata: {
      '@type': `${PACKAGE}.GenerateContentBatch`,
      model: `models/${batch.rows[0]?.model ?? batch.details.model}`,
      displayName: batch.details.displayName,
      state: view.word ?? nameState(phase),
      createTime: toStamp(batch.createdAt),
      updateTime: toStamp(ended ? endedAt : at),
      ...(ended ? { endTime: toStamp(endedAt) } : {}),
      ...(batch.inputFile === null ? {} : { inputConfig: { fileName: batch.inputFile } }),
      ...writeStats(view),
      ...(output === null ? {} : { output }),
      name,
    },
    ...writeEnd(view, output),
  };
}

function nameState(phase: Phase): string {
  switch (phase) {
    case 'validating':
      return 'BATCH_STATE_PENDING';
    case 'running':
    case 'finalizing':
    case 'cancelling':
      return 'BATCH_STATE_RUNNING';
    case 'completed':
      return 'BATCH_STATE_SUCCEEDED';
    default:
      return `BATCH_STATE_${phase.toUpperCase()}`;
  }
}

/** Counts are strings, and a zero is left out. */
function writeStats({ counts }: View): Json {
  if (counts === undefined) return {};
  if (counts === null) return { batchStats: null };
  const { total, succeeded, errored, pending } = counts;
  const stats = {
    requestCount: total,
    successfulRequestCount: succeeded,
    failedRequestCount: errored,
    pendingRequestCount: pending,
  };
  const told = Object.entries(stats).filter(([, count]) => count !== 0);
  return { batchStats: Object.fromEntries(told.map(([name, count]) => [name, String(count)])) };
}

function writeOutput({ batch, results }: View): Json | null {
  const file = results[0];
  if (file === undefined) return null;
  if (batch.inputFile !== null) return { responsesFile: file.id };
  return { inlinedResponses: { inlinedResponses: writeInlined(file) } };
}

/** Inline answers bear their key as metadata. */
function writeInlined(file: ResultFile): Json[] {
  return file.lines.map(({ value }) => {
    const { key, ...rest } = value;
    return { ...rest, metadata: { key } };
  });
}

/** `done` is left out while it is false. */
function writeEnd({ phase, batch }: View, output: Json | null): Json {
  switch (phase) {
    case 'completed':
      return { done: true, response: { '@type': `${PACKAGE}.GenerateContentBatchOutput`, ...output } };
    case 'failed':
      return {
        done: true,
        error: {
          code: 3,
          message: batch.plan.end.as === 'failed' ? batch.plan.end.message : 'The batch failed.',
        },
      };
    case 'expired':
      return { done: true, error: { code: 4, message: 'The batch expired before it was done.' } };
    case 'cancelled':
      return { done: true, error: { code: 1, message: 'The batch was cancelled.' } };
    default:
      return {};
  }
}
