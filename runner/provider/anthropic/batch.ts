import type { Instant } from '../../ids.ts';
import type { BatchState, BatchView } from '../../journal/batch.ts';
import { UnreadableAnswer } from '../call-errors.ts';
import { countOf, fieldsOf, objectOf, textOf, timeOf } from '../fields.ts';
import { type BatchPage, pageOf } from '../list-walk.ts';

/**
 * `MessageBatch` of @anthropic-ai/sdk 1.14.0 in our words. It bears no tag, so that whose it is can only be read in
 * its results.
 * @throws UnreadableAnswer where the value cannot be a batch
 */
export function batchViewOf(value: unknown, serverNow: Instant | null): BatchView {
  const batch = objectOf(value);
  const id = textOf(batch.id);
  const providerState = textOf(batch.processing_status);
  const createdAt = timeOf(batch.created_at) ?? serverNow;
  if (id === null || providerState === null || createdAt === null)
    throw new UnreadableAnswer('it is no batch');
  const counts = countsOf(batch.request_counts);
  return {
    id,
    state: stateOf(providerState, counts),
    providerState,
    intent: null,
    inputFileId: null,
    // The results hang on the batch, and are known by its id.
    outputFileId: textOf(batch.results_url) === null ? null : id,
    errorFileId: null,
    createdAt,
    // Processing begins with the create.
    startedAt: createdAt,
    finalizingAt: null,
    endedAt: timeOf(batch.ended_at),
    expiresAt: timeOf(batch.expires_at),
    progress: progressOf(counts),
    errors: [],
    serverNow,
  };
}

/** @throws UnreadableAnswer where the value is no page */
export function batchPageOf(value: unknown, serverNow: Instant | null): BatchPage {
  return pageOf(value, (batch) => batchViewOf(batch, serverNow));
}

/** How many results a batch has by its own word; null where it does not say. For a check of a download alone. */
export function resultsIn(view: BatchView): number | null {
  return view.progress === null || view.progress.total === 0 ? null : view.progress.total;
}

/** `MessageBatchRequestCounts`: all stand in `processing` until the whole batch has ended. */
interface Counts {
  readonly processing: number;
  readonly succeeded: number;
  readonly errored: number;
  readonly canceled: number;
  readonly expired: number;
}

function countsOf(value: unknown): Counts | null {
  const counts = fieldsOf(value);
  if (counts === null) return null;
  const of = (name: keyof Counts) => countOf(counts[name]);
  return {
    processing: of('processing'),
    succeeded: of('succeeded'),
    errored: of('errored'),
    canceled: of('canceled'),
    expired: of('expired'),
  };
}

function progressOf(counts: Counts | null): BatchView['progress'] {
  if (counts === null) return null;
  const { processing, succeeded, errored, canceled, expired } = counts;
  const failed = errored + canceled + expired;
  return { total: processing + succeeded + failed, done: succeeded, failed };
}

/**
 * `ended` covers every end; the counts tell which, for people. What became of each request is read in its own line.
 * Any other word is not terminal and is shown as it stands.
 */
function stateOf(word: string, counts: Counts | null): BatchState {
  if (word === 'in_progress') return 'running';
  if (word === 'canceling') return 'cancelling';
  if (word !== 'ended') return 'unknown';
  if (counts !== null && counts.canceled > 0) return 'cancelled';
  return counts !== null && counts.expired > 0 ? 'expired' : 'completed';
}
