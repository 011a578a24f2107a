import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openDuck, sqlText } from '../../runner/duck.ts';
import { sourceColumns } from '../../runner/manifest/source.ts';
import { testFolder } from '../support/folder.ts';
import { inputOf } from '../support/freeze.ts';
import { findingsOf, folderWith, readAll, textsOf } from '../support/rows.ts';

/** The bytes of a Parquet file with the rows of a query. */
async function parquet(query: string): Promise<Uint8Array> {
  const path = join(await testFolder(), 'data.parquet');
  const duck = await openDuck();
  await duck.run(`COPY (${query}) TO ${sqlText(path)} (FORMAT parquet)`);
  duck.close();
  return readFileSync(path);
}

async function textOf(value: string): Promise<string> {
  const [text = ''] = await textsOf({ 'data.parquet': await parquet(`SELECT ${value} AS v`) });
  return text.slice('{"v":'.length, -1);
}

describe('every type has one text, whatever the machine', () => {
  const cases: [string, string][] = [
    ['true', 'true'],
    ['42::TINYINT', '42'],
    ['9007199254740993::BIGINT', '9007199254740993'],
    ['18446744073709551615::UBIGINT', '18446744073709551615'],
    ['1.10::DECIMAL(5,2)', '1.10'],
    ['-0.05::DECIMAL(38,2)', '-0.05'],
    ['0.1::FLOAT', '0.1'],
    ['1.0::DOUBLE', '1.0'],
    ['1e300::DOUBLE', '1e+300'],
    ["'nan'::DOUBLE", '"nan"'],
    ["'-infinity'::FLOAT", '"-inf"'],
    ["DATE '2024-01-01'", '"2024-01-01"'],
    ["'infinity'::DATE", '"infinity"'],
    ["TIMESTAMP '2024-01-01 09:30:00.120001'", '"2024-01-01T09:30:00.120001"'],
    ["TIMESTAMPTZ '2024-01-01 09:30:00+09'", '"2024-01-01T00:30:00Z"'],
    ["'infinity'::TIMESTAMPTZ", '"infinity"'],
    ["'2024-01-01 09:30:00.123456789'::TIMESTAMP_NS", '"2024-01-01T09:30:00.123456789"'],
    ["TIME '09:30:00'", '"09:30:00"'],
    ["'4ac7a9e9-607c-4c8a-84f3-843f0191e3fd'::UUID", '"4ac7a9e9-607c-4c8a-84f3-843f0191e3fd"'],
    ["'\\xAA\\x00'::BLOB", '"qgA="'],
    ["'a'::ENUM('a', 'b')", '"a"'],
    ['\'{"n": 1.10}\'::JSON', '{"n": 1.10}'],
    ['NULL::INTEGER', 'null'],
    ["'a\"b\\' || chr(10) || 'é😀'", '"a\\"b\\\\\\né😀"'],
    ['[1.10::DECIMAL(3,2), NULL]', '[1.10,null]'],
    ['[]::INTEGER[]', '[]'],
    ["[[DATE '2024-01-01'], []]", '[["2024-01-01"],[]]'],
    ["{'a': 1.10::DECIMAL(3,2), 'b': {'c': NULL::DATE}}", '{"a":1.10,"b":{"c":null}}'],
    ["MAP {'k': [1.0::DOUBLE]}", '{"k":[1.0]}'],
    ['[1, 2]::INTEGER[2]', '[1,2]'],
  ];
  test.each(cases)('B007, B013: %s', async (value, text) => {
    expect(await textOf(value)).toBe(text);
  });
});

test('rows of several files, in the order of their paths, with all their columns', async () => {
  const files = {
    'b.parquet': await parquet("SELECT 'b' || i AS id, i AS n FROM range(2) t(i)"),
    'a.parquet': await parquet("SELECT 'a' AS id, true AS flag"),
  };
  const rows = await readAll(files);
  expect(rows.map((row) => `${row.place} ${row.text}`)).toEqual([
    'a.parquet row 1 {"id":"a","flag":true}',
    'b.parquet row 1 {"id":"b0","n":0}',
    'b.parquet row 2 {"id":"b1","n":1}',
  ]);
});

test('compressed once more', async () => {
  const bytes = gzipSync(await parquet('SELECT 1 AS id'));
  expect(await textsOf({ 'data.parquet.gz': bytes })).toEqual(['{"id":1}']);
});

test('a file that is no Parquet is named', async () => {
  const [finding] = await findingsOf(readAll({ 'data.parquet': 'id,t\n1,a\n' }));
  expect(finding).toContain('input-unreadable: data.parquet: cannot be read as Parquet: ');
});

test('columns without reading the rows', async () => {
  const root = await folderWith({ 'data.parquet': await parquet("SELECT 'a' AS id, 1 AS n") });
  const input = inputOf({ files: ['data.parquet'] });
  expect(await sourceColumns(input, { root, allowedRoots: [] })).toEqual({
    columns: ['id', 'n'],
    complete: true,
    sample: [{ id: 'a', n: 1 }],
  });
});
