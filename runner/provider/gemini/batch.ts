import type { Instant, IntentId } from '../../ids.ts';
import type { BatchState, BatchView } from '../../journal/batch.ts';
import { UnreadableAnswer } from '../call-errors.ts';
import { countOf, type Fields, fieldsOf, objectOf, textOf, timeOf } from '../fields.ts';
import type { BatchPage } from '../list-walk.ts';
import { aboutOf, errorFacts } from './errors.ts';

/**
 * A batch in our words, from the long-running operation that every call answers with. What is not there is null, and
 * what must be there and is not makes the answer unreadable, which says nothing about the batch.
 * @throws UnreadableAnswer where the value cannot be a batch
 */
export function batchViewOf(value: unknown, serverNow: Instant | null): BatchView {
  const operation = objectOf(value);
  const metadata = fieldsOf(operation.metadata) ?? {};
  const id = nameOf(operation.name, 'batches');
  const createdAt = timeOf(metadata.createTime) ?? serverNow;
  if (id === null || createdAt === null) throw new UnreadableAnswer('it is no batch');
  const providerState = textOf(metadata.state) ?? 'none';
  const inputFileId = nameOf(fieldsOf(metadata.inputConfig)?.fileName, 'files');
  return {
    id,
    state: stateOf(providerState),
    providerState,
    intent: intentOf(metadata.displayName) ?? intentOf(inputFileId?.slice('files/'.length)),
    inputFileId,
    outputFileId: outputOf(operation, metadata),
    // Failed lines stand among the answers.
    errorFileId: null,
    createdAt,
    startedAt: null,
    finalizingAt: null,
    endedAt: timeOf(metadata.endTime),
    expiresAt: null,
    progress: progressOf(metadata.batchStats),
    errors: errorsOf(operation.error),
    serverNow,
  };
}

/**
 * One page of `GET batches`. An empty list has no `operations` at all, so that only a page without anything else may
 * pass for one; `unreachable` is Google's way to say that a part of the list is missing.
 * @throws UnreadableAnswer where the page cannot be trusted to be all there is
 */
export function batchPageOf(value: unknown, serverNow: Instant | null): BatchPage {
  const page = objectOf(value);
  const { operations = [], nextPageToken, unreachable = [], ...rest } = page;
  if (!Array.isArray(operations) || Object.keys(rest).length > 0)
    throw new UnreadableAnswer('it is no list of batches');
  if (!Array.isArray(unreachable) || unreachable.length > 0)
    throw new UnreadableAnswer('a part of the list of batches could not be reached');
  const last = textOf(nextPageToken);
  return { batches: operations.map((each) => batchViewOf(each, serverNow)), last, more: last !== null };
}

/** A resource's name, `batches/…` or `files/…`, which becomes part of an address: nothing else may stand in it. */
export function nameOf(value: unknown, collection: 'batches' | 'files'): string | null {
  const text = textOf(value);
  return text !== null && new RegExp(`^${collection}/[A-Za-z0-9_-]{1,200}$`).test(text) ? text : null;
}

/** `displayName` and the input file's name are the intent and nothing more. */
function intentOf(name: unknown): IntentId | null {
  return typeof name === 'string' && /^[0-9a-z]{16}$/.test(name) ? (name as IntentId) : null;
}

/** The result's name stands in both places once the batch has ended. */
function outputOf(operation: Fields, metadata: Fields): string | null {
  const output = fieldsOf(metadata.output) ?? fieldsOf(operation.response);
  return nameOf(output?.responsesFile, 'files');
}

/**
 * `BATCH_STATE_…`, or `JOB_STATE_…` as the documents' samples and the SDK have it, with some words of Vertex. Any other
 * is not terminal and is shown as it stands.
 */
const STATES: ReadonlyMap<string, BatchState> = new Map([
  ['QUEUED', 'submitted'],
  ['PENDING', 'submitted'],
  ['RUNNING', 'running'],
  ['SUCCEEDED', 'completed'],
  ['PARTIALLY_SUCCEEDED', 'completed'],
  ['FAILED', 'failed'],
  ['CANCELLING', 'cancelling'],
  ['CANCELLED', 'cancelled'],
  ['EXPIRED', 'expired'],
]);

function stateOf(word: string): BatchState {
  return STATES.get(word.replace(/^(BATCH|JOB)_STATE_/, '')) ?? 'unknown';
}

function progressOf(value: unknown): BatchView['progress'] {
  const stats = fieldsOf(value);
  if (stats === null) return null;
  return {
    total: longOf(stats.requestCount),
    done: longOf(stats.successfulRequestCount),
    failed: longOf(stats.failedRequestCount),
  };
}

/** Protocol buffers write an int64 as text, and leave out a zero. */
function longOf(value: unknown): number {
  return countOf(typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value);
}

/** Why the whole batch failed; it names no line. */
function errorsOf(error: unknown): BatchView['errors'] {
  if (fieldsOf(error) === null) return [];
  const facts = errorFacts(error, 'no reason given');
  return [{ code: facts.word, message: facts.message, line: null, about: aboutOf(facts) }];
}
