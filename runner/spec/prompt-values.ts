import type { Row } from './prompt-row.ts';

/** A row does not have what a template asks of it. The row is bad, not the template. */
export class PromptError extends Error {
  override readonly name = 'PromptError';
  /** The path as the template writes it. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** A field that is not there; `null` is a value, this is none. */
export const MISSING: unique symbol = Symbol('missing');

/** A column of the row; one that this row lacks counts as null, since other rows have it. */
export function columnOf(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null;
}

/** Own fields alone: nothing from a prototype, no field of a text or a number. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return MISSING;
  return (value as Row)[name] ?? null;
}

/**
 * What `{{path}}` puts into the prompt. Objects and lists have no text: Handlebars would write `[object Object]`
 * into every request.
 */
export function textOf(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  if (isNumberObject(value)) return value.toString();
  const kind = Array.isArray(value) ? 'a list' : 'an object';
  throw new PromptError(
    path,
    `\`${path}\` is ${kind} in this row (${shown(value)}); write {{json ${path}}}.`,
  );
}

export function jsonOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** As Handlebars decides: empty text, 0, false, null, no field and the empty list are "no". */
export function isTruthy(value: unknown, zeroCounts: boolean): boolean {
  if (value === MISSING || value === null || value === undefined || value === false || value === '')
    return false;
  if (Array.isArray(value)) return value.length > 0;
  return zeroCounts || !isZero(value);
}

/** The entries that `#each` walks: `[key, value]`. */
export function entriesOf(value: unknown, path: string): [key: string | number, value: unknown][] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (typeof value === 'object' && !isNumberObject(value)) return Object.entries(value);
  throw new PromptError(
    path,
    `\`${path}\` is ${shown(value)} in this row; {{#each ${path}}} needs a list or an object.`,
  );
}

/** At most 80 characters of a row's value, for a message. */
export function shown(value: unknown): string {
  const text = jsonOf(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}

/** A number kept as its source text (`ExactNumber`): an object of a class, while plain data has none. */
function isNumberObject(value: object): boolean {
  if (Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}

function isZero(value: unknown): boolean {
  if (typeof value === 'object' && value !== null)
    return isNumberObject(value) && Number(value.toString()) === 0;
  return value === 0 || value === 0n;
}
