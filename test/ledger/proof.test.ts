import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Duck, openDuck, sqlText } from '../../runner/duck.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { openLedger } from '../../runner/ledger/ledger.ts';
import { boughtTwice, outcomeRows } from '../../runner/ledger/proof.ts';
import { testFolder } from '../support/folder.ts';
import { accepted, frozen, intent, JOB, settled, stateOf } from '../support/journal.ts';

/** Three items; the first and the last have the same request. */
const REQUESTS = ['a', 'b', 'a'];

async function copyTo(path: string, select: string): Promise<void> {
  const duck = await openDuck();
  await duck.run(`COPY (${select}) TO ${sqlText(path)} (FORMAT parquet)`);
  duck.close();
}

async function folderWith(outcomes: Readonly<Record<string, readonly number[]>>): Promise<string> {
  const folder = await testFolder();
  const rows = REQUESTS.map((request, ordinal) => `(${ordinal}, 'k${ordinal}', '${request.repeat(32)}')`);
  await copyTo(
    join(folder, 'manifest.parquet'),
    `SELECT o::INTEGER AS ordinal, k AS key, k AS custom_id, 'h' AS input_hash, r AS request_hash, ['{}', '{}'] AS frozen,
       2 AS body_bytes, 1 AS input_tokens, NULL::VARCHAR AS problem, NULL::VARCHAR AS problem_detail
     FROM (VALUES ${rows.join(', ')}) v(o, k, r)`,
  );
  for (const [name, ordinals] of Object.entries(outcomes)) {
    await copyTo(
      join(folder, name),
      `SELECT unnest([${ordinals}])::INTEGER AS ordinal, 'ok' AS class, 'ok' AS cause, NULL::VARCHAR AS detail, '1' AS answer,
         10 AS input_tokens, 5 AS output_tokens, 0 AS cached_tokens, 0 AS reasoning_tokens, 'm' AS model, 'r' AS response_id`,
    );
  }
  return folder;
}

async function ledgerOf(folder: string, ...groups: JournalEvent[][]): Promise<Duck> {
  const part = { name: 'manifest.parquet', digest: 'm' as never, bytes: 1 };
  const manifest = { digest: 'm' as never, items: 3, setAside: 0, parts: [part], columns: [] };
  const ledger = await openLedger({
    job: JOB.name,
    state: stateOf([frozen({ manifest })], ...groups),
    path: join(folder, 'ledger.duckdb'),
    work: folder,
    pathOf: async ({ name }) => join(folder, name.split('/').at(-1) ?? ''),
    provenPathOf: async ({ name }) => join(folder, name.split('/').at(-1) ?? ''),
    proveFiles: async () => {},
    retry: JOB.retry,
    sinks: [],
    withdrawn: false,
  });
  onTestFinished(() => ledger.close());
  return ledger.duck;
}

const sent = (n: number, first: number, last: number): JournalEvent[][] => [
  [intent(n, { ordinals: [[first, last]], count: last - first + 1 })],
  [accepted(n)],
  [settled(n, { ok: last - first + 1 })],
];

it('finds a request that has two answers, in whatever items it was sent', async () => {
  const folder = await folderWith({ 'outcomes-1.parquet': [0, 1], 'outcomes-2.parquet': [1, 2] });
  const duck = await ledgerOf(folder, ...sent(1, 0, 1), ...sent(2, 1, 2));
  expect(await boughtTwice(duck, 1)).toMatchObject({
    requests: 2,
    examples: [
      {
        request: 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa',
        times: 2,
        place: 'run 1 shard 1, run 1 shard 2',
      },
    ],
  });
});

it('finds none where each was answered once', async () => {
  const folder = await folderWith({ 'outcomes-1.parquet': [0, 1] });
  expect(await boughtTwice(await ledgerOf(folder, ...sent(1, 0, 1)), 5)).toEqual({
    requests: 0,
    examples: [],
  });
});

it('counts what an outcomes file holds against what was announced', async () => {
  const folder = await folderWith({ 'outcomes-1.parquet': [0, 1, 1, 7] });
  const duck = await openDuck();
  onTestFinished(() => duck.close());
  const ordinals = [
    [0, 0],
    [1, 2],
  ] as const;
  expect(await outcomeRows(duck, join(folder, 'outcomes-1.parquet'), ordinals)).toEqual({
    rows: 4,
    ordinals: 3,
    own: 2,
    inputTokens: 40,
    outputTokens: 20,
    counts: { ok: 4 },
  });
});
