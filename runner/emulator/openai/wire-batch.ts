import { isTerminal, type Stage, type Status } from '../batch/lifecycle.ts';
import type { RunTotals } from '../batch/row.ts';
import type { OpenaiBatch, OpenaiEnd } from './types.ts';

/** A batch as the API shows it; times in seconds. */
export function wireBatch(batch: OpenaiBatch, stage: Stage, now: number): Record<string, unknown> {
  const files = filesOf(batch, stage, now);
  const at = (status: Exclude<Status, 'validating'>): number | null => seconds(stage.at[status]);
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    model: modelOf(batch),
    errors: errorsOf(batch, stage),
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: wordOf(batch, stage),
    output_file_id: files?.outputFileId ?? null,
    error_file_id: files?.errorFileId ?? null,
    created_at: seconds(batch.createdAt),
    in_progress_at: at('in_progress'),
    expires_at: seconds(batch.createdAt + batch.windowMs),
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

/** The result files, once the batch shows them. */
function filesOf({ end, fault }: OpenaiBatch, stage: Stage, now: number): OpenaiEnd | null {
  if (end === null) return null;
  const endedAt = stage.at[end.status] ?? now;
  return now < endedAt + (fault.files_after_ms ?? 0) ? null : end;
}

function wordOf({ fault }: OpenaiBatch, { status }: Stage): string {
  return fault.state_word === undefined || isTerminal(status) ? status : fault.state_word;
}

function modelOf(batch: OpenaiBatch): string | null {
  return batch.verdict?.kind === 'valid' ? batch.verdict.run.model : null;
}

function errorsOf(batch: OpenaiBatch, stage: Stage): unknown {
  if (stage.status !== 'failed' || batch.verdict?.kind !== 'invalid') return null;
  return { object: 'list', data: batch.verdict.errors };
}

/** 0/0/0 until validated; requests that never ran are in `total` alone, so that the counts need not add up. */
function countsOf(
  batch: OpenaiBatch,
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
