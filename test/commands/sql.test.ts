import { describe, expect, it, test } from 'vitest';
import { findingsText } from '../../runner/commands/findings.ts';
import { runSql } from '../../runner/commands/sql.ts';
import { tableText } from '../../runner/commands/table.ts';
import type { UserError } from '../../runner/errors.ts';
import { copiesOf, documentOf, printed } from '../support/reading.ts';
import { repository, world } from '../support/world.ts';

const copy = copiesOf(async () => {
  const w = await world(repository());
  await w.finish();
  return w;
});

const sql = async (query: string) =>
  printed(await copy(), (common) => runSql({ ...common, job: 'tickets', query }));

async function refusal(query: string): Promise<string> {
  const error = await sql(query).catch((thrown: unknown) => thrown);
  return findingsText((error as UserError).findings, { color: false });
}

describe('sql', () => {
  it.each([
    ["INTERVAL '26 hours 3 seconds'", '26:00:03'],
    ['[1, NULL, 3]', '[1, NULL, 3]'],
    ["{'a': 1}", "{'a': 1}"],
    ['1.10::DECIMAL(10, 2)', '1.10'],
    ["TIMESTAMP '2026-11-25 09:02:11'", '2026-11-25 09:02:11'],
    ['9007199254740993::BIGINT', '9007199254740993'],
    ["'\u001b[31m'", '␛[31m'],
    ['NULL', ''],
  ])('shows %s as DuckDB writes it', async (value, text) => {
    expect((await sql(`SELECT ${value} AS v, 'x' AS w`)).text.split('\n')[2]?.trim()).toBe(
      `${text}${text === '' ? '' : '  '}x`,
    );
  });

  it('keeps columns of one name apart', async () => {
    expect((await sql('SELECT 1 AS a, 2 AS a')).text).toBe('a  a:1\n-  ---\n1  2\n(1 row)\n');
  });

  it('gives one document', async () => {
    const { document } = await documentOf(await copy(), (common) =>
      runSql({
        ...common,
        job: 'tickets',
        query: 'SELECT disposition, count(*) AS n FROM disposition GROUP BY 1',
      }),
    );
    expect(document).toEqual({ format: 'batchwright/rows/v1', rows: [{ disposition: 'applied', n: '8' }] });
  });

  it("keeps the lines of DuckDB's message, and nothing in them steers the terminal", async () => {
    const text = await refusal("SELECT classs, '\u001b[31m'\nFROM attempt");
    expect(text).toMatch(
      /^error\[bad-query\] DuckDB cannot run this: Binder Error: .*\n {2}Candidate bindings: .*\n {2}LINE 1: SELECT classs.*\n {2} {15}\^\n {2}tables: /,
    );
    expect(text).not.toContain('\u001b');
  });

  it.each(['', '  ', ';', '-- nothing', '/* a */ ; -- b', `${'-'.repeat(60)}\n`])(
    'an empty query is told so: %j',
    async (query) => {
      expect(await refusal(query)).toContain('error[empty-query] the query is empty');
    },
  );

  it('cannot leave its read-only transaction', async () => {
    expect((await sql('COMMIT')).code).toBe(0);
    expect(await refusal('COMMIT; DROP TABLE item')).toContain('one query at a time, not 2');
  });

  it('changes nothing', async () => {
    expect(await refusal('DELETE FROM item')).toContain('read-only');
  });
});

test('a table of hostile, wide and long values', () => {
  const rows = [
    { name: '中文', value: 'x'.repeat(100) },
    { name: '👨‍👩‍👧', value: ['::error::gotcha', 1] },
    { name: null, value: '中'.repeat(40) },
  ];
  expect(tableText(['name', 'value'], rows).split('\n')).toEqual([
    'name  value',
    `----  ${'-'.repeat(60)}`,
    `中文  ${'x'.repeat(59)}…`,
    '👨‍👩‍👧    [": :error: :gotcha",1]',
    `      ${'中'.repeat(29)}…`,
    '(3 rows)',
    '',
  ]);
});
