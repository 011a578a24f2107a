import { isTerminal, type Stage } from '../batch/lifecycle.ts';
import { type AnthropicBatch, RESULTS_KEPT_MS } from './types.ts';

/** A batch as the API shows it, times in RFC 3339. @param origin where its results shall be asked for */
export function wireBatch(
  batch: AnthropicBatch,
  stage: Stage,
  now: number,
  origin: string,
): Record<string, unknown> {
  const archivedAt = batch.createdAt + RESULTS_KEPT_MS;
  return {
    id: batch.id,
    type: 'message_batch',
    processing_status: wordOf(batch, stage),
    request_counts: countsOf(batch, stage),
    created_at: time(batch.createdAt),
    expires_at: time(batch.createdAt + batch.windowMs),
    ended_at: time(endedAt(batch, stage)),
    cancel_initiated_at: time(stage.at.cancelling),
    archived_at: now >= archivedAt ? time(archivedAt) : null,
    results_url: hasResults(batch, stage, now) ? `${origin}/v1/messages/batches/${batch.id}/results` : null,
  };
}

/** The results can be seen by now; whether they can still be had is another question. */
export function hasResults(batch: AnthropicBatch, stage: Stage, now: number): boolean {
  const at = endedAt(batch, stage);
  if (at === undefined || (batch.end?.results ?? null) === null) return false;
  return now >= at + (batch.fault.files_after_ms ?? 0);
}

function time(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString().replace('Z', '000+00:00');
}

function endedAt(batch: AnthropicBatch, { at }: Stage): number | undefined {
  return batch.end === null ? undefined : at[batch.end.status];
}

function wordOf({ fault }: AnthropicBatch, { status }: Stage): string {
  if (isTerminal(status)) return 'ended';
  return fault.state_word ?? (status === 'cancelling' ? 'canceling' : 'in_progress');
}

/** All stand in `processing` until the whole batch has ended. */
function countsOf({ requests, end, fault }: AnthropicBatch, { status }: Stage): Record<string, number> {
  const { total, completed, failed } = fault.counts ?? {};
  if (end === null || !isTerminal(status))
    return { processing: total ?? requests, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  const { succeeded, errored, canceled, expired } = end.counts;
  return { processing: 0, succeeded: completed ?? succeeded, errored: failed ?? errored, canceled, expired };
}
