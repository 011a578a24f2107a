import type { JsonObject } from '../ids.ts';
import type { SinkSpec } from './job.ts';
import { isObject } from './schema-walk.ts';
import { isAlwaysObject, type ValueKind, valueKindOf } from './value-kind.ts';

/** A kind of sink. */
export type SinkKind = SinkSpec['kind'];

/** A property that has a column of its own in every sink, and what the column holds. */
export interface StoredProperty {
  readonly name: string;
  readonly kind: ValueKind;
}

/** Typed columns hold numbers of 64 bits and no others; in a file of text each number keeps its digits. */
const IS_TYPED: Readonly<Record<SinkKind, boolean>> = { parquet: true, jsonl: false, csv: false };

/** Pure: the kinds among these sinks whose columns hold less than JSON does, each once, in order. */
export function typedKinds(sinks: readonly Pick<SinkSpec, 'kind'>[]): readonly SinkKind[] {
  return [...new Set(sinks.map(({ kind }) => kind))].filter((kind) => IS_TYPED[kind]).sort();
}

/** Pure: the properties that a schema names at its top, in its order; empty where the whole answer is one column. */
export function storedProperties(schema: JsonObject): readonly StoredProperty[] {
  const { properties } = schema;
  if (!isObject(properties)) return [];
  return Object.keys(properties).map((name) => ({ name, kind: valueKindOf(schema, name) }));
}

/**
 * Pure: what the sinks ask of an answer beyond its schema, as a value for digests; null where they ask nothing.
 * @param typed from `typedKinds`
 */
export function storageLimits(schema: JsonObject, typed: readonly SinkKind[]): JsonObject | null {
  const properties = storedProperties(schema);
  if (properties.length === 0) return null;
  const numbers = properties.filter(({ kind }) => kind === 'integer' || kind === 'number');
  const columns = typed.length === 0 ? [] : numbers.map(({ name, kind }) => [name, kind] as const);
  const isOpen = !isAlwaysObject(schema);
  if (columns.length === 0 && !isOpen) return null;
  return { columns: Object.fromEntries(columns), object: isOpen };
}
