import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findingsOf, readAll, textsOf } from '../support/rows.ts';

async function csv(text: string | Uint8Array, name = 'data.csv') {
  return readAll({ [name]: text });
}

describe('values are text, exactly as written', () => {
  test('B006: ids, exponents, zeros, blanks and clock-like keys stay what they are', async () => {
    const keys = [
      '12345678901234567890',
      '12345678901234567891',
      '1e5',
      '100000',
      '1.0',
      '1',
      ' 1',
      '1 ',
      '00:01',
      '01220',
      'NULL',
      'true',
    ];
    const rows = await csv(`id,t\n${keys.map((key) => `${key},x`).join('\n')}\n`);
    expect(rows.map((row) => row.value?.id)).toEqual(keys);
  });

  const cases: [string, string, string[][]][] = [
    [
      'empty fields are empty text',
      'a,b\n,\n"",x\n',
      [
        ['', ''],
        ['', 'x'],
      ],
    ],
    [
      'quotes, delimiters and line ends inside quotes',
      'a,b\n"x ""y"", z","l1\nl2\r\nl3"\n',
      [['x "y", z', 'l1\nl2\r\nl3']],
    ],
    ['a quote inside a field is a character', 'a,b\n5" disk,ab"c\n', [['5" disk', 'ab"c']]],
    ['blanks around quotes are characters', 'a,b\n "x",y \n', [[' "x"', 'y ']]],
    [
      'line ends may be mixed',
      'a,b\r\n1,2\n3,4\r\n',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'a bare carriage return is a character',
      'a,b\n1,x\ry\n"\r",z\n',
      [
        ['1', 'x\ry'],
        ['\r', 'z'],
      ],
    ],
    ['the last line needs no end', 'a,b\n1,2', [['1', '2']]],
    ['the last field may be empty', 'a,b\n1,', [['1', '']]],
    ['control characters', 'a,b\n1,x\0\u001f\u001ey\n', [['1', 'x\0\u001f\u001ey']]],
    ['one column, blank lines passed over', 'a\n1\n\n2\n', [['1'], ['2']]],
    [
      'German, Chinese, emoji',
      'a,b\nGröße,发票\n😀,"é"\n',
      [
        ['Größe', '发票'],
        ['😀', 'é'],
      ],
    ],
  ];
  test.each(cases)('%s', async (_name, text, expected) => {
    expect((await csv(text)).map((row) => Object.values(row.value ?? {}))).toEqual(expected);
  });

  test('tabs in .tsv, semicolons where the header has no comma', async () => {
    expect(await textsOf({ 'data.tsv': 'a\tb\n1,5\tx;y\n' })).toEqual(['{"a":"1,5","b":"x;y"}']);
    expect(await textsOf({ 'data.csv': 'a;b\n1,5;x\n' })).toEqual(['{"a":"1,5","b":"x"}']);
  });

  test('any table comes back as it was written', async () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'ü', '\u2028', '') });
    const table = fc.array(fc.tuple(field, field), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom('\n', '\r\n'), async (rows, end) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const lines = rows.map((row) => row.map(quoted).join(','));
        const read = await csv(`a,b${end}${lines.join(end)}${end}`);
        expect(read.map((row) => [row.value?.a, row.value?.b])).toEqual(rows);
      }),
      { numRuns: 40 },
    );
  });

  test('records across the blocks of a large file', async () => {
    const rows = Array.from({ length: 3000 }, (_, at) => [
      `${at}`,
      at % 7 === 0 ? `"${'y\n'.repeat(at)}"` : 'x'.repeat(at),
    ]);
    const read = await csv(`id,t\n${rows.map((row) => row.join(',')).join('\n')}\n`);
    expect(read).toHaveLength(3000);
    expect(read.every((row, at) => row.value?.id === `${at}`)).toBe(true);
    expect(read[2800]?.value?.t).toBe('y\n'.repeat(2800));
  });
});

describe('rows that cannot be used have the line where they begin', () => {
  test('too few and too many fields, after a field with line ends', async () => {
    const rows = await csv('id,t\n1,"a\nb\nc"\n2,x,y\n\n3\n4,z\n');
    expect(rows.map((row) => `${row.place} ${row.code ?? 'ok'}`)).toEqual([
      'data.csv line 2 ok',
      'data.csv line 5 csv-fields',
      'data.csv line 7 csv-fields',
      'data.csv line 8 ok',
    ]);
    expect(rows[1]?.detail).toBe('has 3 fields, the header has 2');
  });

  test('text after a closing quote', async () => {
    const rows = await csv('id,t\n1,"ab"c\n2,ok\n');
    expect(rows.map((row) => row.code ?? 'ok')).toEqual(['csv-quote', 'ok']);
    expect(rows[0]?.detail).toBe('has text after the closing quote of field 2');
  });

  test('B008: Latin-1 rows are named, none is dropped', async () => {
    const rows = await csv(Buffer.from('id,t\n1,caf\xe9\n2,ok\n', 'latin1'));
    expect(rows.map((row) => row.code ?? 'ok')).toEqual(['row-not-utf8', 'ok']);
    expect(`${rows[0]?.place} ${rows[0]?.detail}`).toBe(
      'data.csv line 2 is not UTF-8 (Latin-1 or Windows-1252 perhaps; convert the file: iconv -f WINDOWS-1252 -t UTF-8)',
    );
  });
});

describe('files that cannot be used', () => {
  const cases: [string, string | Uint8Array, string][] = [
    [
      'a quote that never closes',
      'id,t\n1,a\n2,"b\n3,c\n',
      'csv-quote: data.csv line 3: a field opens with a quote that is never closed',
    ],
    ['an empty file', '', 'input-empty: data.csv: the file is empty, expected a header line'],
    [
      'the same column twice',
      'id,t,id\n',
      'columns-collide: data.csv: the columns "id" and "id" of the header are the same',
    ],
    [
      'columns that differ in case',
      'ID,id\n',
      'columns-collide: data.csv: the columns "ID" and "id" of the header differ only in case',
    ],
    [
      'a column without a name',
      'id,,t\n',
      'column-name: data.csv: column 2 of the header has no usable name',
    ],
    [
      'bare carriage returns as line ends',
      'id,t\r1,a\r2,b',
      'csv-line-ends: data.csv: lines end in a bare carriage return, expected line feeds',
    ],
    [
      'UTF-16',
      Buffer.from('\ufeffid,t\n1,a\n', 'utf16le'),
      'input-utf16: data.csv: line 1 is UTF-16, expected UTF-8',
    ],
    [
      'a header in Latin-1',
      Buffer.from('id,caf\xe9\n', 'latin1'),
      'input-not-utf8: data.csv: line 1 is not UTF-8 (Latin-1 or Windows-1252 perhaps; convert the file: iconv -f WINDOWS-1252 -t UTF-8)',
    ],
  ];
  test.each(cases)('%s', async (_name, text, expected) => {
    expect(await findingsOf(csv(text))).toEqual([expected]);
  });

  test('B029: a byte order mark is no part of the first column', async () => {
    expect(await textsOf({ 'data.csv': '\ufeffid,t\n1,\ufeffa\n' })).toEqual(['{"id":"1","t":"\ufeffa"}']);
  });
});
