import { sqlText } from '../duck.ts';
import { type Finding, UserError } from '../errors.ts';
import type { Column } from './columns.ts';
import { type Misfit, misfitFinding, shown, VALUE_LENGTH } from './misfit.ts';
import { fitsBigint, fitsDouble, numberText } from './numbers.ts';
import { FIRST_KEPT, type SinkContent } from './port.ts';
import {
  answeredSelect,
  type Form,
  keySql,
  type PropertyColumn,
  placeOf,
  propertyColumns,
} from './select.ts';

/** More would bury the reader; the message says how many there are. */
const SHOWN = 5;

/**
 * Proves that the file will say exactly what the answers say, before a byte of it is written. Returns the row count.
 *
 * @param pieces relations that together are the content's: the values are looked at in one after the other
 * @throws UserError where two rows share a key (DuckDB's upserts would keep the first in silence), or a value would be
 * changed or lost by its column's type: 1.5 or an integer beyond 64 bits in BIGINT, 1e400 in DOUBLE.
 */
export async function checkContent(
  content: SinkContent,
  columns: readonly Column[],
  form: Form,
  pieces: readonly string[],
): Promise<number> {
  const rows = await checkKeys(content, columns);
  for (const piece of pieces) await checkValues({ ...content, relation: piece }, columns, form);
  return rows;
}

async function checkKeys(content: SinkContent, columns: readonly Column[]): Promise<number> {
  const key = keySql(columns);
  const [counted] = await content.duck.rows<{ rows: number; keys: number }>(
    `SELECT count(*)::DOUBLE AS rows, count(DISTINCT ${key})::DOUBLE AS keys FROM (${content.relation})`,
  );
  const { rows, keys } = counted ?? { rows: 0, keys: 0 };
  if (rows === keys) return rows;
  const twice = await content.duck.rows<{ key: string | null; times: number }>(
    `SELECT ${key} AS key, count(*)::DOUBLE AS times FROM (${content.relation})
     GROUP BY 1 HAVING count(*) > 1 OR key IS NULL ORDER BY 1 LIMIT ${SHOWN}`,
  );
  throw new UserError(twice.map(({ key: name, times }) => duplicate(name, times)));
}

function duplicate(key: string | null, times: number): Finding {
  return {
    level: 'error',
    code: 'sink-duplicate-key',
    message:
      key === null
        ? `${times} rows have no key`
        : `${times} rows share the key ${shown(key)}, and a sink holds one row a key`,
    hint: 'this should have been found when the run was frozen: please report it with the job file',
  };
}

async function checkValues(content: SinkContent, columns: readonly Column[], form: Form): Promise<void> {
  const [row] = await content.duck.rows<{ misfits: string | null }>(misfitSelect(content, columns, form));
  const misfits = JSON.parse(row?.misfits ?? '[]') as Misfit[];
  if (misfits.length === 0) return;
  throw new UserError(misfits.map((misfit) => misfitFinding(misfit, columns, form)));
}

/**
 * One scan: for each row the first column that its value does not fit. `column` is NULL where the answer as a whole is
 * none. By an aggregate's filter and not by WHERE: DuckDB would push that down together with all that it depends on, and
 * take each answer apart once for each mention.
 */
function misfitSelect(content: SinkContent, columns: readonly Column[], form: Form): string {
  const branches = propertyColumns(columns).map((column) => {
    const json = `found[${placeOf(column, columns)}]`;
    return `WHEN ${misfitSql(column, json, form)} THEN {name: ${sqlText(column.name)}, value: ${json}::VARCHAR}`;
  });
  return `WITH answered AS (${answeredSelect(content.relation, columns)}),
    judged AS (SELECT ordinal, ${keySql(columns)} AS key,
      CASE WHEN found IS NULL THEN {name: NULL, value: answer} ${wholeAnswerBranch(columns)} ${branches.join(' ')} END AS misfit
      FROM answered)
    SELECT to_json(arg_min({key: key, "column": misfit.name, value: left(misfit.value, ${VALUE_LENGTH + 1}), kept: ordinal >= ${FIRST_KEPT}},
      ordinal, ${SHOWN}) FILTER (misfit IS NOT NULL))::VARCHAR AS misfits FROM judged`;
}

/** Free text must be a JSON string: another value would come out as its JSON text. A vector must be a list. */
function wholeAnswerBranch(columns: readonly Column[]): string {
  for (const { name, from } of columns) {
    if (from.kind !== 'answer' || from.value === 'json') continue;
    const type = from.value === 'string' ? 'VARCHAR' : 'ARRAY';
    return `WHEN json_type(answer) <> '${type}' THEN {name: ${sqlText(name)}, value: answer}`;
  }
  return '';
}

function misfitSql({ from }: PropertyColumn, json: string, form: Form): string {
  const type = `json_type(${json})`;
  const text = numberText(json);
  switch (from.value) {
    case 'string':
      return `${type} NOT IN ('VARCHAR', 'NULL')`;
    case 'boolean':
      return `${type} NOT IN ('BOOLEAN', 'NULL')`;
    case 'integer':
      return `(${type} NOT IN (${NUMBERS}) OR (${type} <> 'NULL' AND NOT ${fitsInteger(text, form)}))`;
    case 'number':
      return `(${type} NOT IN (${NUMBERS}) OR (${type} <> 'NULL' AND NOT ${form === 'columns' ? fitsDouble(text) : 'true'}))`;
    case 'json':
      return 'false';
    default:
      return from.value satisfies never;
  }
}

const NUMBERS = "'BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE', 'NULL'";

/** In a text file any whole number fits. */
function fitsInteger(text: string, form: Form): string {
  const double = `TRY_CAST(${text} AS DOUBLE)`;
  const isWhole = `(regexp_full_match(${text}, '-?[0-9]+') OR (isfinite(${double}) AND trunc(${double}) = ${double}))`;
  return form === 'columns' ? fitsBigint(text) : isWhole;
}
