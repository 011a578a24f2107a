import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourceColumns } from '../../runner/manifest/source.ts';
import { runQuery } from '../../runner/manifest/source-sql.ts';
import { testFolder } from '../support/folder.ts';
import { inputOf } from '../support/freeze.ts';
import { findingsOf, folderWith, readAll, textsOf } from '../support/rows.ts';

const ROWS =
  '{"id":"a","lang":"de","n":1,"price":1.10}\n{"id":"b","lang":"fr","n":2}\n{"id":"c","lang":"de","n":30,"price":2}\n';

function select(sql: string, data = ROWS): Promise<string[]> {
  return textsOf({ 'data.jsonl': data }, { sql });
}

describe('one SELECT over `input`', () => {
  const cases: [string, string[]][] = [
    ["SELECT id FROM input WHERE lang = 'de'", ['{"id":"a"}', '{"id":"c"}']],
    ['SELECT id, n FROM input WHERE n > 1 ORDER BY n DESC', ['{"id":"c","n":30}', '{"id":"b","n":2}']],
    [
      'SELECT id, price FROM input',
      ['{"id":"a","price":"1.10"}', '{"id":"b","price":null}', '{"id":"c","price":"2"}'],
    ],
    ['FROM input SELECT id LIMIT 1;', ['{"id":"a"}']],
    ['SELECT id FROM input -- the rest is a comment', ['{"id":"a"}', '{"id":"b"}', '{"id":"c"}']],
    ["WITH german AS (SELECT * FROM input WHERE lang = 'de') SELECT count(*) AS n FROM german", ['{"n":2}']],
    [
      'SELECT lang AS id, list(n ORDER BY n) AS ns FROM input GROUP BY lang ORDER BY lang',
      ['{"id":"de","ns":[1,30]}', '{"id":"fr","ns":[2]}'],
    ],
    [
      'SELECT a.id FROM input a JOIN input b ON a.n = b.n AND a.n < 3 ORDER BY 1',
      ['{"id":"a"}', '{"id":"b"}'],
    ],
    ['SELECT id, u FROM input, unnest([1, 2]) t(u) WHERE n = 1', ['{"id":"a","u":1}', '{"id":"a","u":2}']],
    ['SELECT id FROM input WHERE false', []],
  ];
  test.each(cases)('%s', async (sql, expected) => {
    expect(await select(sql)).toEqual(expected);
  });

  test('types come from every value, and text stays exact', async () => {
    const rows = [
      '{"id":"1","flag":true,"mixed":1,"nested":{"n":1.10},"text":"a\\u0000\\n\\"b","both":"x"}',
      '{}',
      '{"id":"2","flag":false,"mixed":"one","nested":[1e5],"text":" 1","both":{"y":1},"late":9007199254740993}',
    ];
    const sql = 'SELECT *, typeof(flag) || typeof(mixed) || typeof(nested) AS types FROM input';
    expect(await select(sql, rows.join('\n'))).toEqual([
      '{"id":"1","flag":true,"mixed":"1","nested":{"n":1.10},"text":"a\\u0000\\n\\"b","both":"x","late":null,"types":"BOOLEANVARCHARJSON"}',
      '{"id":null,"flag":null,"mixed":null,"nested":null,"text":null,"both":null,"late":null,"types":"BOOLEANVARCHARJSON"}',
      '{"id":"2","flag":false,"mixed":"one","nested":[1e5],"text":" 1","both":"{\\"y\\":1}","late":"9007199254740993","types":"BOOLEANVARCHARJSON"}',
    ]);
  });

  test('B005: what a sample would not have seen', async () => {
    const rows = [...Array.from({ length: 20_480 }, () => '{"c":7}'), '{"c":1.5}', '{"c":"A7","note":"VIP"}'];
    expect(await select("SELECT c, note FROM input WHERE c <> '7'", rows.join('\n'))).toEqual([
      '{"c":"1.5","note":null}',
      '{"c":"A7","note":"VIP"}',
    ]);
  });

  test('CSV columns are text', async () => {
    const files = { 'data.csv': 'id,zip\n1,01220\n2,94107\n' };
    expect(await textsOf(files, { sql: "SELECT * FROM input WHERE zip LIKE '0%'" })).toEqual([
      '{"id":"1","zip":"01220"}',
    ]);
  });

  test('rows that no query can see are bad rows all the same', async () => {
    const rows = await readAll({ 'data.jsonl': `${ROWS}nope\n` }, { sql: 'SELECT id FROM input' });
    expect(rows.map((row) => `${row.place} ${row.code ?? 'ok'}`)).toEqual([
      'data.jsonl line 4 row-not-json',
      'input.sql row 1 ok',
      'input.sql row 2 ok',
      'input.sql row 3 ok',
    ]);
  });

  test('its columns are known before its rows are read', async () => {
    const root = await folderWith({ 'data.jsonl': ROWS });
    const input = inputOf({ sql: 'SELECT id, n + 1 AS next FROM input' });
    expect(await sourceColumns(input, { root, allowedRoots: [] })).toMatchObject({
      columns: ['id', 'next'],
      complete: true,
    });
  });

  test('also where the first rows would not do', async () => {
    const nulls = Array.from({ length: 1000 }, (_, at) => `{"id":"${at}","n":null}`);
    const root = await folderWith({ 'data.jsonl': [...nulls, '{"id":"x","n":1}'].join('\n') });
    const input = inputOf({ sql: 'SELECT id, n % 2 AS odd FROM input' });
    expect((await sourceColumns(input, { root, allowedRoots: [] })).columns).toEqual(['id', 'odd']);
  });
});

