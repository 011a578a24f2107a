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

/** What a run's answers come to. */
export interface AnswerTally {
  /** By field in the order given, the most frequent value first. */
  readonly values: readonly ValueCount[];
  /** Answers by served model, as the provider named it; `unknown` where it did not. */
  readonly models: Readonly<Record<string, number>>;
}

/** All in one reading of the answers: to find and parse a million of them takes half a second. */
export function answerTally(duck: Duck, run: number, fields: readonly string[]): Promise<AnswerTally> {
  return remembered(duck, `answers ${run} ${JSON.stringify(fields)}`, async () => {
    const rows = await duck.rows<{ column: number; value: string; count: number }>(tallySelect(run, fields));
    const counts = rows.filter(({ column }) => column < fields.length);
    return {
      values: fields.flatMap((field, at) =>
        counts.filter(({ column }) => column === at).map(({ value, count }) => ({ field, value, count })),
      ),
      models: Object.fromEntries(
        rows.filter(({ column }) => column === fields.length).map(({ value, count }) => [value, count]),
      ),
    };
  });
}

/** `column`: which of the fields; one more is the model. */
function tallySelect(run: number, fields: readonly string[]): string {
  const columns = [...fields.map((_, at) => `c${at}`), 'model'];
  const values = fields.map((_, at) => `coalesce(v[${at + 1}], 'null') AS c${at}, `).join('');
  const found =
    fields.length === 0 ? '' : `json_extract_string(answer, [${fields.map(pointer).join(', ')}]) AS v, `;
  const place = columns.map((column, at) => `WHEN grouping(${column}) = 0 THEN ${at}`).join(' ');
  return `SELECT CASE ${place} END AS column, coalesce(${columns.join(', ')}) AS value, count(*)::INTEGER AS count
    FROM (SELECT ${values} model FROM (SELECT ${found} coalesce(model, 'unknown') AS model FROM (${answersOf(run)})))
    GROUP BY GROUPING SETS (${columns.map((column) => `(${column})`).join(', ')}) ORDER BY count DESC, value`;
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

function property(column: string, name: string): string {
  return `json_extract_string(${column}, ${pointer(name)})`;
}

/** A path in quotes cannot say a name that ends in a backslash. */
function pointer(name: string): string {
  return sqlText(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
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
