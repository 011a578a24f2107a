import type { View } from '../batch.ts';
import { DAY, toStamp } from '../clock.ts';
import type { Json } from '../json.ts';
import type { Phase } from '../life.ts';

/** Results are kept for so long after the creation of a batch. */
export const KEEP_MS = 29 * DAY;

/** A batch as `GET /v1/messages/batches/{id}` shows it; `origin` is where its results are to be fetched. */
export function writeBatch(view: View, origin: string): Json {
  const { batch, line, phase, at } = view;
  const ended = isEnded(phase);
  const archivedAt = batch.createdAt + KEEP_MS;
  const archived = at >= archivedAt;
  const named = ended && view.results.length > 0 && !archived;
  return {
    id: batch.id,
    type: 'message_batch',
    processing_status: view.word ?? nameStatus(phase),
    ...writeCounts(view),
    created_at: toStamp(batch.createdAt),
    expires_at: toStamp(batch.createdAt + batch.plan.windowMs),
    ended_at: ended ? toStamp(Math.min(line.endedAt, at)) : null,
    cancel_initiated_at:
      line.cancellingAt !== null && line.cancellingAt <= at ? toStamp(line.cancellingAt) : null,
    archived_at: archived ? toStamp(archivedAt) : null,
    results_url: named ? `${origin}/v1/messages/batches/${batch.id}/results` : null,
  };
}

/** Tells whether a phase is one of the four ends. */
export function isEnded(phase: Phase): boolean {
  return ['completed', 'failed', 'expired', 'cancelled'].includes(phase);
}

function nameStatus(phase: Phase): string {
  if (phase === 'cancelling') return 'canceling';
  return isEnded(phase) ? 'ended' : 'in_progress';
}

/** All counts but `processing` are zero until the whole batch has ended. */
function writeCounts({ counts, phase }: View): Json {
  if (counts === undefined) return {};
  if (counts === null) return { request_counts: null };
  const { total, succeeded, errored, canceled, expired } = counts;
  return {
    request_counts: isEnded(phase)
      ? { processing: 0, succeeded, errored, canceled, expired }
      : { processing: total, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
  };
}
