import { sqlText } from '../duck.ts';
import { type Finding, UserError } from '../errors.ts';
import type { Column } from './columns.ts';
import type { SinkContent } from './port.ts';
import { answeredSelect, keySql, type PropertyColumn, placeOf, propertyColumns } from './select.ts';
import type { AnswerKind } from './value-kind.ts';

/** More would bury the reader; the message says how many there are. */
const SHOWN = 5;
/** Characters of a value that a finding shows. */
const VALUE_LENGTH = 80;

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
  pieces: readonly string[],
): Promise<number> {
  const rows = await checkKeys(content, columns);
  for (const piece of pieces) await checkValues({ ...content, relation: piece }, columns);
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

async function checkValues(content: SinkContent, columns: readonly Column[]): Promise<void> {
  const [row] = await content.duck.rows<{ misfits: string | null }>(misfitSelect(content, columns));
  const misfits = JSON.parse(row?.misfits ?? '[]') as Misfit[];
  if (misfits.length === 0) return;
  throw new UserError(misfits.map((misfit) => misfitFinding(misfit, columns)));
}

interface Misfit {
  readonly key: string;
  readonly column: string | null;
  readonly value: string;
}

/**
 * One scan: for each row the first column that its value does not fit. `column` is NULL where the answer as a whole is
 * none. By an aggregate's filter and not by WHERE: DuckDB would push that down together with all that it depends on, and
 * take each answer apart once for each mention.
 */
function misfitSelect(content: SinkContent, columns: readonly Column[]): string {
  const branches = propertyColumns(columns).map((column) => {
    const json = `found[${placeOf(column, columns)}]`;
    return `WHEN ${misfitSql(column, json)} THEN {name: ${sqlText(column.name)}, value: ${json}::VARCHAR}`;
  });
  return `WITH answered AS (${answeredSelect(content.relation, columns)}),
    judged AS (SELECT ordinal, ${keySql(columns)} AS key,
      CASE WHEN found IS NULL THEN {name: NULL, value: answer} ${wholeAnswerBranch(columns)} ${branches.join(' ')} END AS misfit
      FROM answered)
    SELECT to_json(arg_min({key: key, "column": misfit.name, value: left(misfit.value, ${VALUE_LENGTH + 1})},
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

function misfitSql({ from }: PropertyColumn, json: string): string {
  const type = `json_type(${json})`;
  const text = `json_extract_string(${json}, '$')`;
  switch (from.value) {
    case 'string':
      return `${type} NOT IN ('VARCHAR', 'NULL')`;
    case 'boolean':
      return `${type} NOT IN ('BOOLEAN', 'NULL')`;
    case 'integer':
      return `(${type} NOT IN (${NUMBERS}) OR (${type} <> 'NULL' AND NOT ${fitsBigint(text)}))`;
    case 'number':
      return `(${type} NOT IN (${NUMBERS}) OR (${type} <> 'NULL' AND NOT ${fitsDouble(text)}))`;
    case 'json':
      return 'false';
    default:
      return from.value satisfies never;
  }
}

const NUMBERS = "'BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE', 'NULL'";

/** DuckDB rounds '1.5' to 2 in silence, so the double beside it must be whole. */
function fitsBigint(text: string): string {
  const double = `TRY_CAST(${text} AS DOUBLE)`;
  return `(TRY_CAST(${text} AS BIGINT) IS NOT NULL AND trunc(${double}) = ${double})`;
}

/**
 * A fraction means the double nearest to it, as in JavaScript. An integer must be that double, or be what the double
 * prints as: JSON.stringify(2 ** 60) is 1152921504606847000, which is neither wrong nor 2 ** 60.
 */
function fitsDouble(text: string): string {
  const double = `TRY_CAST(${text} AS DOUBLE)`;
  const whole = `TRY_CAST(${text} AS HUGEINT)`;
  return `(isfinite(${double}) AND (NOT regexp_full_match(${text}, '-?[0-9]+')
    OR coalesce(${whole} = TRY_CAST(${double} AS HUGEINT)
      OR ${whole} = TRY_CAST(${double}::VARCHAR AS HUGEINT), false)))`;
}

const TYPES: Readonly<Record<AnswerKind, string>> = {
  string: 'VARCHAR, which holds strings',
  integer: 'BIGINT, which holds whole numbers of 64 bits',
  number: 'DOUBLE, which holds what a 64-bit float can hold exactly',
  boolean: 'BOOLEAN',
  json: 'VARCHAR',
  vector: 'DOUBLE[], which holds lists of numbers',
};

function misfitFinding(misfit: Misfit, columns: readonly Column[]): Finding {
  const where = `the answer of ${shown(misfit.key)}`;
  if (misfit.column === null) {
    return {
      level: 'error',
      code: 'sink-unreadable-answer',
      message: `${where} is not ${wanted(columns)} that UTF-8 can hold (half a surrogate pair, perhaps): ${shown(misfit.value)}`,
      hint: 'nothing was written; the answer stands unchanged in the raw files of its run',
    };
  }
  const column = columns.find(({ name }) => name === misfit.column);
  const { from } = column ?? {};
  const kind = from?.kind === 'property' || from?.kind === 'answer' ? from.value : 'string';
  return {
    level: 'error',
    code: 'sink-value-misfit',
    message: `column \`${misfit.column}\` is ${TYPES[kind]}, but ${where} has ${shown(misfit.value)}`,
    hint: 'nothing was written; widen the property in the schema (a string or a list of types keeps any value)',
  };
}

function wanted(columns: readonly Column[]): string {
  return propertyColumns(columns).length === 0 ? 'JSON' : 'a JSON object';
}

function shown(value: string): string {
  const cut = value.length > VALUE_LENGTH ? `${value.slice(0, VALUE_LENGTH)}…` : value;
  return JSON.stringify(cut);
}
