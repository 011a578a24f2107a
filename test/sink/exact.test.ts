import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Duck, openDuck } from '../../runner/duck.ts';
import { type Effect, withEffects } from '../../runner/effects.ts';
import { UserError } from '../../runner/errors.ts';
import type { Json, JsonObject } from '../../runner/ids.ts';
import { type AnsweredRow, contentOf, emptyFolder, readBack, sinkAt } from '../support/sink-rows.ts';

const KINDS = ['parquet', 'jsonl', 'csv'] as const;

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    text: { type: ['string', 'null'] },
    whole: { type: ['integer', 'null'] },
    real: { type: ['number', 'null'] },
    yes: { type: ['boolean', 'null'] },
    parts: { type: ['array', 'object', 'null'] },
    'od/d~"name".': { type: 'string' },
  },
};

const TEXTS = [
  '',
  ' ',
  'NULL',
  'null',
  'a,b;c\td',
  '"quoted" and \'single\'',
  'two\nlines\r\nand\rone more',
  'line\u2028separator\u2029paragraph\u0085next',
  'emoji 👩‍👩‍👧‍👦 and 中文 and ü and e\u0301',
  '\ufeffbyte order mark',
  'nul \u0000 inside, bell \u0007',
  '\u202egnirts',
  '\\u0041 \\n \\" back\\slash',
  '=1+1',
  "'; DROP TABLE t; --",
  '{"json": true}',
  '#comment',
  '$.x[0]',
];

let duck: Duck;
beforeAll(async () => {
  duck = await openDuck();
});
afterAll(() => duck.close());

describe.each(KINDS)('%s', (kind) => {
  test('hostile strings survive exactly, in keys, passed columns and answers', async () => {
    const path = join(emptyFolder(), `out.${kind}`);
    const rows: AnsweredRow[] = TEXTS.map((text) => ({
      key: [`k${text}`],
      pass: [text],
      answer: { text, 'od/d~"name".': text },
    }));
    await sinkAt(path).write(contentOf(duck, rows, SCHEMA, { pass: ['raw "pass"'] }));
    const columns = ['id', 'raw "pass"', 'text', 'od/d~"name".'];
    const expected = TEXTS.map((text) => [`k${text}`, text, text, text]);
    expect(kind === 'jsonl' ? jsonlCells(path, columns) : await readBack(path, columns)).toEqual(expected);
  });

  test('typed values: null, absent, the ends of the ranges, arrays and objects', async () => {
    const path = join(emptyFolder(), `out.${kind}`);
    const rows: AnsweredRow[] = [
      { key: ['a'], answer: { rawJson: `{"text":null,"whole":-9223372036854775808,"real":0.1,"yes":true}` } },
      {
        key: ['b'],
        answer: { rawJson: `{"whole":9223372036854775807,"real":-0.0,"yes":false,"parts":[1,2.5,"x"]}` },
      },
      { key: ['c'], answer: { rawJson: `{"whole":1e3,"real":12345,"yes":null,"parts":{"a":{"b":[]}}}` } },
      { key: ['d'], answer: { rawJson: `{"whole":2.0,"real":1152921504606847000,"parts":null}` } },
    ];
    await sinkAt(path).write(contentOf(duck, rows, SCHEMA));
    const columns = ['id', 'text', 'whole', 'yes', 'parts'];
    const expected = [
      ['a', null, '-9223372036854775808', 'true', null],
      ['b', null, '9223372036854775807', 'false', '[1,2.5,"x"]'],
      ['c', null, '1000', null, '{"a":{"b":[]}}'],
      ['d', null, '2', null, null],
    ];
    expect(kind === 'jsonl' ? jsonlCells(path, columns) : await readBack(path, columns)).toEqual(expected);
  });

  test('the same content gives the same bytes, and the proof is what stands there', async () => {
    const folder = emptyFolder();
    const rows = Array.from({ length: 300 }, (_, at) => ({
      key: [`k${at}`],
      answer: { text: `t${at % 7}`, whole: at },
    }));
    const content = contentOf(duck, rows, SCHEMA);
    const first = await sinkAt(join(folder, `1.${kind}`)).write(content);
    const other = await openDuck();
    const again = await sinkAt(join(folder, `2.${kind}`)).write({ ...content, duck: other });
    other.close();
    expect(again).toEqual(first);
    expect(first.rows).toBe(300);
    expect(await sinkAt(join(folder, `1.${kind}`)).observe()).toEqual({
      digest: first.digest,
      bytes: first.bytes,
    });
    expect(readdirSync(folder).sort()).toEqual([`1.${kind}`, `2.${kind}`]);
  });

  test('B086: writing again replaces the file and adds nothing', async () => {
    const path = join(emptyFolder(), 'deep', 'folder', `out.${kind}`);
    const content = contentOf(duck, [{ key: ['a'], answer: { text: 'x' } }], SCHEMA);
    expect(await sinkAt(path).observe()).toBeNull();
    await sinkAt(path).write(content);
    const bytes = readFileSync(path);
    await sinkAt(path).write(content);
    expect(readFileSync(path)).toEqual(bytes);
  });

  test('no rows make an empty, readable file', async () => {
    const path = join(emptyFolder(), `out.${kind}`);
    const content = contentOf(duck, [{ key: ['a'], answer: { text: 'x' } }], SCHEMA);
    const none = { ...content, relation: `SELECT * FROM (${content.relation}) WHERE false` };
    expect((await sinkAt(path).write(none)).rows).toBe(0);
    if (kind !== 'jsonl') expect(await readBack(path, ['id', 'whole'])).toEqual([]);
  });

  test('free text is one column', async () => {
    const path = join(emptyFolder(), `out.${kind}`);
    const rows = TEXTS.map((text, at) => ({ key: [`${at}`, 'x'], answer: text }));
    await sinkAt(path).write(contentOf(duck, rows, null, { key: ['id', 'part'] }));
    const cells = kind === 'jsonl' ? jsonlCells(path, ['answer']) : await readBack(path, ['answer']);
    expect(cells).toEqual(TEXTS.map((text) => [text]));
  });
});

