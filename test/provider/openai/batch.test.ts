import { describe, expect, test } from 'vitest';
import { instant } from '../../../runner/ids.ts';
import { isTerminal } from '../../../runner/journal/batch.ts';
import { batchPageOf, batchViewOf } from '../../../runner/provider/openai/batch.ts';

const NOW = instant('2026-11-30T10:00:00Z');

/** As OpenAI writes a batch that has just been created. */
function batch(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'batch_1',
    object: 'batch',
    endpoint: '/v1/responses',
    errors: null,
    input_file_id: 'file-in',
    completion_window: '24h',
    status: 'validating',
    output_file_id: null,
    error_file_id: null,
    created_at: 1790000000,
    in_progress_at: null,
    expires_at: 1790086400,
    finalizing_at: null,
    completed_at: null,
    failed_at: null,
    expired_at: null,
    cancelling_at: null,
    cancelled_at: null,
    request_counts: { total: 0, completed: 0, failed: 0 },
    metadata: { batchwright_intent: 'abcdefghij012345', batchwright_job: 'x' },
    ...changes,
  };
}

test('a batch in our words', () => {
  expect(batchViewOf(batch(), NOW)).toEqual({
    id: 'batch_1',
    state: 'validating',
    providerState: 'validating',
    intent: 'abcdefghij012345',
    inputFileId: 'file-in',
    outputFileId: null,
    errorFileId: null,
    createdAt: '2026-09-21T14:13:20.000Z',
    startedAt: null,
    finalizingAt: null,
    endedAt: null,
    expiresAt: '2026-09-22T14:13:20.000Z',
    progress: { total: 0, done: 0, failed: 0 },
    errors: [],
    serverNow: NOW,
  });
});

describe('states', () => {
  test.each([
    ['validating', 'validating', false],
    ['in_progress', 'running', false],
    ['finalizing', 'finalizing', false],
    ['completed', 'completed', true],
    ['failed', 'failed', true],
    ['expired', 'expired', true],
    ['cancelling', 'cancelling', false],
    ['cancelled', 'cancelled', true],
    ['queued', 'unknown', false],
    ['Completed', 'unknown', false],
    ['BATCH_STATE_RUNNING', 'unknown', false],
    ['constructor', 'unknown', false],
  ] as const)('B047: %s is %s', (word, state, terminal) => {
    const view = batchViewOf(batch({ status: word }), NOW);
    expect(view).toMatchObject({ state, providerState: word });
    expect(isTerminal(view.state)).toBe(terminal);
  });

  test.each(['completed_at', 'failed_at', 'expired_at', 'cancelled_at'])('%s is when it ended', (field) => {
    expect(batchViewOf(batch({ [field]: 1790000060 }), NOW).endedAt).toBe('2026-09-21T14:14:20.000Z');
  });
});

test.each([[''], [null], [undefined], [7]])('B053: a file id of %j is none', (id) => {
  expect(batchViewOf(batch({ output_file_id: id, error_file_id: id }), NOW)).toMatchObject({
    outputFileId: null,
    errorFileId: null,
  });
});

test('B043: line errors, as a list object, bare, and in odd shapes', () => {
  const error = { code: 'invalid_json_line', message: 'm', param: null, line: 3 };
  const expected = [{ code: 'invalid_json_line', message: 'm', line: 3, about: 'request' }];
  expect(batchViewOf(batch({ errors: { object: 'list', data: [error] } }), NOW).errors).toEqual(expected);
  expect(batchViewOf(batch({ errors: [error] }), NOW).errors).toEqual(expected);
  expect(batchViewOf(batch({ errors: { data: ['words', null, { line: 0 }] } }), NOW).errors).toEqual([
    { code: null, message: 'words', line: null, about: 'request' },
    { code: null, message: 'no reason given', line: null, about: 'request' },
    { code: null, message: 'no reason given', line: null, about: 'request' },
  ]);
  expect(batchViewOf(batch({ errors: 'x' }), NOW).errors).toEqual([]);
});

test.each([
  [null],
  [{}],
  [{ batchwright_intent: '' }],
  [{ batchwright_intent: 'SHOUTED012345678' }],
  [{ batchwright_intent: 7 }],
])('metadata %j names no intent', (metadata) => {
  expect(batchViewOf(batch({ metadata }), NOW).intent).toBeNull();
});

test('B050: counts are shown, never trusted to be there or to be numbers', () => {
  expect(batchViewOf(batch({ request_counts: null }), NOW).progress).toBeNull();
  expect(batchViewOf(batch({ request_counts: { total: 8, completed: 4 } }), NOW).progress).toEqual({
    total: 8,
    done: 4,
    failed: 0,
  });
});

test('times may be ISO, absent, or absurd', () => {
  expect(batchViewOf(batch({ created_at: '2026-11-30T09:00:00Z' }), null).createdAt).toBe(
    '2026-11-30T09:00:00.000Z',
  );
  expect(batchViewOf(batch({ created_at: null }), NOW).createdAt).toBe(NOW);
  expect(batchViewOf(batch({ expires_at: 1e300, in_progress_at: 0 }), NOW)).toMatchObject({
    expiresAt: null,
    startedAt: null,
  });
});

describe('what cannot be a batch says nothing about one', () => {
  test.each([
    ['text', 'upstream error'],
    ['null', null],
    ['an array', []],
    ['no id', batch({ id: '' })],
    ['no status', batch({ status: null })],
    ['an error object', { error: { message: 'm' } }],
  ])('%s', (_title, value) => {
    expect(() => batchViewOf(value, NOW)).toThrow();
  });

  test('no time at all', () => {
    expect(() => batchViewOf(batch({ created_at: null }), null)).toThrow('it is no batch');
  });

  test('JSON that came under another content type is read all the same', () => {
    expect(batchViewOf(JSON.stringify(batch()), NOW).id).toBe('batch_1');
  });

  test.each([[{}], [{ data: null }], ['<html>'], [{ data: [{}] }], [null]])(
    'a page of %j is not the end of the list',
    (value) => {
      expect(() => batchPageOf(value, NOW)).toThrow();
    },
  );
});
