import { type Duck, sqlText } from '../duck.ts';
import { answeredItems } from './answered.ts';
import { remembered } from './memo.ts';

/** How often a property has a value among a run's answers. */
export interface ValueCount {
  readonly field: string;
  readonly value: string;
  readonly count: number;
}

/** How often a property moved from one value to another between two runs. */
export interface ValueMove {
  readonly field: string;
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** Each answered item of a run with its answer; equal requests count once an item. */
const answersOf = (run: number) => `SELECT f.ordinal, f.request, o.answer, o.model
  FROM (${answeredItems(run)}) f
    JOIN outcome o ON o.run = f.answer_run AND o.shard = f.answer_shard AND o.ordinal = f.answer_ordinal`;

export function valueCounts(duck: Duck, run: number, fields: readonly string[]): Promise<ValueCount[]> {
  return remembered(duck, `values ${run} ${JSON.stringify(fields)}`, () => countValues(duck, run, fields));
}

async function countValues(duck: Duck, run: number, fields: readonly string[]): Promise<ValueCount[]> {
  const counts: ValueCount[] = [];
  for (const field of fields) {
    counts.push(
      ...(await duck.rows<ValueCount>(
        `SELECT ${sqlText(field)} AS field, coalesce(${property('answer', field)}, 'null') AS value, count(*)::INTEGER AS count
         FROM (${answersOf(run)}) GROUP BY 1, 2 ORDER BY count DESC, value`,
      )),
    );
  }
  return counts;
}

export interface Comparison {
  readonly keysInBoth: number;
  readonly changed: number;
  readonly moves: readonly ValueMove[];
}

/** What changed for the keys that were answered in both runs. */
export function comparison(
  duck: Duck,
  run: number,
  before: number,
  fields: readonly string[],
): Promise<Comparison> {
  const name = `comparison ${run} ${before} ${JSON.stringify(fields)}`;
  return remembered(duck, name, () => compare(duck, run, before, fields));
}

async function compare(
  duck: Duck,
  run: number,
  before: number,
  fields: readonly string[],
): Promise<Comparison> {
  const both = `SELECT a.answer AS now, b.answer AS then FROM (${keyed(run)}) a JOIN (${keyed(before)}) b USING (key)`;
  const differs = fields
    .map((field) => `${property('now', field)} IS DISTINCT FROM ${property('"then"', field)}`)
    .join(' OR ');
  const [sums] = await duck.rows<{ both: number; changed: number }>(
    `SELECT count(*)::INTEGER AS both, (count(*) FILTER (${differs === '' ? 'now <> "then"' : differs}))::INTEGER AS changed FROM (${both})`,
  );
  const moves: ValueMove[] = [];
  for (const field of fields) {
    moves.push(
      ...(await duck.rows<ValueMove>(
        `SELECT ${sqlText(field)} AS field, coalesce(${property('"then"', field)}, 'null') AS "from",
           coalesce(${property('now', field)}, 'null') AS "to", count(*)::INTEGER AS count
         FROM (${both}) WHERE ${property('now', field)} IS DISTINCT FROM ${property('"then"', field)}
         GROUP BY 1, 2, 3 ORDER BY count DESC, 2, 3 LIMIT 10`,
      )),
    );
  }
  return { keysInBoth: sums?.both ?? 0, changed: sums?.changed ?? 0, moves };
}

const keyed = (run: number) =>
  `SELECT m.key, a.answer FROM (${answersOf(run)}) a JOIN manifest m ON m.run = ${run} AND m.ordinal = a.ordinal`;

/** By JSON pointer: a path in quotes cannot say a name that ends in a backslash. */
function property(column: string, name: string): string {
  return `json_extract_string(${column}, ${sqlText(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)})`;
}

/** Answered rows for a reader: by request hash, so that the same run always shows the same ones. */
export function sampleAnswers(
  duck: Duck,
  run: number,
  limit: number,
): Promise<{ key: string; answer: string }[]> {
  // Chosen first: of a million rows only these few are then looked for in the files.
  return remembered(duck, `samples ${run} ${limit}`, () =>
    duck.rows(
      `WITH chosen AS MATERIALIZED (
         SELECT * FROM (${answeredItems(run)}) ORDER BY request, ordinal LIMIT ${limit})
       SELECT m.key, o.answer FROM chosen f JOIN manifest m ON m.run = ${run} AND m.ordinal = f.ordinal
         JOIN outcome o ON o.run = f.answer_run AND o.shard = f.answer_shard AND o.ordinal = f.answer_ordinal
       ORDER BY f.request, f.ordinal`,
    ),
  );
}

export function servedModels(duck: Duck, run: number): Promise<Record<string, number>> {
  return remembered(duck, `models ${run}`, async () => {
    const rows = await duck.rows<{ model: string | null; n: number }>(
      `SELECT coalesce(model, 'unknown') AS model, count(*)::INTEGER AS n FROM (${answersOf(run)}) GROUP BY 1 ORDER BY n DESC, 1`,
    );
    return Object.fromEntries(rows.map((row) => [row.model ?? 'unknown', row.n]));
  });
}
