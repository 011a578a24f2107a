import { type Finding, UserError } from '../errors.ts';
import type { JsonObject } from '../ids.ts';
import { storedProperties } from '../spec/storage.ts';
import type { ValueKind } from '../spec/value-kind.ts';

/** A column of a sink: its name in the file, and where its values come from. */
export interface Column {
  readonly name: string;
  readonly from: Origin;
}

export type Origin =
  | { readonly kind: 'key'; readonly index: number }
  | { readonly kind: 'pass'; readonly index: number }
  | { readonly kind: 'property'; readonly name: string; readonly value: ValueKind }
  /** The whole answer: free text, or JSON text where the schema names no properties; a list of numbers. */
  | { readonly kind: 'answer'; readonly value: 'string' | 'json' | 'vector' }
  | { readonly kind: 'own'; readonly column: (typeof OWN_COLUMNS)[number] | typeof MARK_COLUMN };

/** Ours, behind an underscore: run, readable id, served model, request hash. */
const OWN_COLUMNS = ['run', 'custom_id', 'model', 'hash'] as const;

/** Where rows that are gone from the input are marked: since which run. */
const MARK_COLUMN = 'retired';

/**
 * The columns of a sink in order: key, passed columns, one typed column for each top-level property of the schema
 * (`answer` for free text, `embedding` for vectors), then `_run`, `_custom_id`, `_model`, `_hash`, and `_retired` where
 * a sink marks. Pure.
 *
 * Properties that an answer has beyond those that the schema names get no column.
 *
 * @throws UserError where two columns would share a name. Case does not tell names apart: it does not in DuckDB,
 * and a Parquet file with `Id` and `id` cannot be queried there.
 */
export function columnsOf(
  key: readonly string[],
  pass: readonly string[],
  schema: JsonObject | null,
  { isVector = false, marks = false }: { readonly isVector?: boolean; readonly marks?: boolean } = {},
): readonly Column[] {
  const own = marks ? ([...OWN_COLUMNS, MARK_COLUMN] as const) : OWN_COLUMNS;
  const columns = [
    ...key.map((name, index): Column => ({ name, from: { kind: 'key', index } })),
    ...pass.map((name, index): Column => ({ name, from: { kind: 'pass', index } })),
    ...(isVector ? [VECTOR] : answerColumns(schema)),
    ...own.map((column): Column => ({ name: `_${column}`, from: { kind: 'own', column } })),
  ];
  refuseClashes(columns);
  return columns;
}

const VECTOR: Column = { name: 'embedding', from: { kind: 'answer', value: 'vector' } };

function answerColumns(schema: JsonObject | null): readonly Column[] {
  if (schema === null) return [{ name: 'answer', from: { kind: 'answer', value: 'string' } }];
  const properties = storedProperties(schema);
  if (properties.length === 0) return [{ name: 'answer', from: { kind: 'answer', value: 'json' } }];
  return properties.map(({ name, kind }) => ({ name, from: { kind: 'property', name, value: kind } }));
}

function refuseClashes(columns: readonly Column[]): void {
  const first = new Map<string, Column>();
  const findings: Finding[] = [];
  for (const column of columns) {
    const folded = column.name.toLowerCase();
    const earlier = first.get(folded);
    if (earlier === undefined) first.set(folded, column);
    else findings.push(clash(earlier, column));
  }
  if (findings.length > 0) throw new UserError(findings);
}

function clash(a: Column, b: Column): Finding {
  const same = a.name === b.name ? '' : ' (upper and lower case do not tell column names apart)';
  return {
    level: 'error',
    code: 'sink-column-clash',
    message: `two columns of the sink would share a name: ${originText(a)} and ${originText(b)}${same}`,
    hint: 'rename the property in the schema, or select the column under another name in `input.sql`',
  };
}

function originText({ name, from }: Column): string {
  switch (from.kind) {
    case 'key':
      return `the key column \`${name}\``;
    case 'pass':
      return `the passed column \`${name}\``;
    case 'property':
      return `the schema's property \`${name}\``;
    case 'answer':
      return `the column \`${name}\` that holds the answer`;
    case 'own':
      return `our own column \`${name}\``;
    default:
      return from satisfies never;
  }
}
