import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Duck, openDuck } from '../../runner/duck.ts';
import { UserError } from '../../runner/errors.ts';
import type { JsonObject } from '../../runner/ids.ts';
import type { SinkContent } from '../../runner/sink/port.ts';
import { type AnsweredRow, contentOf, emptyFolder, readBack, sinkAt } from '../support/sink-rows.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { text: { type: ['string', 'null'] }, whole: { type: ['integer', 'null'] } },
};
const TEXTS = [
  '',
  'two\nlines',
  '\ufeffmark',
  'nul \u0000 inside',
  '👩‍👩‍👧‍👦 ü 中文',
  '"quoted", and a comma',
];
const ROWS: AnsweredRow[] = TEXTS.map((text, whole) => ({ key: [`k${text}`], answer: { text, whole } }));
const COLUMNS = ['id', 'text', 'whole', '_custom_id'];

let duck: Duck;
beforeAll(async () => {
  duck = await openDuck();
});
afterAll(() => duck.close());

/** The content with its rows in pieces of two, each piece backwards. */
function inPieces(content: SinkContent): SinkContent {
  const pieces = [0, 2, 4].map(
    (first) =>
      `SELECT * FROM (${content.relation}) WHERE ordinal BETWEEN ${first} AND ${first + 1} ORDER BY ordinal DESC`,
  );
  return { ...content, pieces };
}

describe.each(['parquet', 'jsonl', 'csv'])('%s from many pieces', (kind) => {
  test('says the same as from one', async () => {
    const [whole, many] = [join(emptyFolder(), `out.${kind}`), join(emptyFolder(), `out.${kind}`)];
    const content = contentOf(duck, ROWS, SCHEMA);
    const proof = await sinkAt(whole).write(content);
    expect((await sinkAt(many).write(inPieces(content))).rows).toBe(proof.rows);
    expect(await readBack(many, COLUMNS)).toEqual(await readBack(whole, COLUMNS));
    if (kind !== 'parquet') expect(readFileSync(many)).toEqual(readFileSync(whole));
  });

  test('finds a key that two pieces share', async () => {
    const rows = ROWS.map((row, at) => (at === 5 ? { ...row, key: ['k'] } : row));
    const sink = sinkAt(join(emptyFolder(), `out.${kind}`));
    await expect(sink.write(inPieces(contentOf(duck, rows, SCHEMA)))).rejects.toThrow(UserError);
    expect(await sink.observe()).toBeNull();
  });
});
