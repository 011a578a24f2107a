import type { Stage, Status } from './lifecycle.ts';
import { WINDOW_MS } from './lifecycle.ts';
import type { BatchRow, RunTotals } from './types.ts';

/** A batch as the API shows it; times in seconds. */
export function wireBatch(batch: BatchRow, stage: Stage): Record<string, unknown> {
  const at = (status: Exclude<Status, 'validating'>): number | null => seconds(stage.at[status]);
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    model: modelOf(batch),
    errors: errorsOf(batch, stage),
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: stage.status,
    output_file_id: batch.end?.outputFileId ?? null,
    error_file_id: batch.end?.errorFileId ?? null,
    created_at: seconds(batch.createdAt),
    in_progress_at: at('in_progress'),
    expires_at: seconds(batch.createdAt + WINDOW_MS),
    finalizing_at: at('finalizing'),
    completed_at: at('completed'),
    failed_at: at('failed'),
    expired_at: at('expired'),
    cancelling_at: at('cancelling'),
    cancelled_at: at('cancelled'),
    request_counts: { ...countsOf(batch, stage), ...batch.fault.counts },
    usage: usageOf(batch.end?.ran ?? null),
    metadata: batch.metadata,
  };
}

function seconds(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.floor(ms / 1000);
}

function modelOf(batch: BatchRow): string | null {
  return batch.verdict?.kind === 'valid' ? batch.verdict.run.model : null;
}

function errorsOf(batch: BatchRow, stage: Stage): unknown {
  if (stage.status !== 'failed' || batch.verdict?.kind !== 'invalid') return null;
  return { object: 'list', data: batch.verdict.errors };
}

/** 0/0/0 until validated; requests that never ran are in `total` alone, so that the counts need not add up. */
function countsOf(
  batch: BatchRow,
  { status, share }: Stage,
): Record<'total' | 'completed' | 'failed', number> {
  if (batch.verdict?.kind !== 'valid' || status === 'validating')
    return { total: 0, completed: 0, failed: 0 };
  const { run } = batch.verdict;
  const ran = batch.end?.ran;
  return {
    total: run.requests,
    completed: ran?.completed ?? Math.floor(run.completed * share),
    failed: ran?.failed ?? Math.floor(run.failed * share),
  };
}

function usageOf(ran: RunTotals | null): Record<string, unknown> {
  const input = ran?.inputTokens ?? 0;
  const output = ran?.outputTokens ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
