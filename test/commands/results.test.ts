import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { type ResultsOptions, runResults } from '../../runner/commands/results.ts';
import { UserError } from '../../runner/errors.ts';
import { copiesOf, documentOf, printed } from '../support/reading.ts';
import { repository, world } from '../support/world.ts';

const ROWS = [
  { id: 'T-1', text: 'The wheel is bent' },
  { id: '票-2', text: '车轮弯了' },
  { id: 'T-3 🚲', text: 'Das Rad eiert' },
];

const copy = copiesOf(async () => {
  const w = await world(repository('', ROWS));
  await w.finish();
  await w.write({ 'jobs/unsent.yaml': unsent(repository()['jobs/tickets.yaml'] ?? '') });
  return w;
});

function unsent(job: string): string {
  return job.replace('name: tickets', 'name: unsent');
}

const DEFAULTS = { job: 'tickets', format: 'table', limit: null, output: null };

const results = (root: string, some: Partial<ResultsOptions> = {}) =>
  printed(root, (common) => runResults({ ...common, ...DEFAULTS, ...some }));

describe('results', () => {
  it('shows a table that wide characters do not shift', async () => {
    const { text } = await results(await copy());
    const [head = '', rule = '', ...rows] = text.split('\n');
    expect(head).toMatch(/^id +label +sure +_run +_model$/);
    expect(rule).toMatch(/^-+ {2}-+ {2}-+ {2}-+ {2}-+$/);
    expect(rows[0]).toMatch(/^T-1 {5}\S/);
    expect(rows[1]).toMatch(/^票-2 {4}\S/);
    expect(rows[2]).toMatch(/^T-3 🚲 {2}\S/);
    expect(rows[3]).toBe('(3 rows)');
  });

  it.each(['table', 'jsonl', 'csv'])('--limit holds for %s, in the order of the manifest', async (format) => {
    const { text } = await results(await copy(), { format, limit: '2' });
    expect(text).toContain('T-1');
    expect(text).toContain('票-2');
    expect(text).not.toContain('T-3');
  });

  it('--limit holds for a file', async () => {
    const root = await copy();
    const { text } = await results(root, { limit: '1', output: 'out/one.jsonl' });
    expect(text).toBe('1 row to out/one.jsonl\n');
    expect((await readFile(join(root, 'out/one.jsonl'), 'utf8')).split('\n')).toHaveLength(2);
  });

  it('--json is one document, and one for a file too', async () => {
    const root = await copy();
    const { document } = await documentOf<{ rows: unknown[] }>(root, (common) =>
      runResults({ ...common, ...DEFAULTS }),
    );
    expect(document).toMatchObject({ format: 'batchwright/results/v1', rows: [{ id: 'T-1' }, {}, {}] });
    const file = await documentOf(root, (common) =>
      runResults({ ...common, ...DEFAULTS, output: 'out/all.csv' }),
    );
    expect(file.document).toMatchObject({
      format: 'batchwright/results-file/v1',
      path: 'out/all.csv',
      rows: 3,
    });
  });

  it('looks at a rehearsal only where it is asked to', async () => {
    const root = await copy();
    const refusal = (rehearsal: boolean, job: string) =>
      results(root, { rehearsal, job }).catch((error: unknown) => (error as UserError).findings[0]);
    expect(await refusal(false, 'unsent')).toMatchObject({ hint: expect.stringContaining('--rehearsal') });
    expect(await refusal(true, 'tickets')).toMatchObject({
      message: 'job tickets has not been rehearsed yet',
    });
  });
});

test.each([
  [{ limit: '0' }, '--limit takes a whole number above 0, not "0"'],
  [{ format: 'xml' }, '--format takes table, jsonl or csv, not "xml"'],
  [{ output: 'out/x.xlsx' }, 'not "xlsx"'],
])('refuses %j', async (some, message) => {
  const error = await results(await copy(), some).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message).toContain(message);
});
