import { describe, expect, test } from 'vitest';
import { type Instant, type IntentId, instant, instantOf } from '../../runner/ids.ts';
import { type BatchPage, type ListPage, searchList } from '../../runner/provider/list-walk.ts';
import { batchViewOf } from '../../runner/provider/openai/batch.ts';

const NOW = instant('2026-11-30T10:00:00Z');
const SINCE = instant('2026-11-30T09:00:00Z');
const OURS = 'aaaaaaaaaaaaaaaa' as IntentId;

/** A batch created so many minutes before NOW. */
function batch(id: string, minutesAgo: number, intent: string | null = null) {
  const created_at = Date.parse(NOW) / 1000 - minutesAgo * 60;
  return batchViewOf(
    { id, status: 'in_progress', created_at, metadata: intent ? { batchwright_intent: intent } : null },
    null,
  );
}

function page(batches: BatchPage['batches'], more: boolean | null): BatchPage {
  return { batches, more, last: batches.at(-1)?.id ?? null };
}

/** Serves the pages one after the other, the last for ever, and notes the cursors. */
function pages(...served: BatchPage[]): { list: ListPage; cursors: (string | null)[] } {
  const cursors: (string | null)[] = [];
  const list: ListPage = async (after) => {
    const at = Math.min(cursors.length, served.length - 1);
    cursors.push(after);
    return { kind: 'ok', value: { page: served[at] as BatchPage, serverNow: NOW } };
  };
  return { list, cursors };
}

async function search(...served: BatchPage[]) {
  const { list, cursors } = pages(...served);
  const call = await searchList(list, new Set([OURS]), SINCE);
  if (call.kind !== 'ok') throw new Error(call.error.message);
  return {
    ids: call.value.found.map((found) => found.id),
    complete: call.value.complete,
    cursors,
    serverNow: call.value.serverNow,
  };
}

describe('the walk through the list', () => {
  test('finds ours on a later page and stops where the list is older than the announcement', async () => {
    const got = await search(
      page([batch('b1', 1), batch('b2', 20, 'bbbbbbbbbbbbbbbb')], true),
      page([batch('b3', 40, OURS), batch('b4', 70)], true),
      page([batch('b5', 80, OURS)], true),
    );
    expect(got).toEqual({ ids: ['b3'], complete: true, cursors: [null, 'b2'], serverNow: NOW });
  });

  test('the end of the list is complete, however young it is', async () => {
    expect(await search(page([batch('b1', 1)], false))).toMatchObject({ ids: [], complete: true });
    expect(await search(page([], false))).toMatchObject({ ids: [], complete: true });
  });

  test('a server that does not say whether there is more is asked until a page is empty', async () => {
    const got = await search(
      page([batch('b1', 1)], null),
      page([batch('b2', 2, OURS)], null),
      page([], null),
    );
    expect(got).toMatchObject({ ids: ['b2'], complete: true, cursors: [null, 'b1', 'b2'] });
  });

  test('a batch made while the pages are read is in the list twice and found once', async () => {
    const got = await search(
      page([batch('b1', 5, OURS)], true),
      page([batch('b1', 5, OURS), batch('b2', 6)], false),
    );
    expect(got).toMatchObject({ ids: ['b1'], complete: true });
  });

  test('two of ours are both found: the caller must know', async () => {
    expect(await search(page([batch('b2', 1, OURS), batch('b1', 2, OURS)], false))).toMatchObject({
      ids: ['b2', 'b1'],
    });
  });
});

describe('doubt is not absence', () => {
  test('a cursor that repeats', async () => {
    expect(await search(page([batch('b1', 1)], true))).toMatchObject({
      complete: false,
      cursors: [null, 'b1'],
    });
  });

  test('an empty page that promises more', async () => {
    expect(await search(page([batch('b1', 1)], true), page([], true))).toMatchObject({ complete: false });
  });

  test('a list that is not newest first is walked to its end', async () => {
    const got = await search(
      page([batch('b1', 90), batch('b2', 80), batch('b3', 300)], true),
      page([batch('b4', 70, OURS)], false),
    );
    expect(got).toMatchObject({ ids: ['b4'], complete: true });
  });

  test('a page that cannot be read fails the whole search', async () => {
    const error = { status: 500, code: null, message: 'm', about: 'server' as const, retryAfterMs: null };
    expect(await searchList(async () => ({ kind: 'failed', error }), new Set([OURS]), SINCE)).toEqual({
      kind: 'failed',
      error,
    });
  });

  test('a list without end is given up', async () => {
    let count = 0;
    const list: ListPage = async () => {
      count += 1;
      return {
        kind: 'ok',
        value: { page: page([batch(`b${count}`, 1)], true), serverNow: null as Instant | null },
      };
    };
    const call = await searchList(list, new Set([OURS]), instantOf(0));
    expect(call).toMatchObject({ kind: 'ok', value: { complete: false } });
    expect(count).toBe(1000);
  });
});
