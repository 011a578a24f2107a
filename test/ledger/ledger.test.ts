import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Duck, openDuck, sqlText } from '../../runner/duck.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import type { JournalState } from '../../runner/journal/state.ts';
import { dispositionCounts, rounds, sendableCounts } from '../../runner/ledger/books.ts';
import { type Ledger, type LedgerInput, openLedger } from '../../runner/ledger/ledger.ts';
import { sendableRows, writeWire } from '../../runner/ledger/send.ts';
import { linesOfFile } from '../../runner/lines.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import { testFolder } from '../support/folder.ts';
import { accepted, frozen, intent, intentId, JOB, SHAPE, settled, stateOf } from '../support/journal.ts';
import { contentsOf } from '../support/reading.ts';

const PART = { name: 'tickets/runs/1/manifest.parquet', digest: 'm' as never, bytes: 1 };
const RUN = frozen({
  manifest: { digest: 'm' as never, items: 6, setAside: 1, parts: [PART], columns: ['id'] },
});

/** Six items: two with one request, one set aside. */
async function manifestFile(folder: string): Promise<void> {
  const duck = await openDuck();
  const rows = ['a', 'b', 'c', 'c', 'd'].map((request, ordinal) => row(ordinal, request));
  const columns =
    'ordinal, key, custom_id, input_hash, request_hash, frozen, body_bytes, input_tokens, problem, problem_detail';
  await duck.run(
    `COPY (SELECT ordinal::INTEGER AS ordinal, * EXCLUDE (ordinal) FROM (VALUES ${[...rows, BAD].join(', ')}) AS v(${columns})) TO ${sqlText(join(folder, 'manifest.parquet'))} (FORMAT parquet)`,
  );
  duck.close();
}

const row = (ordinal: number, request: string) =>
  `(${ordinal}, 'k${ordinal}', 'id${ordinal}', 'h', '${request.repeat(32)}', ['{"id":"k${ordinal}"}', '{"q":"${request}"}'], 9, 3, NULL, NULL)`;
const BAD = "(5, NULL, NULL, NULL, NULL, ['x', NULL], 0, 0, 'bad-row', 'three fields')";

async function outcomesFile(folder: string, n: number, classes: Record<number, OutcomeClass>): Promise<void> {
  const duck = await openDuck();
  const rows = Object.entries(classes).map(
    ([ordinal, of]) =>
      `(${ordinal}, '${of}', 'cause', NULL, ${of === 'ok' ? `'"answer ${ordinal}"'` : 'NULL'}, 10, 5, 0, 0, 'model-1', 'r')`,
  );
  const columns =
    'ordinal, class, cause, detail, answer, input_tokens, output_tokens, cached_tokens, reasoning_tokens, model, response_id';
  await duck.run(
    `COPY (SELECT * FROM (VALUES ${rows.join(', ')}) AS v(${columns})) TO ${sqlText(join(folder, `outcomes-${n}.parquet`))} (FORMAT parquet)`,
  );
  duck.close();
}

async function ledgerOf(folder: string, state: JournalState) {
  return openLedger(inputOf(folder, state));
}

function inputOf(folder: string, state: JournalState): LedgerInput {
  return {
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
  };
}

async function books(folder: string, ...groups: JournalEvent[][]) {
  const ledger = await ledgerOf(folder, stateOf(...groups));
  const result = await booksOf(ledger);
  ledger.close();
  return result;
}

async function booksOf({ duck }: Ledger) {
  return {
    books: await dispositionCounts(duck, 1),
    sendable: await sendableCounts(duck, 1),
    rounds: await rounds(duck, 1),
  };
}

async function folderWithManifest(): Promise<string> {
  const folder = await testFolder();
  await manifestFile(folder);
  return folder;
}

const first = intent(1, {
  ordinals: [
    [0, 2],
    [4, 4],
  ],
  count: 4,
});

