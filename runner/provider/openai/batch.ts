import type { Instant, IntentId } from '../../ids.ts';
import type { BatchState, BatchView } from '../../journal/batch.ts';
import { UnreadableAnswer } from '../call-errors.ts';
import { type Fields, fieldsOf, objectOf, readCount, textOf, timeOf } from '../fields.ts';
import { type BatchPage, pageOf } from '../list-walk.ts';
import { aboutOfBatchError } from './errors.ts';

/** The key under which the intent travels in a batch's metadata. */
export const INTENT_TAG = 'batchwright_intent';

/**
 * A batch in our words. The SDK declares a type and checks nothing: what is not there is null here, and what must be
 * there and is not makes the answer unreadable, which says nothing about the batch.
 * @throws UnreadableAnswer where the value cannot be a batch
 */
export function batchViewOf(value: unknown, serverNow: Instant | null): BatchView {
  const batch = objectOf(value);
  const id = textOf(batch.id);
  const providerState = textOf(batch.status);
  const createdAt = timeOf(batch.created_at) ?? serverNow;
  if (id === null || providerState === null || createdAt === null)
    throw new UnreadableAnswer('it is no batch');
  return {
    id,
    state: stateOf(providerState),
    providerState,
    intent: intentOf(batch.metadata),
    inputFileId: textOf(batch.input_file_id),
    outputFileId: textOf(batch.output_file_id),
    errorFileId: textOf(batch.error_file_id),
    createdAt,
    startedAt: timeOf(batch.in_progress_at),
    finalizingAt: timeOf(batch.finalizing_at),
    endedAt: firstTimeOf(batch, ['completed_at', 'failed_at', 'expired_at', 'cancelled_at']),
    expiresAt: timeOf(batch.expires_at),
    progress: progressOf(batch.request_counts),
    errors: errorsOf(batch.errors),
    serverNow,
  };
}

/** @throws UnreadableAnswer where the value is no page */
export function batchPageOf(value: unknown, serverNow: Instant | null): BatchPage {
  return pageOf(value, (batch) => batchViewOf(batch, serverNow));
}

/** @throws UnreadableAnswer where the value holds no id */
export function fileIdOf(value: unknown): string {
  const id = textOf(objectOf(value).id);
  if (id === null) throw new UnreadableAnswer('it is no file');
  return id;
}

function firstTimeOf(batch: Fields, names: readonly string[]): Instant | null {
  return names.map((name) => timeOf(batch[name])).find((time) => time !== null) ?? null;
}

/** openai SDK 7.59.0, `Batch.status`, and AIBrix 0.8.0 before it runs one. Any other word is not terminal and is shown as it stands. */
const STATES: ReadonlyMap<string, BatchState> = new Map([
  ['validating', 'validating'],
  ['scheduling', 'submitted'],
  ['in_progress', 'running'],
  ['finalizing', 'finalizing'],
  ['completed', 'completed'],
  ['failed', 'failed'],
  ['expired', 'expired'],
  ['cancelling', 'cancelling'],
  ['cancelled', 'cancelled'],
]);

function stateOf(word: string): BatchState {
  return STATES.get(word) ?? 'unknown';
}

function intentOf(metadata: unknown): IntentId | null {
  const tag = fieldsOf(metadata)?.[INTENT_TAG];
  return typeof tag === 'string' && /^[0-9a-z]{16}$/.test(tag) ? (tag as IntentId) : null;
}

/** Null unless all three are there: `request_counts: null`, or a part of it, is no count at all (older Azure, some gateways). */
function progressOf(requestCounts: unknown): BatchView['progress'] {
  const counts = fieldsOf(requestCounts);
  const total = readCount(counts?.total);
  const done = readCount(counts?.completed);
  const failed = readCount(counts?.failed);
  return total === null || done === null || failed === null ? null : { total, done, failed };
}

/** `{object: "list", data: […]}`; a bare array at some of its kin. */
function errorsOf(errors: unknown): BatchView['errors'] {
  const list = Array.isArray(errors) ? errors : fieldsOf(errors)?.data;
  return Array.isArray(list) ? list.map(errorOf) : [];
}

function errorOf(value: unknown): BatchView['errors'][number] {
  const error = fieldsOf(value) ?? { message: value };
  const code = textOf(error.code);
  const message = textOf(error.message) ?? 'no reason given';
  return { code, message, line: lineOf(code, error.line), about: aboutOfBatchError(code, message) };
}

/** The wire has one model and one endpoint for all lines: what is wrong with those is wrong with no single row. */
const JOB_CODES: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_mismatch',
  'mismatched_model',
  'url_mismatch',
  'invalid_url',
  'invalid_method',
]);

/** Null where the error is about the file as a whole, whatever line it is pinned to. */
function lineOf(code: string | null, line: unknown): number | null {
  if (typeof line !== 'number' || line < 1) return null;
  return code !== null && JOB_CODES.has(code) ? null : line;
}
