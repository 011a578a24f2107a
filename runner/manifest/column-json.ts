import type { DuckDBType } from '@duckdb/node-api';
import { sqlName, sqlText } from '../duck.ts';

export interface TypedColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

/** Numbers of DuckDB's type ids, from its C header (`duckdb_type`); the package exports them as an enum. */
const BOOLEAN = 1;
const WHOLE_NUMBERS: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 35]);
const FLOATING: ReadonlySet<number> = new Set([10, 11]);
const DECIMAL = 19;
/** TIMESTAMP in its four precisions. */
const TIMESTAMPS: ReadonlySet<number> = new Set([12, 20, 21, 22]);
const TIMESTAMP_TZ = 31;
const BLOB = 18;
const LIST = 24;
const STRUCT = 25;
const MAP = 26;
const ARRAY = 33;

/**
 * A SQL expression: the row as a JSON object, as text. DuckDB's own `to_json` prints DECIMAL 1.10 as 1.1, FLOAT 0.1
 * as 0.10000000149011612 and NaN as no JSON at all, nested ones too; here numbers are the digits that a cast to
 * VARCHAR gives, and a reader that keeps them (`parseExact`) is on the other side.
 */
export function rowJson(columns: readonly TypedColumn[]): string {
  const members = columns.map(({ name, type }) => `${label(name)} || ${json(sqlName(name), type)}`);
  return members.length === 0 ? "'{}'" : `'{' || ${members.join(" || ',' || ")} || '}'`;
}

function label(name: string): string {
  return sqlText(`${JSON.stringify(name)}:`);
}

function json(value: string, type: DuckDBType): string {
  return `coalesce(${notNull(value, type)}, 'null')`;
}

/** JSON text of a value; SQL NULL where it is NULL. */
function notNull(value: string, type: DuckDBType): string {
  const id = type.typeId as number;
  if (id === BOOLEAN || id === DECIMAL || WHOLE_NUMBERS.has(id)) return `${value}::VARCHAR`;
  if (FLOATING.has(id)) return `if(isfinite(${value}), ${value}::VARCHAR, ${quoted(`${value}::VARCHAR`)})`;
  if (TIMESTAMPS.has(id)) return quoted(isoText(value));
  if (id === TIMESTAMP_TZ) return quoted(`regexp_replace(${isoText(value)}, '\\+00$', 'Z')`);
  if (id === BLOB) return quoted(`base64(${value})`);
  if (id === STRUCT) return structJson(value, type as StructType);
  if (id === LIST || id === ARRAY) return listJson(value, (type as ListType).valueType);
  if (id === MAP) return mapJson(value, type as MapType);
  // JSON text stands as it is written, but on one line: raw line ends can only be between its tokens.
  if (type.alias === 'JSON') return `translate(${value}::VARCHAR, chr(10) || chr(13) || chr(9), '   ')`;
  return quoted(`${value}::VARCHAR`);
}

type StructType = DuckDBType & {
  readonly entryNames: readonly string[];
  readonly entryTypes: readonly DuckDBType[];
};
type ListType = DuckDBType & { readonly valueType: DuckDBType };
type MapType = DuckDBType & { readonly valueType: DuckDBType };

function quoted(text: string): string {
  return `to_json(${text})::VARCHAR`;
}

/** `2024-01-01T09:30:00.12`; `infinity` stays as it is. The session is UTC. */
function isoText(value: string): string {
  return `regexp_replace(${value}::VARCHAR, '^(\\S+) (\\d)', '\\1T\\2')`;
}

function structJson(value: string, type: StructType): string {
  const members = type.entryNames.map((name, index) => {
    const member = `struct_extract(${value}, ${sqlText(name)})`;
    return `${label(name)} || ${json(member, type.entryTypes[index] as DuckDBType)}`;
  });
  return `if(${value} IS NULL, NULL, '{' || ${members.join(" || ',' || ")} || '}')`;
}

function listJson(value: string, element: DuckDBType): string {
  const inner = lambdaName(value);
  return `('[' || array_to_string(list_transform(${value}, lambda ${inner}: ${json(inner, element)}), ',') || ']')`;
}

/** Keys as text, whatever their type: JSON has no others. */
function mapJson(value: string, type: MapType): string {
  const entry = lambdaName(value);
  const member = `${quoted(`${entry}.key::VARCHAR`)} || ':' || ${json(`${entry}.value`, type.valueType)}`;
  const members = `list_transform(map_entries(${value}), lambda ${entry}: ${member})`;
  return `('{' || array_to_string(${members}, ',') || '}')`;
}

/** A parameter name that no enclosing lambda has: nested ones would hide each other. */
function lambdaName(value: string): string {
  const depth = /element_(\d+)/.exec(value)?.[1];
  return `element_${depth === undefined ? 0 : Number(depth) + 1}`;
}
