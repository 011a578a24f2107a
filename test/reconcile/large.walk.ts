import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openDuck, sqlText } from '../../runner/duck.ts';
import { testFolder } from '../support/folder.ts';
import { answered, saying } from '../support/lines.ts';
import { startLoopback } from '../support/loopback.ts';
import { answerLine } from '../support/raw-files.ts';
import { readBack } from '../support/sink-rows.ts';
import { repository, world } from '../support/world.ts';

const ITEMS = 50_000;
const SAID = 'The wheel is bent, and nobody knows why. '.repeat(310);

/** More than a JavaScript string can hold, in an order of their own, as fast as the reader takes them. */
async function sendResults(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  for (let at = 0; at < ITEMS; at += 1) {
    // 7,919 is prime to the number of items, so each comes once.
    const ordinal = (at * 7919) % ITEMS;
    if (!response.write(`${answerLine(ordinal, `${ordinal} ${SAID}`)}\n`)) await once(response, 'drain');
  }
  response.end();
}

it('B055: a result file of more than 600 MB is downloaded, kept and settled in constant memory', async () => {
  const folder = await testFolder();
  await using server = await startLoopback((asked, response) => {
    if (asked.path.endsWith('/content')) void sendResults(response);
    else response.writeHead(404).end();
  });
  const program = fileURLToPath(new URL('../support/settle-large.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-old-space-size=96',
    '--max-semi-space-size=8',
    program,
    folder,
    server.url,
    String(ITEMS),
  ]);
  const result = JSON.parse(stdout);
  expect(result.bytes).toBeGreaterThan(600_000_000);
  expect(result).toMatchObject({ lines: ITEMS, missing: 0, counts: { ok: ITEMS } });
  expect(result.megabytes).toBeLessThan(300);

  const duck = await openDuck();
  const [row] = await duck.rows<{ rows: number; wrong: number }>(
    `SELECT count(*)::INTEGER AS rows, (count(*) FILTER (NOT starts_with(answer, '"' || ordinal || ' The')))::INTEGER AS wrong
     FROM read_parquet(${sqlText(result.outcomesPath)})`,
  );
  duck.close();
  expect(row).toMatchObject({ rows: ITEMS, wrong: 0 });
}, 120_000);

it('2,500 answers of 64 KB are applied within the memory that one statement may take', async () => {
  const rows = Array.from({ length: 2500 }, (_, at) => ({ id: `T-${at}`, text: `Ticket ${at}` }));
  const files = repository('sinks: [{ kind: jsonl, path: out/t.jsonl }]\n', rows);
  const job = (files['jobs/tickets.yaml'] as string).replace(
    'output: { schema: label.schema.json, max_tokens: 200 }',
    'output: { text: true, max_tokens: 20000 }',
  );
  const said = answered(saying('/v1/responses', '{custom_id} says '.repeat(2800)));
  const w = await world(
    { ...files, 'jobs/tickets.yaml': job },
    { rules: [{ on: 'line', do: { text: said } }] },
  );
  const { jobs } = await w.finish();
  expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: rows.length });
}, 120_000);

it('1,600 prompts of 30 KB and answers of 16 KB go through, with retries, within the ledger’s memory', async () => {
  const count = 1600;
  const rows = Array.from({ length: count }, (_, at) => ({
    id: `T-${at}`,
    text: `${at} wheel `.repeat(3000),
  }));
  const sinks = 'sinks: [{ kind: parquet, path: out/t.parquet }, { kind: csv, path: out/t.csv }]\n';
  const files = repository(sinks, rows);
  const job = (files['jobs/tickets.yaml'] as string)
    .replace(
      'output: { schema: label.schema.json, max_tokens: 200 }',
      'output: { text: true, max_tokens: 8000 }',
    )
    .replace('key: id', 'key: id, pass: [text]');
  const said = answered(saying('/v1/responses', '{custom_id} says '.repeat(700)));
  const w = await world(
    { ...files, 'jobs/tickets.yaml': job },
    {
      rules: [
        { on: 'line', batch: 1, every: 2, do: { status: 500 } },
        { on: 'line', do: { text: said } },
      ],
    },
  );
  const { jobs } = await w.finish();
  expect(jobs[0]?.run?.books).toMatchObject({ dispositions: { applied: count }, batches: 2 });
  const found = await readBack(join(w.root, 'out/t.parquet'), ['id', 'answer']);
  expect(found.map(([id]) => id)).toEqual(rows.map(({ id }) => id));
  expect(found.every(([, answer]) => answer?.endsWith(' says '))).toBe(true);
}, 120_000);