const MISFITS: readonly (readonly [name: string, answer: string, message: RegExp])[] = [
  ['a fraction in an integer', '{"whole":1.5}', /column `whole` is BIGINT.*answer of "bad".*has "1.5"/],
  ['an integer beyond 64 bits', '{"whole":9223372036854775808}', /column `whole`.*"9223372036854775808"/],
  ['an integer of 25 digits', '{"whole":1234567890123456789012345}', /column `whole`/],
  ['a number beyond a double', '{"real":1e400}', /column `real` is DOUBLE.*"1e400"/],
  ['an integer that no double is', '{"real":9007199254740993}', /column `real`.*"9007199254740993"/],
  ['a number in a string', '{"text":1}', /column `text` is VARCHAR.*"1"/],
  ['a string in a boolean', '{"yes":"true"}', /column `yes` is BOOLEAN/],
  ['half a surrogate pair', '{"text":"\\ud83d"}', /answer of "bad" is not a JSON object that UTF-8 can hold/],
  ['no JSON', '{"text":', /is not a JSON object/],
  ['an array where properties are due', '[1]', /is not a JSON object/],
];

test.each(MISFITS)(
  '%s stops the write with column, key and value; the old file stays',
  async (_name, text, message) => {
    const folder = emptyFolder();
    const path = join(folder, 'out.parquet');
    const good: AnsweredRow = { key: ['good'], answer: { rawJson: '{}' } };
    await sinkAt(path).write(contentOf(duck, [good], SCHEMA));
    const before = readFileSync(path);
    const bad = contentOf(duck, [good, { key: ['bad'], answer: { rawJson: text } }], SCHEMA);
    const failure = await sinkAt(path)
      .write(bad)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UserError);
    expect((failure as Error).message).toMatch(message);
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder)).toEqual(['out.parquet']);
  },
);

