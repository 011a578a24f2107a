import { ExactNumber } from './exact-json.ts';

export type KeyResult =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly code: string; readonly detail: string };

/**
 * The business key of a row: the text as the source has it, never trimmed, rounded or folded; of several columns a
 * JSON array of strings, so that ("a","b,c") and ("a,b","c") stay apart.
 */
export function keyOf(value: Readonly<Record<string, unknown>>, columns: readonly string[]): KeyResult {
  const texts: string[] = [];
  for (const column of columns) {
    const text = Object.hasOwn(value, column) ? value[column] : undefined;
    const part = partOf(text, column);
    if (!part.ok) return part;
    texts.push(part.key);
  }
  return { ok: true, key: texts.length === 1 ? (texts[0] as string) : JSON.stringify(texts) };
}

function partOf(value: unknown, column: string): KeyResult {
  const name = JSON.stringify(column);
  if (value === undefined) return bad('key-missing', `has no ${name}, which is the key`);
  if (value === null) return bad('key-missing', `has null in ${name}, which is the key`);
  const text = textOf(value);
  if (text === null) return bad('key-not-text', `has a list or an object in ${name}, which is the key`);
  if (text === '') return bad('key-empty', `has an empty ${name}, which is the key`);
  if (UNPRINTABLE.test(text) || !text.isWellFormed()) {
    return bad(
      'key-unprintable',
      `has a line break or another control character in ${name}, which is the key`,
    );
  }
  return { ok: true, key: text };
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && !(value instanceof ExactNumber)) return null;
  return String(value);
}

/**
 * Such keys cannot be told apart on a screen, break lines in reports, and a leading byte order mark is lost on the
 * way out of DuckDB's Node binding: two keys would become one.
 */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\ufeff]/u;

function bad(code: string, detail: string): KeyResult {
  return { ok: false, code, detail };
}
