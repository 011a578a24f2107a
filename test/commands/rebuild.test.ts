import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { runRebuild } from '../../runner/commands/rebuild.ts';
import { runSql } from '../../runner/commands/sql.ts';
import { UserError } from '../../runner/errors.ts';
import { askApproval, PRICES } from '../support/asks.ts';
import { copiesOf, documentOf, ledgerContents, printed, storedFile } from '../support/reading.ts';
import { lines, repository, TICKETS, world } from '../support/world.ts';

const LEDGER = 'state/tickets/ledger.duckdb';

interface Rebuilt {
  readonly format: string;
  readonly jobs: readonly { readonly job: string; readonly tables: Readonly<Record<string, number>> }[];
}

/** Two runs: retries in the first, which has two rows with one request, and reuse in the second. */
const copy = copiesOf(async () => {
  const twins = [...TICKETS, { id: 'T-twin', text: TICKETS[0]?.text }];
  const files = repository('shard: { max_items: 5 }\n', twins);
  const w = await world(
    { ...files, 'batchwright.yaml': `${files['batchwright.yaml']}${PRICES}` },
    { rules: [{ on: 'line', batch: 1, line: [2, 4], do: { status: 500 } }] },
  );
  await w.finish();
  await w.write({
    'data/tickets.jsonl': lines([...twins.slice(1), { id: 'T-new', text: 'The bell is mute' }]),
  });
  await askApproval(w);
  await w.finish();
  return w;
});

const rebuild = (root: string, ...jobs: string[]) =>
  printed(root, (common) => runRebuild({ ...common, jobs }));

/** Opening it brings it up to the journal, as any pass would. */
const upToDate = (root: string) =>
  printed(root, (common) => runSql({ ...common, job: 'tickets', query: 'SELECT 1' }));

it('makes the same ledger as the one that grew with the passes', async () => {
  const root = await copy();
  await upToDate(root);
  const grown = await ledgerContents(join(root, LEDGER));
  expect(await rebuild(root)).toMatchObject({ code: 0, text: expect.stringContaining('tickets') });
  expect(await ledgerContents(join(root, LEDGER))).toEqual(grown);
});

it('tells the rows of each table', async () => {
  const { document } = await documentOf<Rebuilt>(await copy(), (common) =>
    runRebuild({ ...common, jobs: ['tickets'] }),
  );
  expect(document).toMatchObject({
    format: 'batchwright/rebuild/v1',
    jobs: [{ job: 'tickets', tables: { run: 2, item: 18, answer: 9, attempt: 11, shard: 4, applied: 2 } }],
  });
});

it('replaces a file that is no database', async () => {
  const root = await copy();
  await upToDate(root);
  const grown = await ledgerContents(join(root, LEDGER));
  await writeFile(join(root, LEDGER), 'not a database');
  await rebuild(root, 'tickets');
  expect(await ledgerContents(join(root, LEDGER))).toEqual(grown);
});

it('keeps the old ledger where a stored file is missing', async () => {
  const root = await copy();
  const before = await readFile(join(root, LEDGER));
  await rm(await storedFile(root, 'tickets/runs/1', 'outcomes'));
  const { code, text } = await rebuild(root);
  expect(code).toBe(4);
  expect(text).toMatch(
    /^tickets: not made anew, and the old ledger stays: run 1: an outcomes file .* is missing/,
  );
  expect((await readFile(join(root, LEDGER))).equals(before)).toBe(true);
});

it('B084: leaves a ledger alone that another process has open', async () => {
  const root = await copy();
  const holder = execa('node', ['--input-type=module', '-e', HOLD, join(root, LEDGER)], {
    cwd: process.cwd(),
  });
  await new Promise<void>((resolve, reject) => {
    holder.stdout.once('data', () => resolve());
    holder.catch(reject);
  });
  const error = await rebuild(root).catch((thrown: unknown) => thrown);
  holder.kill();
  await holder.catch(() => {});
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).findings[0]?.code).toBe('ledger-held');
});

const HOLD = `import { DuckDBInstance } from '@duckdb/node-api';
const instance = await DuckDBInstance.create(process.argv[1]);
await (await instance.connect()).run('SELECT 1');
console.log('held');
setInterval(() => {}, 1000);`;

it('knows no job that has no run', async () => {
  const root = await copy();
  const error = await rebuild(root, 'nothing').catch((thrown: unknown) => thrown);
  expect((error as UserError).findings[0]?.code).toBe('unknown-job');
});