describe('the books of a run', () => {
  it('add up at every step, and equal requests are sent once', async () => {
    const folder = await folderWithManifest();
    expect(await books(folder, [RUN])).toMatchObject({
      books: { unsent: 5, set_aside: 1 },
      sendable: { first: 4, retry: 0 },
    });
    expect(await books(folder, [RUN], [first])).toMatchObject({
      books: { ambiguous: 5, set_aside: 1 },
      sendable: { first: 0 },
    });
    expect(await books(folder, [RUN], [first], [accepted(1)])).toMatchObject({
      books: { in_flight: 5, set_aside: 1 },
    });
    await outcomesFile(folder, 1, { 0: 'ok', 1: 'provider_error', 2: 'ok', 4: 'refused' });
    const after = await books(folder, [RUN], [first], [accepted(1)], [settled(1, {})]);
    expect(after).toEqual({
      books: { valid_not_applied: 3, waiting: 1, refused: 1, set_aside: 1 },
      sendable: { first: 0, retry: 1, raisedCap: 0, stalled: 0, cancelled: 0 },
      rounds: [{ attempts: 4, ok: 2 }],
    });
  });

  it('tell an answer that was bought from one that is reused, once the sink has it', async () => {
    const folder = await folderWithManifest();
    await outcomesFile(folder, 1, { 0: 'ok', 1: 'ok', 2: 'ok', 4: 'invalid_request' });
    const { books: counts } = await books(folder, [RUN], [first], [accepted(1)], [settled(1, {})], [APPLIED]);
    expect(counts).toEqual({ applied: 3, reused: 1, failed: 1, set_aside: 1 });
  });

  it('give items of a refused or absent batch back without an attempt', async () => {
    const folder = await folderWithManifest();
    const absent: JournalEvent = { type: 'submit.absent', intent: intentId(1), job: JOB.name, proof: 'none' };
    expect(await books(folder, [RUN], [first], [absent])).toMatchObject({
      books: { unsent: 5 },
      sendable: { first: 4 },
      rounds: [],
    });
  });

  it('carry answers and refusals over to a later run of the account, and to no other account', async () => {
    const folder = await folderWithManifest();
    await outcomesFile(folder, 1, { 0: 'ok', 1: 'refused', 2: 'provider_error', 4: 'ok' });
    const second = { ...RUN, run: 2 };
    const other = { ...RUN, run: 3, account: 'openai/other' as never };
    const ledger = await ledgerOf(
      folder,
      stateOf([RUN], [first], [accepted(1)], [settled(1, {})], [second], [other]),
    );
    expect(await dispositionCounts(ledger.duck, 2)).toEqual({ superseded: 4, refused: 1, set_aside: 1 });
    expect(await dispositionCounts(ledger.duck, 3)).toEqual({ unsent: 5, set_aside: 1 });
    ledger.close();
  });
});

it('is the same whether it was brought up step by step or rebuilt at once', async () => {
  const folder = await folderWithManifest();
  await outcomesFile(folder, 1, { 0: 'ok', 1: 'provider_error', 2: 'ok', 4: 'refused' });
  const groups: JournalEvent[][] = [[RUN], [first], [accepted(1)], [settled(1, {})]];
  for (let seq = 1; seq <= groups.length; seq += 1) await books(folder, ...groups.slice(0, seq));
  const grown = await dump(folder, stateOf(...groups));
  await writeFile(join(folder, 'ledger.duckdb'), 'this is no database');
  expect(await dump(folder, stateOf(...groups))).toEqual(grown);
});

it('says the same at each step whether it stays open or is opened anew', async () => {
  const [open, anew] = [await folderWithManifest(), await folderWithManifest()];
  for (const folder of [open, anew])
    await outcomesFile(folder, 1, { 0: 'ok', 1: 'provider_error', 2: 'ok', 4: 'refused' });
  const groups: JournalEvent[][] = [[RUN], [first], [accepted(1)], [settled(1, {})]];
  const ledger = await ledgerOf(open, stateOf([RUN]));
  for (let seq = 1; seq <= groups.length; seq += 1) {
    await ledger.update(inputOf(open, stateOf(...groups.slice(0, seq))));
    expect(await booksOf(ledger)).toEqual(await books(anew, ...groups.slice(0, seq)));
  }
  // A person allows no second try: nothing new in the journal, and yet another decision.
  const strict = { ...inputOf(open, stateOf(...groups)), retry: { ...JOB.retry, maxAttempts: 1 } };
  await ledger.update(strict);
  expect((await booksOf(ledger)).books).toMatchObject({ failed: 1 });
  ledger.close();
});

