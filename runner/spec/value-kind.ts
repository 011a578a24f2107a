import type { Json, JsonObject } from '../ids.ts';

/**
 * How a property's values are stored: `string` VARCHAR, `integer` BIGINT, `number` DOUBLE, `boolean` BOOLEAN,
 * `json` VARCHAR holding JSON text. Null and an absent property are NULL in all of them.
 */
export type ValueKind = 'string' | 'integer' | 'number' | 'boolean' | 'json';

/** An answer as a whole may also be a list of numbers: DOUBLE[], in which each is what it was as JSON. */
export type AnswerKind = ValueKind | 'vector';

const SCALARS: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean']);
/** A schema may refer to itself; deeper than this, a property is JSON text. */
const DEPTH = 16;

/**
 * The storage of one top-level property. Null beside another type only makes it nullable; two scalar types make it
 * JSON text, since `"1"` and `1` must stay different; integer with number is number.
 */
export function valueKindOf(schema: JsonObject, property: string): ValueKind {
  const properties = schema.properties;
  if (!isObject(properties)) return 'json';
  const kinds = kindsOf(properties[property] ?? null, schema, DEPTH);
  kinds.delete('null');
  if (kinds.size === 2 && kinds.has('integer') && kinds.has('number')) return 'number';
  const [only, ...others] = kinds;
  return only !== undefined && others.length === 0 && SCALARS.has(only) ? (only as ValueKind) : 'json';
}

/** True where the schema says of itself that whatever it lets through is an object. */
export function isAlwaysObject(schema: JsonObject): boolean {
  const kinds = kindsOf(schema, schema, DEPTH);
  return kinds.size === 1 && kinds.has('object');
}

/** The JSON types that a schema lets through; `any` where it does not say. */
function kindsOf(schema: Json, root: JsonObject, depth: number): Set<string> {
  if (!isObject(schema) || depth === 0) return new Set(['any']);
  if (typeof schema.$ref === 'string') return kindsOf(targetOf(schema.$ref, root), root, depth - 1);
  if (schema.const !== undefined) return new Set([kindOfValue(schema.const)]);
  if (Array.isArray(schema.enum)) return new Set(schema.enum.map(kindOfValue));
  if (typeof schema.type === 'string') return new Set([schema.type]);
  if (Array.isArray(schema.type)) return new Set(schema.type.map(String));
  return combined(schema, root, depth);
}

function combined(schema: JsonObject, root: JsonObject, depth: number): Set<string> {
  const either = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(either)) {
    return new Set(either.flatMap((inner: Json) => [...kindsOf(inner, root, depth - 1)]));
  }
  if (!Array.isArray(schema.allOf)) return new Set(['any']);
  // Each part narrows: any one that names its types is an upper bound.
  const parts = schema.allOf.map((inner: Json) => kindsOf(inner, root, depth - 1));
  return parts.find((kinds) => !kinds.has('any')) ?? new Set(['any']);
}

/** Only references within the schema: `#`, `#/$defs/label`. */
function targetOf(reference: string, root: JsonObject): Json {
  if (!reference.startsWith('#')) return null;
  let at: Json = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    if (!isObject(at)) return null;
    at = at[nameOf(step)] ?? null;
  }
  return at;
}

/** A step of a reference is a JSON pointer's, percent-encoded as part of a URI. */
function nameOf(step: string): string {
  const escaped = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

function kindOfValue(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
