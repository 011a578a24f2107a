import { describe, expect, test } from 'vitest';
import { instant } from '../../../runner/ids.ts';
import { batchPageOf, batchViewOf } from '../../../runner/provider/gemini/batch.ts';

const NOW = instant('2026-11-30T10:00:00Z');
const TYPE = 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch';

function operation(metadata: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  return {
    name: 'batches/abc',
    metadata: {
      '@type': TYPE,
      model: 'models/gemini-3.8-flash',
      displayName: 'abcdefghij012345',
      state: 'BATCH_STATE_PENDING',
      createTime: '2026-11-30T09:00:00.123456789Z',
      updateTime: '2026-11-30T09:00:00Z',
      inputConfig: { fileName: 'files/abcdefghij012345' },
      batchStats: { requestCount: '2', pendingRequestCount: '2' },
      ...metadata,
    },
    ...more,
  };
}

test('an ended batch in our words', () => {
  const output = { responsesFile: 'files/batch-abc' };
  const value = operation(
    {
      state: 'BATCH_STATE_SUCCEEDED',
      endTime: '2026-11-30T09:30:00Z',
      batchStats: { requestCount: '3', successfulRequestCount: '2', failedRequestCount: '1' },
      output,
    },
    { done: true, response: output },
  );
  expect(batchViewOf(value, NOW)).toEqual({
    id: 'batches/abc',
    state: 'completed',
    providerState: 'BATCH_STATE_SUCCEEDED',
    intent: 'abcdefghij012345',
    inputFileId: 'files/abcdefghij012345',
    outputFileId: 'files/batch-abc',
    errorFileId: null,
    createdAt: '2026-11-30T09:00:00.123Z',
    startedAt: null,
    finalizingAt: null,
    endedAt: '2026-11-30T09:30:00.000Z',
    expiresAt: null,
    progress: { total: 3, done: 2, failed: 1 },
    errors: [],
    serverNow: NOW,
  });
});

test.each([
  ['BATCH_STATE_PENDING', 'submitted'],
  ['BATCH_STATE_RUNNING', 'running'],
  ['BATCH_STATE_SUCCEEDED', 'completed'],
  ['BATCH_STATE_FAILED', 'failed'],
  ['BATCH_STATE_CANCELLED', 'cancelled'],
  ['BATCH_STATE_EXPIRED', 'expired'],
  ['JOB_STATE_SUCCEEDED', 'completed'],
  ['JOB_STATE_PARTIALLY_SUCCEEDED', 'completed'],
  ['JOB_STATE_QUEUED', 'submitted'],
  ['JOB_STATE_CANCELLING', 'cancelling'],
  ['BATCH_STATE_UNSPECIFIED', 'unknown'],
  ['BATCH_STATE_PAUSED', 'unknown'],
  [undefined, 'unknown'],
])('B047: %s is %s', (state, expected) => {
  expect(batchViewOf(operation({ state }), NOW).state).toBe(expected);
});

test('counts are text, and a zero is left out', () => {
  expect(batchViewOf(operation({ batchStats: { requestCount: '2' } }), NOW).progress).toEqual({
    total: 2,
    done: 0,
    failed: 0,
  });
  expect(
    batchViewOf(operation({ batchStats: { requestCount: 2, failedRequestCount: '-1' } }), NOW).progress,
  ).toEqual({
    total: 2,
    done: 0,
    failed: 0,
  });
  expect(batchViewOf(operation({ batchStats: undefined }), NOW).progress).toBeNull();
});

test('the error of a failed batch is kept, with what it is about', () => {
  const error = { code: 8, message: 'Quota exceeded.' };
  expect(batchViewOf(operation({ state: 'BATCH_STATE_FAILED' }, { done: true, error }), NOW).errors).toEqual([
    { code: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded.', line: null, about: 'capacity' },
  ]);
});

test.each<readonly [string, Record<string, unknown>, string | null]>([
  ['display name', { inputConfig: undefined }, 'abcdefghij012345'],
  ['name of the input file', { displayName: 'mine' }, 'abcdefghij012345'],
  ['neither', { displayName: 'nightly run', inputConfig: { fileName: 'files/upload-7' } }, null],
])('B040: whose it is, by the %s', (_title, metadata, intent) => {
  expect(batchViewOf(operation(metadata), NOW).intent).toBe(intent);
});

test.each([
  ['no object', []],
  ['no name', operation({}, { name: undefined })],
  ['a name that would be another address', operation({}, { name: 'batches/../files/x' })],
  ['an error of the call', { error: { code: 500, message: 'm' } }],
])('%s is no batch', (_title, value) => {
  expect(() => batchViewOf(value, NOW)).toThrow('no');
});

test('a result file whose name would be another address is none', () => {
  expect(
    batchViewOf(operation({ output: { responsesFile: 'files/a?b=../..' } }), NOW).outputFileId,
  ).toBeNull();
});

describe('a page of the list', () => {
  test('with the token of the next', () => {
    const page = batchPageOf({ operations: [operation()], nextPageToken: 't' }, NOW);
    expect(page).toMatchObject({ batches: [{ id: 'batches/abc' }], last: 't', more: true });
  });

  test.each([[{}], [{ operations: [], nextPageToken: '' }], [{ unreachable: [] }]])(
    '%j is the end',
    (value) => {
      expect(batchPageOf(value, NOW)).toEqual({ batches: [], last: null, more: false });
    },
  );

  test.each([
    ['an error', { error: { code: 500 } }],
    ['another list', { data: [] }],
    ['a part that is missing', { operations: [], unreachable: ['europe'] }],
    ['something else', { operations: 'none' }],
    ['an entry that is none', { operations: [{}] }],
  ])('%s is no proof of absence', (_title, value) => {
    expect(() => batchPageOf(value, NOW)).toThrow();
  });
});