describe('it can read nothing else and write nothing', () => {
  const cases: [string, string][] = [
    [
      "SELECT * FROM read_text('/etc/passwd')",
      'sql-function: input.sql: the function read_text is not allowed here',
    ],
    ["SELECT * FROM '/etc/passwd'", 'sql-table: input.sql: reads "/etc/passwd"; only `input` can be read'],
    ["SELECT * FROM glob('/etc/*')", 'sql-function: input.sql: the function glob is not allowed here'],
    [
      'SELECT * FROM duckdb_settings()',
      'sql-function: input.sql: the function duckdb_settings is not allowed here',
    ],
    [
      'SELECT * FROM information_schema.tables',
      'sql-table: input.sql: reads "tables"; only `input` can be read',
    ],
    ["SELECT getenv('HOME')", 'sql-function: input.sql: the function getenv is not allowed here'],
    [
      "SELECT current_setting('temp_directory') FROM input",
      'sql-function: input.sql: the function current_setting is not allowed here',
    ],
    [
      "COPY (SELECT 1) TO 'out.csv'",
      'sql-not-select: input.sql: expected exactly one SELECT, found another kind of statement',
    ],
    [
      "ATTACH 'other.db'",
      'sql-not-select: input.sql: expected exactly one SELECT, found another kind of statement',
    ],
    [
      'INSTALL httpfs',
      'sql-not-select: input.sql: expected exactly one SELECT, found another kind of statement',
    ],
    [
      'PRAGMA version',
      'sql-not-select: input.sql: expected exactly one SELECT, found another kind of statement',
    ],
    [
      'SET threads = 8',
      'sql-not-select: input.sql: expected exactly one SELECT, found another kind of statement',
    ],
    ['SELECT 1; SELECT 2', 'sql-not-select: input.sql: expected exactly one SELECT, found 2 statements'],
    ['-- nothing', 'sql-not-select: input.sql: expected exactly one SELECT, found 0 statements'],
    [
      'DESCRIBE input',
      'sql-not-select: input.sql: expected exactly one SELECT, found SHOW, DESCRIBE or SUMMARIZE',
    ],
    ['SELEC 1', 'sql-syntax: input.sql: syntax error at or near "SELEC"'],
    ["SELECT * FROM query('SELECT 1')", 'sql-function: input.sql: the function query is not allowed here'],
  ];
  test.each(cases)('%s', async (sql, finding) => {
    expect(await findingsOf(select(sql))).toEqual([finding]);
  });

  test('the connection itself is locked, should the check ever miss something', async () => {
    const work = await testFolder();
    const target = join(work, 'stolen.csv');
    const input = `SELECT 1 AS id`;
    const hidden = `SELECT (SELECT content FROM read_text('/etc/passwd')) AS id`;
    for (const view of [hidden, `${input}; COPY (SELECT 1) TO '${target}'`, `${input}; ATTACH '${target}'`]) {
      const [finding] = await findingsOf(
        runQuery({ sql: 'SELECT * FROM input', input: view, files: [] }, work),
      );
      expect(finding).toContain('Permission Error');
    }
    expect(existsSync(target)).toBe(false);
  });
});

describe('queries that fail', () => {
  test('an unknown column is told as DuckDB tells it', async () => {
    const [finding] = await findingsOf(select('SELECT nope FROM input'));
    expect(finding).toContain('sql-failed: input.sql: Binder Error: Referenced column "nope" not found');
  });

  test('a value that cannot be cast is not quoted', async () => {
    const [finding] = await findingsOf(select('SELECT lang::INTEGER AS id FROM input'));
    expect(finding).toBe('sql-failed: input.sql: a value made the query fail (Conversion Error)');
  });

  test('a query without end is interrupted', async () => {
    const work = await testFolder();
    const sql = 'SELECT count(*) FROM range(1000000000) a, range(1000000000) b, input';
    const endless = runQuery({ sql, input: 'SELECT 1 AS id', files: [] }, work, 60);
    expect(await findingsOf(endless)).toEqual(['sql-slow: input.sql: not done after 0.001 minutes']);
  });

  test('columns that only differ in case cannot be told apart in SQL', async () => {
    const data = '{"id":1}\n{"ID":2}\n';
    expect(await findingsOf(select('SELECT * FROM input', data))).toEqual([
      'columns-collide: input.sql: the columns "id" and "ID" differ only in case, and SQL cannot tell them apart',
    ]);
  });
});
