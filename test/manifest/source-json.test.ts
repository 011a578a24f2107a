import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { sourceColumns } from '../../runner/manifest/source.ts';
import { inputOf } from '../support/freeze.ts';
import { findingsOf, folderWith, readAll, textsOf } from '../support/rows.ts';

describe('JSON Lines', () => {
  test('B005: a field may appear or change its kind anywhere; each row stays as it is', async () => {
    const usual = Array.from({ length: 20_480 }, (_, at) => `{"id":"${at}","c":7}`);
    const late = [
      '{"id":"a","c":1.5}',
      '{"id":"b","c":true}',
      '{"id":"c","c":"A7"}',
      '{"id":"d","c":7,"note":"VIP"}',
    ];
    const texts = await textsOf({ 'data.jsonl': [...usual, ...late].join('\n') });
    expect(texts).toHaveLength(20_484);
    expect(texts.slice(-4)).toEqual(late);
  });

  test('B027: only a line feed ends a row; one carriage return before it goes', async () => {
    const texts = await textsOf({
      'data.jsonl': '{"id":"a\u2028b\u2029c\u0085d"}\r\n{"id":"e"}\r\n\n  \n{"id":"f"}',
    });
    expect(texts).toEqual(['{"id":"a\u2028b\u2029c\u0085d"}', '{"id":"e"}', '{"id":"f"}']);
  });

  test('blank lines count, so that the number is the one of an editor', async () => {
    const rows = await readAll({ 'data.jsonl': '{"id":"a"}\n\n\n{"id":"b"}\nnope\n' });
    expect(rows.map((row) => row.place)).toEqual([
      'data.jsonl line 1',
      'data.jsonl line 4',
      'data.jsonl line 5',
    ]);
    expect(rows[2]?.code).toBe('row-not-json');
  });

  test('blanks around a row and tabs between its tokens are not part of it', async () => {
    expect(await textsOf({ 'data.jsonl': '  {"id":\t"a",\r"t": "x  y"} \n' })).toEqual([
      '{"id":"a","t": "x  y"}',
    ]);
  });

  test('B029: a byte order mark is no part of row 1', async () => {
    expect(await textsOf({ 'data.jsonl': '\ufeff{"id":"a"}\n{"id":"\ufeffb"}\n' })).toEqual([
      '{"id":"a"}',
      '{"id":"\ufeffb"}',
    ]);
  });

  const utf16 = Buffer.from('{"id":"a"}\n', 'utf16le');
  test.each([
    ['with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ['without', utf16],
  ])('B029: UTF-16 %s is refused as a whole, with what to do', async (_name, bytes) => {
    expect(await findingsOf(readAll({ 'data.jsonl': bytes }))).toEqual([
      'input-utf16: data.jsonl: line 1 is UTF-16, expected UTF-8',
    ]);
  });

  test('B008: a line in Latin-1 is a bad row with its number, its neighbours are good', async () => {
    const bytes = Buffer.from('{"id":"a"}\n{"id":"caf\xe9"}\n{"id":"c"}\n', 'latin1');
    const rows = await readAll({ 'data.jsonl': bytes });
    expect(rows.map((row) => row.code ?? 'ok')).toEqual(['ok', 'row-not-utf8', 'ok']);
    expect(rows[1]?.place).toBe('data.jsonl line 2');
  });

  test('B014: a row of 15 MB is read, one of 40 MB is named with its size, others are unaffected', async () => {
    const long = (bytes: number) => `{"id":"a","body":"${'x'.repeat(bytes)}"}`;
    const rows = await readAll({ 'data.jsonl': [long(15e6), long(40e6), '{"id":"c"}'].join('\n') });
    expect(rows.map((row) => row.code ?? 'ok')).toEqual(['ok', 'row-too-large', 'ok']);
    expect(rows[1]?.detail).toBe('is 40,000,020 bytes long; a row may have 16,777,216');
  });

  test('B014: an array given as JSON Lines is told from one row', async () => {
    expect(await findingsOf(readAll({ 'data.jsonl': ' [{"id":"a"},\n{"id":"b"}]' }))).toEqual([
      'input-layout: data.jsonl: expected one JSON object a line, found an array',
    ]);
  });

  test.each([
    ['data.jsonl.gz', gzipSync],
    ['data.ndjson.zst', zstdCompressSync],
  ])('%s', async (name, compress) => {
    expect(await textsOf({ [name]: compress('{"id":"a","n":1.10}\n{"id":"b"}\n') })).toEqual([
      '{"id":"a","n":1.10}',
      '{"id":"b"}',
    ]);
  });

  test('a cut archive is an error and not a shorter input', async () => {
    const cut = gzipSync(`{"id":"a"}\n`.repeat(1000)).subarray(0, 40);
    const [finding] = await findingsOf(readAll({ 'data.jsonl.gz': cut }));
    expect(finding).toContain('input-unreadable: data.jsonl.gz: cannot be decompressed');
  });
});

describe('JSON', () => {
  test('an object is one row, with its name as the place', async () => {
    const rows = await readAll({
      'a/package.json': '{\n  "name": "a",\n  "version": "1.10"\n}\n',
      'b/package.json': '{',
    });
    expect(rows).toMatchObject([
      { place: 'a/package.json', text: '{"name": "a","version": "1.10"}' },
      { place: 'b/package.json', code: 'row-not-json' },
    ]);
  });

  test.each([
    [
      'data.jsonl',
      '{\n  "id": "a"\n}\n',
      'expected one JSON object a line, found an object over several lines',
    ],
    ['data.json', '{"id":"a"}\n{"id":"b"}\n', 'expected one JSON document, found one a line'],
  ])('B014: %s with the layout of the other: %j', async (name, text, message) => {
    expect(await findingsOf(readAll({ [name]: text }))).toEqual([`input-layout: ${name}: ${message}`]);
  });

  test('an array gives its elements, exactly', async () => {
    const text = '[ {"id":"a","n":1.10,"s":"x],[\\"{"},\n {"id":"b","o":{"l":[1,2]}} , 7 ]';
    const rows = await readAll({ 'data.json': text });
    expect(rows.map((row) => row.text ?? row.code)).toEqual([
      '{"id":"a","n":1.10,"s":"x],[\\"{"}',
      '{"id":"b","o":{"l":[1,2]}}',
      'row-not-object',
    ]);
    expect(rows[1]?.place).toBe('data.json element 2');
  });

  test.each(['[]', ' [ ] '])('%j has no rows', async (text) => {
    expect(await readAll({ 'data.json': text })).toEqual([]);
  });

  test('a document too long for one string is refused with what to do', async () => {
    const root = await folderWith({ 'data.json': '' });
    await truncate(join(root, 'data.json'), 300 << 20);
    const input = inputOf({ files: ['data.json'] });
    expect(await findingsOf(sourceColumns(input, { root, allowedRoots: [] }))).toEqual([
      'input-too-large: data.json: is 314,572,800 bytes of JSON in one document; 268,435,456 are read',
    ]);
  });

  test('the file of each row can be a column', async () => {
    const files = { 'b.json': '{"id":"b"}', 'a.json': '{}' };
    expect(await textsOf(files, { filenameColumn: 'file' })).toEqual([
      '{"file":"a.json"}',
      '{"id":"b","file":"b.json"}',
    ]);
  });

  test('but not one that is there already', async () => {
    expect(await findingsOf(readAll({ 'a.json': '{"id":"b"}' }, { filenameColumn: 'id' }))).toEqual([
      'columns-collide: input.filename_column: the input has a column "id" of its own',
    ]);
  });
});
