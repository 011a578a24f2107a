import { createHash } from 'node:crypto';

/** A JSON object of unknown content. */
export type Json = Record<string, unknown>;

/** Tells whether a value is a JSON object: neither null, nor a list, nor a plain value. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses text; gives undefined, which no JSON text means, where it is not JSON. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Follows names into a value; gives undefined where one is not there. */
export function dig(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);
}

/** The text at a path, or undefined. */
export function digText(value: unknown, ...names: string[]): string | undefined {
  const found = dig(value, ...names);
  return typeof found === 'string' ? found : undefined;
}

/** A list as it is; a single value or nothing as a list of one or none. */
export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** SHA-256, in hex, of a value whose object members are put in order, so that only its meaning counts. */
export function hashValue(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sortMembers(value)) ?? '')
    .digest('hex');
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sortMembers(value[name])]));
}
