import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Duck, openDuck, sqlText } from '../../runner/duck.ts';
import { digestOf, type JsonObject } from '../../runner/ids.ts';
import { MISSING } from '../../runner/outcome/classify.ts';
import { OutcomeWriter } from '../../runner/reconcile/collect/outcomes-file.ts';
import type { SinkContent } from '../../runner/sink/port.ts';
import { emptyFolder, readBack, sinkAt } from '../support/sink-rows.ts';

const ROWS = 3000;
/** So long that two thousand of them, as DuckDB handles rows, are more than its memory limit here. */
const ANSWER_BYTES = 40_000;
const SCHEMA: JsonObject = {
  type: 'object',
  properties: { text: { type: 'string' }, parts: { type: 'object' }, n: { type: 'integer' } },
};

let duck: Duck;
let source: string;
beforeAll(async () => {
  source = await outcomesFile();
  duck = await openDuck({ memoryLimit: '200MB' });
});
afterAll(() => duck.close());

/** As a batch leaves it: written from results that came in an order of their own. */
async function outcomesFile(): Promise<string> {
  const folder = emptyFolder();
  const writer = new OutcomeWriter(join(folder, 'slot'));
  for (let at = 0; at < ROWS; at += 1) {
    const ordinal = (at * 1009) % ROWS;
    const text = digestOf(`${ordinal}`).repeat(ANSWER_BYTES / 64);
    writer.add(ordinal, {
      ...MISSING,
      class: 'ok',
      answer: `{"text":"${text}","parts":{"a":[1.50]},"n":${ordinal}}`,
    });
  }
  const path = join(folder, 'outcomes.parquet');
  await writer.finish(path);
  await writer.discard();
  return path;
}

function content(more: Partial<SinkContent> = {}, answer = 'answer'): SinkContent {
  return {
    duck,
    relation: `SELECT ordinal, 'k' || ordinal AS key0, 'p' || (ordinal % 2000) AS pass0, ${answer} AS answer, 1 AS run, 'c' || ordinal AS custom_id,
      'm' AS model, 'h' AS hash FROM read_parquet(${sqlText(source)})`,
    key: ['id'],
    pass: ['p'],
    schema: SCHEMA,
    ...more,
  };
}

const LONG = { rowBytes: { answer: ANSWER_BYTES, passed: 0 } };
const SHORT_ANSWER = `'{"text":"' || (ordinal % 7) || '","parts":{"a":[1.50]},"n":' || ordinal || '}'`;

describe.each(['parquet', 'jsonl', 'csv'])('%s', (kind) => {
  test('long rows are written in their order, whole, and nothing else is left', async () => {
    const path = join(emptyFolder(), `out.${kind}`);
    const proof = await sinkAt(path).write(content(LONG));
    expect(proof.rows).toBe(ROWS);
    const found = await readBack(path, ['id', 'p', 'text', 'n']);
    expect(found.map(([id]) => id)).toEqual(Array.from({ length: ROWS }, (_, at) => `k${at}`));
    expect(found.every(([, , text]) => text?.length === ANSWER_BYTES)).toBe(true);
    expect(found[2500]?.slice(0, 2)).toEqual(['k2500', 'p500']);
    expect(readdirSync(dirname(path))).toEqual([`out.${kind}`]);
  });

  test('the way does not show in the file', async () => {
    const folder = emptyFolder();
    await sinkAt(join(folder, `1.${kind}`)).write(content({}, SHORT_ANSWER));
    await sinkAt(join(folder, `2.${kind}`)).write(content(LONG, SHORT_ANSWER));
    if (kind === 'parquet') {
      const columns = ['id', 'p', 'text', 'n', 'parts'];
      const [one, other] = await Promise.all(
        ['1', '2'].map((name) => readBack(join(folder, `${name}.${kind}`), columns)),
      );
      expect(other).toEqual(one);
    } else {
      expect(readFileSync(join(folder, `2.${kind}`))).toEqual(readFileSync(join(folder, `1.${kind}`)));
    }
  });
});

test('a value that does not fit is named as ever, and the settings are as they were', async () => {
  const before = await settings();
  const bad = content(LONG, `CASE WHEN ordinal = 2999 THEN '{"n":1.5}' ELSE answer END`);
  await expect(sinkAt(join(emptyFolder(), 'out.parquet')).write(bad)).rejects.toThrow(
    /column `n` is BIGINT.*answer of "k2999".*has "1.5"/,
  );
  expect(await settings()).toEqual(before);
});

test('rows that no way leads through are a finding, not the end of the pass', async () => {
  const small = await openDuck({ memoryLimit: '40MB' });
  const path = join(emptyFolder(), 'out.parquet');
  await expect(sinkAt(path).write({ ...content(), duck: small })).rejects.toThrow(
    /cannot be written within the memory/,
  );
  small.close();
  expect(readdirSync(dirname(path))).toEqual([]);
});

function settings(): Promise<unknown[]> {
  return duck.rows(
    `SELECT name, value FROM duckdb_settings()
     WHERE name IN ('memory_limit', 'preserve_insertion_order', 'enable_caching_operators', 'disabled_optimizers') ORDER BY 1`,
  );
}
