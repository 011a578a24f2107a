import { sqlName, sqlTexts } from '../duck.ts';
import type { AnswerKind } from '../spec/value-kind.ts';
import type { Column, Origin } from './columns.ts';
import { cellText, numberText, wholeText } from './numbers.ts';

/**
 * How values stand in a file: `columns` as typed columns, `cells` the same where no column can hold a list, `json` with
 * arrays and objects as JSON itself.
 */
export type Form = 'columns' | 'cells' | 'json';

/** The SELECT that a sink copies to its file: columns under their names, rows in the order of `ordinal`. */
export function fileSelect(relation: string, columns: readonly Column[], form: Form): string {
  return `${fileSelectOfSorted(relation, columns, form)} ORDER BY ordinal`;
}

/** The same for rows that are in order already: sorting takes all of them into memory. */
export function fileSelectOfSorted(relation: string, columns: readonly Column[], form: Form): string {
  const texts = columns.map(
    (column) => `${valueSql(column.from, placeOf(column, columns), form)} AS ${sqlName(column.name)}`,
  );
  return `WITH answered AS (${answeredSelect(relation, columns)})
    SELECT ${texts.join(', ')} FROM answered`;
}

/**
 * The relation with a list `found`: the JSON value of each property column, NULL where the answer has none.
 * One list and not one call a property, so that each answer is parsed once. The list itself is NULL where the answer
 * is no JSON, or no object and yet has properties to give.
 */
export function answeredSelect(relation: string, columns: readonly Column[]): string {
  const pointers = propertyColumns(columns).map((column) => pointerTo(column.from.name));
  const found =
    pointers.length === 0
      ? '[]::JSON[]'
      : `CASE WHEN json_type(answer) = 'OBJECT' THEN json_extract(answer, ${sqlTexts(pointers)}) END`;
  return `SELECT *, CASE WHEN json_valid(answer) THEN ${found} END AS found FROM (${relation})`;
}

export interface PropertyColumn extends Column {
  readonly from: Extract<Origin, { readonly kind: 'property' }>;
}

export function propertyColumns(columns: readonly Column[]): readonly PropertyColumn[] {
  return columns.filter((column): column is PropertyColumn => column.from.kind === 'property');
}

/** A property's place in `found`, counted from 1 as DuckDB does; 0 for other columns. */
export function placeOf(column: Column, columns: readonly Column[]): number {
  return propertyColumns(columns).findIndex((other) => other.name === column.name) + 1;
}

function valueSql(from: Origin, place: number, form: Form): string {
  switch (from.kind) {
    case 'key':
      return `key${from.index}`;
    case 'pass':
      return `pass${from.index}`;
    case 'property':
      return propertySql(from.value, `found[${place}]`, form);
    case 'answer':
      return propertySql(from.value, 'answer::JSON', form);
    case 'own':
      return from.column;
    default:
      return from satisfies never;
  }
}

function propertySql(value: AnswerKind, json: string, form: Form): string {
  const text = numberText(json);
  switch (value) {
    case 'string':
      return text;
    case 'integer':
      return integerSql(text, form);
    case 'number':
      return numberSql(json, form);
    case 'boolean':
      return `CAST(${text} AS BOOLEAN)`;
    case 'json':
      return form === 'json' ? json : `CASE WHEN json_type(${json}) <> 'NULL' THEN ${json}::VARCHAR END`;
    case 'vector':
      if (form === 'columns') return `CAST(${json} AS DOUBLE[])`;
      return form === 'json' ? json : `${json}::VARCHAR`;
    default:
      return value satisfies never;
  }
}

function integerSql(text: string, form: Form): string {
  switch (form) {
    case 'columns':
      return `CAST(${text} AS BIGINT)`;
    case 'cells':
      return wholeText(text);
    case 'json':
      return `(${wholeText(text)})::JSON`;
    default:
      return form satisfies never;
  }
}

/** In a text file the number keeps its digits; as a column it is the nearest double. */
function numberSql(json: string, form: Form): string {
  switch (form) {
    case 'columns':
      return `CAST(${numberText(json)} AS DOUBLE)`;
    case 'cells':
      return cellText(numberText(json));
    case 'json':
      return json;
    default:
      return form satisfies never;
  }
}

/** RFC 6901: any name can be pointed at, also one with dots, quotes or slashes. */
function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** What the relation's key is, as one text for messages and for telling rows apart. */
export function keySql(columns: readonly Column[]): string {
  const keys = columns.flatMap(({ from }) => (from.kind === 'key' ? [`key${from.index}`] : []));
  return keys.length === 1 ? `${keys[0]}` : `to_json([${keys.join(', ')}])::VARCHAR`;
}