test('B081: two rows with one key are refused, not merged in silence', async () => {
  const rows = ['1', '2'].map((text) => ({ key: ['a', 'b'], answer: { text } }));
  const content = contentOf(duck, rows, SCHEMA, { key: ['id', 'part'] });
  const path = join(emptyFolder(), 'out.csv');
  await expect(sinkAt(path).write(content)).rejects.toThrow(/2 rows share the key/);
});

test('the write is announced while the name does not show it yet', async () => {
  const path = join(emptyFolder(), 'out.csv');
  const seen: (readonly [string, boolean])[] = [];
  const listener = ({ name, target }: Effect) => {
    if (target === path) seen.push([name, existsSync(path)]);
  };
  await withEffects(listener, () =>
    sinkAt(path).write(contentOf(duck, [{ key: ['a'], answer: {} }], SCHEMA)),
  );
  expect(seen).toEqual([
    ['sink.write', false],
    ['file.rename', false],
  ]);
});

test('a folder where the file should be is named', async () => {
  const path = join(emptyFolder(), 'out.jsonl');
  mkdirSync(path);
  const content = contentOf(duck, [{ key: ['a'], answer: {} }], SCHEMA);
  await expect(sinkAt(path).write(content)).rejects.toThrow(/is one file, but .* is a folder/);
  await expect(sinkAt(path).observe()).rejects.toThrow(/is a folder/);
});

test('csv: header, CRLF, NULL as nothing and the empty string as two quotes', async () => {
  const path = join(emptyFolder(), 'out.csv');
  const schema: JsonObject = { properties: { a: { type: 'string' }, b: { type: 'string' } } };
  await sinkAt(path).write(contentOf(duck, [{ key: ['k'], answer: { a: '' } }], schema));
  expect(readFileSync(path, 'utf8')).toBe(
    'id,a,b,_run,_custom_id,_model,_hash\r\nk,"",,7,job:item:k:0a1b2c3d,model-2026,00ff\r\n',
  );
});

test('jsonl: names in column order, numbers with their digits, arrays and objects as JSON', async () => {
  const path = join(emptyFolder(), 'out.jsonl');
  const answer = { rawJson: '{"parts":{"n":12345678901234567890123},"real":0.1,"whole":5,"text":"\u2028"}' };
  await sinkAt(path).write(contentOf(duck, [{ key: ['k'], answer }], SCHEMA));
  expect(readFileSync(path, 'utf8')).toBe(
    '{"id":"k","text":"\u2028","whole":5,"real":0.1,"yes":null,"parts":{"n":12345678901234567890123},"od/d~\\"name\\".":null,"_run":7,"_custom_id":"job:item:k:0a1b2c3d","_model":"model-2026","_hash":"00ff"}\n',
  );
});

test('100,000 rows in one pass of bounded memory', async () => {
  const small = await openDuck({ memoryLimit: '128MB' });
  const relation = `SELECT i::INTEGER AS ordinal, 'k' || i AS key0, md5(i::VARCHAR) AS pass0,
    '{"text":"' || repeat(md5(i::VARCHAR), 8) || '","whole":' || i || ',"real":0.5,"yes":true}' AS answer,
    1 AS run, 'c' || i AS custom_id, 'm' AS model, 'h' AS hash FROM range(100000) t(i) ORDER BY hash(i)`;
  const content = { duck: small, relation, key: ['id'], pass: ['p'], schema: SCHEMA };
  const path = join(emptyFolder(), 'out.parquet');
  expect((await sinkAt(path).write(content)).rows).toBe(100_000);
  const [first] = await readBack(path, ['id', 'whole']);
  expect(first).toEqual(['k0', '0']);
  small.close();
});

/** Without DuckDB, so that the lines are read as any consumer would. Nested values as JSON text. */
function jsonlCells(path: string, columns: readonly string[]): (string | null)[][] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const cells = JSON.parse(line, (_name, value: unknown, context?: { source?: string }) =>
      Number.isInteger(value) && !Number.isSafeInteger(value) ? context?.source : value,
    ) as Record<string, Json>;
    return columns.map((name) => cellText(cells[name] ?? null));
  });
}

function cellText(value: Json): string | null {
  if (value === null || typeof value === 'string') return value;
  return JSON.stringify(value);
}
