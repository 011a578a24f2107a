import { describe, expect, test } from 'vitest';
import { instant } from '../../../runner/ids.ts';
import { isTerminal } from '../../../runner/journal/batch.ts';
import { batchPageOf, batchViewOf } from '../../../runner/provider/anthropic/batch.ts';

const NOW = instant('2026-11-30T10:00:00Z');
const NONE = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };

/** As Anthropic writes a batch that has just been created. */
function batch(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'msgbatch_1',
    type: 'message_batch',
    processing_status: 'in_progress',
    request_counts: { ...NONE, processing: 7 },
    created_at: '2026-11-30T09:59:58.123456+00:00',
    expires_at: '2026-12-01T09:59:58.123456+00:00',
    ended_at: null,
    cancel_initiated_at: null,
    archived_at: null,
    results_url: null,
    ...changes,
  };
}

test('a batch in our words', () => {
  expect(batchViewOf(batch(), NOW)).toEqual({
    id: 'msgbatch_1',
    state: 'running',
    providerState: 'in_progress',
    intent: null,
    inputFileId: null,
    outputFileId: null,
    errorFileId: null,
    createdAt: '2026-11-30T09:59:58.123Z',
    startedAt: '2026-11-30T09:59:58.123Z',
    finalizingAt: null,
    endedAt: null,
    expiresAt: '2026-12-01T09:59:58.123Z',
    progress: { total: 7, done: 0, failed: 0 },
    errors: [],
    serverNow: NOW,
  });
});

describe('states', () => {
  const ended = (counts: Partial<typeof NONE>) => ({
    processing_status: 'ended',
    ended_at: '2026-11-30T10:00:00Z',
    request_counts: { ...NONE, ...counts },
  });
  test.each<readonly [string, Record<string, unknown>, string, boolean]>([
    ['in_progress', {}, 'running', false],
    ['canceling', { processing_status: 'canceling' }, 'cancelling', false],
    ['all succeeded', ended({ succeeded: 7 }), 'completed', true],
    ['all failed', ended({ errored: 7 }), 'completed', true],
    ['some expired', ended({ succeeded: 3, expired: 4 }), 'expired', true],
    ['some cancelled', ended({ succeeded: 3, canceled: 4 }), 'cancelled', true],
    ['a cancel that came too late', ended({ succeeded: 7, canceled: 0 }), 'completed', true],
    ['no counts', { processing_status: 'ended', request_counts: undefined }, 'completed', true],
    ['B047: a word of tomorrow', { processing_status: 'archiving' }, 'unknown', false],
  ])('%s', (_title, changes, state, terminal) => {
    const view = batchViewOf(batch(changes), NOW);
    expect(view.state).toBe(state);
    expect(isTerminal(view.state)).toBe(terminal);
  });
});

test('the results are known by the id of the batch, wherever the address leads', () => {
  const there = batch({ results_url: 'https://elsewhere.example/results' });
  expect(batchViewOf(there, NOW).outputFileId).toBe('msgbatch_1');
  expect(batchViewOf(batch({ results_url: '' }), NOW).outputFileId).toBeNull();
});

test.each<readonly [string, unknown]>([
  ['no object', []],
  ['no id', batch({ id: null })],
  ['no status', batch({ processing_status: undefined })],
  ['an error', { type: 'error', error: { type: 'api_error' } }],
])('%s is no batch', (_title, value) => {
  expect(() => batchViewOf(value, NOW)).toThrow(/^it is n/);
});

describe('a page of the list', () => {
  test('has its batches, the cursor and whether there is more', () => {
    const page = {
      data: [batch(), batch({ id: 'msgbatch_0' })],
      has_more: true,
      first_id: 'x',
      last_id: 'y',
    };
    expect(batchPageOf(page, NOW)).toMatchObject({ last: 'msgbatch_0', more: true });
    expect(batchPageOf({ data: [] }, NOW)).toEqual({ batches: [], last: null, more: null });
  });

  test('without a list it is unreadable, and not the end', () => {
    expect(() => batchPageOf({ has_more: false }, NOW)).toThrow('it is no list of batches');
  });
});
