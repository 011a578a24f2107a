import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDuck, sqlText } from '../../runner/duck.ts';
import { answersPieces, answersSelect } from '../../runner/ledger/answers.ts';
import { dispositionCounts, sendableCounts } from '../../runner/ledger/books.ts';
import { type Ledger, openLedger } from '../../runner/ledger/ledger.ts';
import { rangesTo } from '../../runner/ledger/ranges.ts';
import { sendableRows } from '../../runner/ledger/send.ts';
import { testFolder } from '../support/folder.ts';
import { accepted, frozen, intent, JOB, settled, stateOf } from '../support/journal.ts';

it.each([
  [0, []],
  [1, [[0, 0]]],
  [100_000, [[0, 99_999]]],
  [
    100_001,
    [
      [0, 99_999],
      [100_000, 100_000],
    ],
  ],
])('%i items are covered', (items, ranges) => {
  expect(rangesTo(items)).toEqual(ranges);
});

const ITEMS = 250_000;

describe('a run that is looked at in several ranges', () => {
  it('adds up, and gives what can be sent in order', async () => {
    const ledger = await ledgerOf('ordinal');
    expect(await dispositionCounts(ledger.duck, 1)).toEqual({ valid_not_applied: 100_000, unsent: 150_000 });
    expect((await sendableCounts(ledger.duck, 1)).first).toBe(150_000);
    const rows = [...(await sendableRows(ledger.duck, 1, ['first'], 120_000))];
    expect(rows.length).toBe(120_000);
    expect([rows[0]?.ordinal, rows.at(-1)?.ordinal]).toEqual([50_000, 169_999]);
    ledger.close();
  });

  it('counts equal requests once, also where they lie in different ranges', async () => {
    // Of the requests 0 to 119,999 those from 50,000 to 79,999 are open, each asked for by two items.
    const ledger = await ledgerOf('ordinal % 120_000');
    expect(await dispositionCounts(ledger.duck, 1)).toEqual({ valid_not_applied: 190_000, unsent: 60_000 });
    expect((await sendableCounts(ledger.duck, 1)).first).toBe(30_000);
    const rows = [...(await sendableRows(ledger.duck, 1, ['first'], ITEMS))];
    expect([rows.length, rows[0]?.ordinal, rows.at(-1)?.ordinal]).toEqual([30_000, 50_000, 79_999]);
    ledger.close();
  });

  it('is told the same by the quick view, where no request occurs twice', async () => {
    const ledger = await ledgerOf('ordinal', [1]);
    expect(await dispositionCounts(ledger.duck, 1)).toEqual({
      valid_not_applied: 50_000,
      in_flight: 50_000,
      unsent: 150_000,
    });
    const [differing] = await ledger.duck.rows<{ n: number }>(
      `SELECT count(*)::INTEGER AS n FROM (
         (FROM item_state EXCEPT FROM item_state_alone) UNION ALL (FROM item_state_alone EXCEPT FROM item_state))`,
    );
    expect(differing).toEqual({ n: 0 });
    ledger.close();
  });

  it('has the same answers in pieces as in one', async () => {
    const ledger = await ledgerOf('ordinal');
    const { duck } = ledger;
    const order = { run: 1, key: ['id'], pass: [], keepFrom: [] };
    const pieces = answersPieces(order, () => ITEMS);
    expect(pieces).toHaveLength(3);
    const whole = answersSelect(order);
    const [counts] = await duck.rows<{ whole: number; pieces: number; both: number }>(
      `SELECT (SELECT count(*) FROM (${whole}))::INTEGER AS whole,
         (SELECT count(*) FROM (${pieces.join(' UNION ALL ')}))::INTEGER AS pieces,
         (SELECT count(*) FROM (${whole} INTERSECT (${pieces.join(' UNION ALL ')})))::INTEGER AS "both"`,
    );
    expect(counts).toEqual({ whole: 100_000, pieces: 100_000, both: 100_000 });
    ledger.close();
  });
});

/**
 * A quarter of a million items, of which the first and the last fifty thousand were sent. `request`: of an ordinal;
 * `done`: which of the two shards are answered.
 */
async function ledgerOf(request: string, done: readonly number[] = [1, 2]): Promise<Ledger> {
  const folder = await testFolder();
  await writeFiles(folder, request);
  const part = { name: 'manifest.parquet', digest: 'm' as never, bytes: 1 };
  const run = frozen({
    manifest: { digest: 'm' as never, items: ITEMS, setAside: 0, parts: [part], columns: ['id'] },
  });
  const sent = [1, 2].map((n) => intent(n, { ordinals: [n === 1 ? [0, 49_999] : [200_000, 249_999]] }));
  const answered = done.map((n) => [settled(n, {})]);
  const state = stateOf([run], sent, [accepted(1), accepted(2)], ...answered);
  return openLedger({
    job: JOB.name,
    state,
    path: join(folder, 'ledger.duckdb'),
    work: folder,
    pathOf: async ({ name }) => join(folder, name.split('/').at(-1) ?? ''),
    provenPathOf: async ({ name }) => join(folder, name.split('/').at(-1) ?? ''),
    proveFiles: async () => {},
    retry: JOB.retry,
    sinks: ['parquet:out/tickets.parquet'],
    withdrawn: false,
  });
}

async function writeFiles(folder: string, request: string): Promise<void> {
  const duck = await openDuck();
  const copy = (select: string, name: string) =>
    duck.run(`COPY (${select}) TO ${sqlText(join(folder, name))} (FORMAT parquet)`);
  await copy(
    `SELECT ordinal::INTEGER AS ordinal, 'k' || ordinal AS key, 'c' || ordinal AS custom_id, 'h' AS input_hash,
       md5((${request})::VARCHAR) AS request_hash, ['{}', '{}'] AS frozen, 2 AS body_bytes, 3 AS input_tokens,
       NULL::VARCHAR AS problem, NULL::VARCHAR AS problem_detail FROM range(${ITEMS}) t(ordinal)`,
    'manifest.parquet',
  );
  for (const [n, first] of [
    [1, 0],
    [2, 200_000],
  ]) {
    await copy(
      `SELECT (${first} + i)::INTEGER AS ordinal, 'ok' AS class, 'ok' AS cause, NULL::VARCHAR AS detail, '"a"' AS answer,
         1 AS input_tokens, 1 AS output_tokens, 0 AS cached_tokens, 0 AS reasoning_tokens, 'm' AS model, 'r' AS response_id
       FROM range(50_000) t(i)`,
      `outcomes-${n}.parquet`,
    );
  }
  duck.close();
}