it('holds the same tables at each step whether it stays open or is made anew, whatever the journal says', async () => {
  const open = await folderWithManifest();
  const classes = { 0: 'ok', 1: 'truncated', 2: 'ok', 4: 'invalid_output' } as const;
  const revised = { name: 'tickets/runs/1/outcomes-9.parquet', digest: 'r' as never, bytes: 1 };
  const groups: JournalEvent[][] = [
    [RUN],
    [first],
    [accepted(1)],
    [settled(1, {})],
    [APPLIED],
    [{ type: 'retry.asked', job: JOB.name, run: 1, classes: ['truncated'], by: 'ada' }],
    [{ ...APPLIED, rows: 5, throughSeq: 6 }],
    [{ ...RUN, run: 2 }],
    [intent(2, { run: 2, ordinals: [[4, 4]], count: 1 })],
    [
      {
        type: 'outcomes.revised',
        intent: intentId(1),
        job: JOB.name,
        run: 1,
        check: 'c' as never,
        outcomes: revised,
        summary: {
          counts: {},
          usage: NO_USAGE,
          withoutUsage: 0,
          models: {},
          lines: { own: 0, foreign: 0, unparsed: 0 },
        },
        usd: 1,
        wastedUsd: 0,
        why: 'check',
        collections: 1,
      },
    ],
    [{ type: 'submit.absent', intent: intentId(2), job: JOB.name, proof: 'none' }],
    [{ ...APPLIED, run: 2, throughSeq: 10 }],
  ];
  const outcomes = async (folder: string) => {
    await outcomesFile(folder, 1, classes);
    await outcomesFile(folder, 9, { ...classes, 0: 'invalid_output', 4: 'ok' });
  };
  await outcomes(open);
  const ledger = await ledgerOf(open, stateOf([RUN]));
  for (let seq = 1; seq <= groups.length; seq += 1) {
    const state = stateOf(...groups.slice(0, seq));
    const anew = await folderWithManifest();
    await outcomes(anew);
    for (const more of [{}, { withdrawn: true }, { sinks: [] }, {}]) {
      await ledger.update({ ...inputOf(open, state), ...more });
      const fresh = await openLedger({ ...inputOf(anew, state), ...more });
      expect(await tablesOf(ledger.duck), `after event ${seq}, ${JSON.stringify(more)}`).toEqual(
        await tablesOf(fresh.duck),
      );
      fresh.close();
      await rm(join(anew, 'ledger.duckdb'));
    }
  }
  ledger.close();
});

const NO_USAGE = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

const APPLIED: Extract<JournalEvent, { type: 'applied' }> = {
  type: 'applied',
  job: JOB.name,
  run: 1,
  sink: 'parquet:out/tickets.parquet',
  path: 'out/tickets.parquet',
  digest: 'x' as never,
  bytes: 1,
  rows: 4,
  throughSeq: 4,
  shape: SHAPE,
};

/** Everything in the tables but how far they are. */
async function tablesOf(duck: Duck): Promise<Record<string, unknown>> {
  const { meta: _, ...tables } = await contentsOf(duck);
  return tables;
}

it('makes good at the next update what one that failed has left, however far that came', async () => {
  const groups: JournalEvent[][] = [[RUN], [first], [accepted(1)], [settled(1, {})]];
  const anew = await folderWithManifest();
  await outcomesFile(anew, 1, { 0: 'ok', 1: 'provider_error', 2: 'ok', 4: 'refused' });
  const expected = await dump(anew, stateOf(...groups));
  const folder = await folderWithManifest();
  await outcomesFile(folder, 1, { 0: 'ok', 1: 'provider_error', 2: 'ok', 4: 'refused' });
  const input = inputOf(folder, stateOf(...groups));
  let failures = 0;
  for (let at = 1; ; at += 1) {
    const ledger = await ledgerOf(folder, stateOf([RUN], [first]));
    const failed = await failingAt(at, ledger.duck, () => ledger.update(input));
    if (failed) failures += 1;
    await ledger.update(input);
    ledger.close();
    expect(await dump(folder, stateOf(...groups)), `after a failure of statement ${at}`).toEqual(expected);
    await rm(join(folder, 'ledger.duckdb'));
    if (!failed) break;
  }
  expect(failures).toBeGreaterThan(8);
});

