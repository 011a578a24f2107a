import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Duck, openDuck, sqlText } from '../../runner/duck.ts';
import { UserError } from '../../runner/errors.ts';
import { contentOf, emptyFolder, readBack, sinkAt } from '../support/sink-rows.ts';

/** Numbers as a provider writes floats, and some that a float could not hold. */
const VECTORS = [
  [-0.006929283495992422, 0.1, 1e-7, 0],
  [2 ** 53, -5e-324, 1.7976931348623157e308, 1 / 3],
];
const SCHEMA = { type: 'array', items: { type: 'number' } };

let duck: Duck;
beforeAll(async () => {
  duck = await openDuck();
});
afterAll(() => duck.close());

const rowsOf = (answers: readonly (number[] | string)[]) =>
  answers.map((answer, at) => ({ key: [`K-${at}`], answer }));
const content = (answers: readonly (number[] | string)[]) => ({
  ...contentOf(duck, rowsOf(answers), SCHEMA),
  isVector: true,
});

describe('embeddings stand in one column', () => {
  test('Parquet: a list of doubles, each the very number', async () => {
    const path = join(emptyFolder(), 'out.parquet');
    await sinkAt(path).write(content(VECTORS));
    const [first, ...rest] = await duck.rows<{ type: string; embedding: string }>(
      `SELECT typeof(embedding) AS type, to_json(embedding)::VARCHAR AS embedding
       FROM read_parquet(${sqlText(path)}) ORDER BY id`,
    );
    expect(first?.type).toBe('DOUBLE[]');
    expect([first, ...rest].map((row) => JSON.parse(row?.embedding ?? ''))).toEqual(VECTORS);
  });

  test('JSON lines: a list', async () => {
    const path = join(emptyFolder(), 'out.jsonl');
    await sinkAt(path).write(content(VECTORS));
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).embedding)).toEqual(VECTORS);
  });

  test('CSV: a list as JSON text', async () => {
    const path = join(emptyFolder(), 'out.csv');
    await sinkAt(path).write(content(VECTORS));
    const cells = await readBack(path, ['embedding']);
    expect(cells.map(([cell]) => cell)).toEqual(VECTORS.map((vector) => JSON.stringify(vector)));
  });

  test('an answer of an earlier run that is no list is told, and nothing is written', async () => {
    const path = join(emptyFolder(), 'out.parquet');
    const written = sinkAt(path).write(content([[1, 2], 'text']));
    await expect(written).rejects.toThrow(UserError);
    await expect(written).rejects.toThrow('column `embedding` is DOUBLE[]');
  });
});
