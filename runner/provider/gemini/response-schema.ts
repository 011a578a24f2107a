import type { Json, JsonObject } from '../../ids.ts';
import { isObject } from '../../spec/schema-walk.ts';

/**
 * A JSON Schema in the words of Gemini's own `Schema` (a part of OpenAPI 3.0), or null where it has none for it. For
 * batches this is the form that holds: with `responseJsonSchema` none of 502 answers of two batches had the right
 * shape, where the same requests with `responseSchema` were right, and both were right outside of batches
 * (ruby_llm#894, August 2026).
 *
 * Pure. What is lost on the way only narrows (`format`) or says what a model does anyhow (`additionalProperties:
 * false`); each answer is checked here against the whole schema.
 */
export function responseSchemaOf(schema: JsonObject): JsonObject | null {
  const { type, nullable } = typeOf(schema);
  const alternatives = alternativesOf(schema);
  if (alternatives !== undefined) return withAlternatives(schema, alternatives, nullable);
  if (type === null || !Object.keys(schema).every((keyword) => KNOWN.has(keyword))) return null;
  const inner = { ...valuesOf(schema), ...propertiesOf(schema), ...itemsOf(schema) };
  if (Object.values(inner).some((value) => value === null)) return null;
  return {
    type: type.toUpperCase(),
    ...(nullable ? { nullable: true } : {}),
    ...kept(schema, COPIED),
    ...(inner as JsonObject),
  };
}

/** Keywords that both sides write alike. */
const COPIED = ['title', 'description', 'minimum', 'maximum', 'minItems', 'maxItems', 'required'] as const;
const KNOWN: ReadonlySet<string> = new Set([
  ...COPIED,
  'type',
  'enum',
  'const',
  'format',
  'properties',
  'additionalProperties',
  'items',
]);
const TYPES: ReadonlySet<Json> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);

function typeOf({ type, const: constant }: JsonObject): { type: string | null; nullable: boolean } {
  const types = Array.isArray(type) ? type : [type ?? (typeof constant === 'string' ? 'string' : null)];
  const own = types.filter((each) => each !== 'null' && each !== null);
  const [only] = own;
  const isOne = own.length === 1 && typeof only === 'string' && TYPES.has(only);
  return { type: isOne ? only : null, nullable: types.includes('null') };
}

/** `oneOf` is taken as `anyOf`, as Gemini does with it. */
function alternativesOf({ anyOf, oneOf }: JsonObject): Json | undefined {
  return anyOf ?? oneOf;
}

function withAlternatives(schema: JsonObject, alternatives: Json, nullable: boolean): JsonObject | null {
  const { anyOf: _anyOf, oneOf: _oneOf, title: _title, description: _description, ...rest } = schema;
  if (!Array.isArray(alternatives) || Object.keys(rest).length > 0) return null;
  const others = alternatives.filter((each) => !isObject(each) || each.type !== 'null');
  const forms = others.map((each) => (isObject(each) ? responseSchemaOf(each) : null));
  if (forms.length === 0 || forms.some((form) => form === null)) return null;
  const isNullable = nullable || others.length < alternatives.length;
  return {
    ...(isNullable ? { nullable: true } : {}),
    ...kept(schema, ['title', 'description']),
    anyOf: forms as JsonObject[],
  };
}

type Parts = Readonly<Record<string, Json | null>>;

/** Only texts can be listed, and their list has a format of its own. */
function valuesOf({ enum: listed, const: constant }: JsonObject): Parts {
  const values = constant === undefined ? listed : [constant];
  if (values === undefined) return {};
  if (!Array.isArray(values)) return { enum: null };
  const texts = values.filter((value) => typeof value === 'string');
  const isText = values.every((value) => typeof value === 'string' || value === null) && texts.length > 0;
  return isText ? { format: 'enum', enum: texts } : { enum: null };
}

/** In the order in which they stand, since models answer in it. */
function propertiesOf({ properties, additionalProperties = false }: JsonObject): Parts {
  if (typeof additionalProperties !== 'boolean') return { properties: null };
  if (properties === undefined) return {};
  if (!isObject(properties)) return { properties: null };
  const forms = Object.entries(properties).map(([name, value]): [string, JsonObject | null] => [
    name,
    isObject(value) ? responseSchemaOf(value) : null,
  ]);
  if (forms.some(([, form]) => form === null)) return { properties: null };
  return {
    properties: Object.fromEntries(forms) as JsonObject,
    propertyOrdering: Object.keys(properties),
  };
}

function itemsOf({ items }: JsonObject): Parts {
  if (items === undefined) return {};
  return { items: isObject(items) ? responseSchemaOf(items) : null };
}

function kept(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name)));
}