/** Lets the ledger's n-th statement fail, as for want of memory; false where there were fewer. */
async function failingAt(at: number, duck: Duck, work: () => Promise<void>): Promise<boolean> {
  const { connection } = duck;
  const run = connection.run.bind(connection);
  let statements = 0;
  const failing: typeof run = async (sql, values) => {
    statements += 1;
    if (statements === at && sql !== 'ROLLBACK') throw new Error('Out of Memory Error');
    return run(sql, values);
  };
  Object.assign(connection, { run: failing });
  const failed = await work().then(
    () => false,
    () => true,
  );
  Object.assign(connection, { run });
  return failed;
}

it('throws away a ledger that is ahead of the journal or of another history', async () => {
  const folder = await folderWithManifest();
  await outcomesFile(folder, 1, { 0: 'ok', 1: 'ok', 2: 'ok', 4: 'ok' });
  await books(folder, [RUN], [first], [accepted(1)], [settled(1, {})]);
  expect((await books(folder, [RUN])).books).toEqual({ unsent: 5, set_aside: 1 });
});

it('B084: builds a ledger of its own where another process holds the file', async () => {
  const folder = await folderWithManifest();
  const { execa } = await import('execa');
  const holder = execa('node', ['--input-type=module', '-e', HOLD, join(folder, 'ledger.duckdb')], {
    cwd: process.cwd(),
  });
  await new Promise<void>((resolve, reject) => {
    holder.stdout.once('data', () => resolve());
    holder.catch(reject);
  });
  expect((await books(folder, [RUN])).books).toEqual({ unsent: 5, set_aside: 1 });
  holder.kill();
  await holder.catch(() => {});
});

const HOLD = `import { DuckDBInstance } from '@duckdb/node-api';
const instance = await DuckDBInstance.create(process.argv[1]);
await (await instance.connect()).run('CREATE TABLE held (x INTEGER)');
console.log('held');
setInterval(() => {}, 1000);`;

it('writes wire lines in the order of the ordinals, each with its own id', async () => {
  const folder = await folderWithManifest();
  const ledger = await ledgerOf(folder, stateOf([RUN]));
  const envelope = { beforeId: '{"custom_id":"', afterId: '","body":', afterBody: '}' };
  expect([...(await sendableRows(ledger.duck, 1, ['first'], 10))]).toEqual(
    [0, 1, 2, 4].map((ordinal) => ({ ordinal, bodyBytes: 9, inputTokens: 3 })),
  );
  await writeWire(
    [join(folder, 'manifest.parquet')],
    [
      [0, 1],
      [4, 4],
    ],
    intentId(1),
    envelope,
    join(folder, 'wire.jsonl'),
  );
  ledger.close();
  expect([...linesOfFile(join(folder, 'wire.jsonl'))].map((line) => line.bytes.toString())).toEqual([
    '{"custom_id":"intent0000000001_0","body":{"q":"a"}}',
    '{"custom_id":"intent0000000001_1","body":{"q":"b"}}',
    '{"custom_id":"intent0000000001_4","body":{"q":"d"}}',
  ]);
});

async function dump(folder: string, state: JournalState) {
  const ledger = await ledgerOf(folder, state);
  const tables = ['run', 'item', 'shard', 'attempt', 'answer', 'applied', 'spend', 'decision_rule', 'meta'];
  const contents: Record<string, unknown> = {};
  for (const table of tables)
    contents[table] = (
      await ledger.duck.connection.runAndReadAll(`SELECT * FROM ${table} ORDER BY ALL`)
    ).getRowsJson();
  ledger.close();
  return contents;
}
