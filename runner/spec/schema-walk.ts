import type { Json, JsonObject } from '../ids.ts';
import type { Path } from './parse.ts';

/** Keywords whose value maps names to schemas: the names are people's, not keywords. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** Keywords whose value is a schema, or a list of them. */
const SCHEMAS = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'contentSchema',
]);

/** Every schema inside a schema, itself first, with its path. `true` and `false` as schemas are left out. */
export function* schemasIn(
  schema: JsonObject,
  path: Path = [],
): Generator<{ schema: JsonObject; path: Path }> {
  yield { schema, path };
  for (const [keyword, value] of Object.entries(schema)) {
    for (const [steps, inner] of innerSchemas(keyword, value)) yield* schemasIn(inner, [...path, ...steps]);
  }
}

/** The same schema with `change` done to each schema inside, innermost first. Names of properties are not touched. */
export function changedSchema(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const inside = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (MAPS.has(keyword) && isObject(value)) return [keyword, mapped(value, change)];
    return [keyword, SCHEMAS.has(keyword) ? changedInner(value, change) : value];
  });
  return change(Object.fromEntries(inside));
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function* innerSchemas(keyword: string, value: Json): Generator<[Path, JsonObject]> {
  if (MAPS.has(keyword) && isObject(value)) {
    for (const [name, inner] of Object.entries(value)) if (isObject(inner)) yield [[keyword, name], inner];
    return;
  }
  if (!SCHEMAS.has(keyword)) return;
  if (isObject(value)) yield [[keyword], value];
  if (!Array.isArray(value)) return;
  for (const [index, inner] of value.entries()) if (isObject(inner)) yield [[keyword, index], inner];
}

function mapped(value: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isObject(inner) ? changedSchema(inner, change) : inner,
    ]),
  );
}

function changedInner(value: Json, change: (schema: JsonObject) => JsonObject): Json {
  if (Array.isArray(value)) return value.map((inner) => changedInner(inner, change));
  return isObject(value) ? changedSchema(value, change) : value;
}
