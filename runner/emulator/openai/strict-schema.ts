import type { Json, JsonObject } from '../../ids.ts';
import { isObject } from '../json-value.ts';

/**
 * Why OpenAI refuses a format in strict mode, or null where it does not: every object of its schema must say
 * `additionalProperties: false` and require all of its properties, and the root must be an object. The request that
 * carries another schema ends with HTTP 400 and code `invalid_json_schema`.
 */
export function strictProblem(format: JsonObject | null): string | null {
  if (format?.strict !== true || !isObject(format.schema)) return null;
  const name = String(format.name ?? '');
  const { schema } = format;
  if (schema.type !== 'object') return problem(name, [], `schema must be a JSON Schema of 'type: "object"'`);
  return problemAt(schema, name, []);
}

function problemAt(schema: Json | undefined, name: string, path: readonly string[]): string | null {
  if (!isObject(schema)) return null;
  return objectProblem(schema, name, path) ?? problemBelow(schema, name, path);
}

function objectProblem(schema: JsonObject, name: string, path: readonly string[]): string | null {
  const { properties, required } = schema;
  const isObjectSchema = schema.type === 'object' || isObject(properties);
  if (!isObjectSchema) return null;
  if (schema.additionalProperties !== false) {
    return problem(name, path, "'additionalProperties' is required to be supplied and to be false");
  }
  const demanded = new Set(Array.isArray(required) ? required : []);
  const forgotten = Object.keys(isObject(properties) ? properties : {}).find((key) => !demanded.has(key));
  if (forgotten === undefined) return null;
  const rule = "'required' is required to be supplied and to be an array including every key in properties";
  return problem(name, path, `${rule}. Missing '${forgotten}'`);
}

function problemBelow(schema: JsonObject, name: string, path: readonly string[]): string | null {
  for (const group of ['properties', '$defs', 'definitions']) {
    const found = firstProblem(schema[group], name, [...path, group]);
    if (found !== null) return found;
  }
  const items = problemAt(schema.items, name, [...path, 'items']);
  return items ?? firstProblem(schema.anyOf, name, [...path, 'anyOf']);
}

function firstProblem(group: Json | undefined, name: string, path: readonly string[]): string | null {
  if (typeof group !== 'object' || group === null) return null;
  for (const [key, inner] of Object.entries(group)) {
    const found = problemAt(inner, name, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

function problem(name: string, path: readonly string[], rule: string): string {
  const context = path.length === 0 ? '()' : `(${path.map((step) => `'${step}'`).join(', ')})`;
  return `Invalid schema for response_format '${name}': In context=${context}, ${rule}.`;
}
