import { duplicateName, MAX_DEPTH } from './json-names.ts';

/**
 * A number whose text JavaScript would not give back: `1.10`, `1e5`, `-0`, `9007199254740993`. Printed and
 * serialised as the source wrote it. It has no properties of its own, so a template can only print it.
 */
export class ExactNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** As JavaScript rounds it; for comparisons only. */
  valueOf(): number {
    return Number(this.#text);
  }

  toJSON(): unknown {
    return rawJson(this.#text);
  }
}

/** JSON.parse with every number exact. For text that was checked before; throws as JSON.parse does. */
export function parseExact(text: string): unknown {
  return NUMBER_AT_RISK.test(text) ? JSON.parse(text, keepNumberText as never) : JSON.parse(text);
}

export type ParsedRow =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly code: string; readonly detail: string };

/**
 * One row of JSON, with every number exact and every name unambiguous. A name that stands twice in one object, or
 * twice but for its case, is a problem: JSON.parse would keep the last, DuckDB would rename or refuse it.
 * The details never quote the row: it is customer data, and the details reach logs.
 */
export function parseRow(text: string): ParsedRow {
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  if (!isRecord(parsed.value))
    return problem('row-not-object', `expected a JSON object, found ${kindOf(parsed.value)}`);
  const survey: Survey = { names: 0, numbers: false, colliding: null, tooDeep: false };
  look(parsed.value, survey, 0);
  const bad = problemOf(text, parsed.value, survey);
  if (bad !== null) return bad;
  return { ok: true, value: survey.numbers ? (parseExact(text) as typeof parsed.value) : parsed.value };
}

/**
 * Numbers that may not survive: sixteen or more digits, a fraction that ends in 0, an exponent, `-0`, and fractions
 * so small that JavaScript prints an exponent. It also matches inside strings, which costs a second parse (5 us
 * against 1.6) and nothing else; a row without any number never comes here.
 */
const NUMBER_AT_RISK = /(?:^|[:,[\s])-?(?:\d[\d.]{15}|\d+\.\d*0(?!\d)|0\.0{6}|[\d.]+[eE]|(?<=-)0(?![.\d]))/;

/** `1e5` is 100000 and safe as a value, yet another key: so texts are compared, and not values. */
function keepNumberText(_name: string, value: unknown, context: { readonly source: string }): unknown {
  return typeof value === 'number' && String(value) !== context.source
    ? new ExactNumber(context.source)
    : value;
}

/** `JSON.rawJSON` is in every Node that we run on, but not yet in TypeScript's library. */
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

function parse(text: string): { ok: true; value: unknown } | Bad {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1];
    return problem(
      'row-not-json',
      `is not valid JSON${at === undefined ? '' : ` at character ${Number(at) + 1}`}`,
    );
  }
}

type Bad = Extract<ParsedRow, { ok: false }>;

function problem(code: string, detail: string): Bad {
  return { ok: false, code, detail };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** What one walk over a row finds out; reused for nothing, one a row. */
interface Survey {
  names: number;
  numbers: boolean;
  colliding: readonly [string, string] | null;
  tooDeep: boolean;
}

function look(value: unknown, survey: Survey, depth: number): void {
  if (typeof value === 'number') survey.numbers = true;
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    survey.tooDeep = true;
    return;
  }
  if (Array.isArray(value)) {
    for (const inner of value) look(inner, survey, depth + 1);
    return;
  }
  const names = Object.keys(value);
  survey.names += names.length;
  survey.colliding ??= collidingNames(names);
  for (const name of names) look((value as Record<string, unknown>)[name], survey, depth + 1);
}

function problemOf(text: string, value: unknown, survey: Survey): Bad | null {
  if (survey.tooDeep) return problem('row-too-deep', `is nested deeper than ${MAX_DEPTH} levels`);
  if (survey.colliding !== null) {
    const [first, second] = survey.colliding.map((name) => JSON.stringify(name));
    return problem('names-collide', `has the names ${first} and ${second}, which differ only in case`);
  }
  const twice = duplicateName(text, survey.names);
  if (twice !== null)
    return problem('name-twice', `has the name ${JSON.stringify(twice)} twice in one object`);
  if (text.includes('\\u') && SURROGATE_ESCAPE.test(text) && !isWellFormed(value)) {
    return problem('row-not-unicode', 'holds half of a surrogate pair, which no request can carry');
  }
  return null;
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isRecord(value)) return true;
  return Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner));
}

/** Two names that differ only in case. Rows of one input mostly have the same names: those seen are remembered. */
export function collidingNames(names: readonly string[]): readonly [string, string] | null {
  const signature = names.join('\u0000');
  if (innocent.has(signature)) return null;
  const seen = new Map<string, string>();
  for (const name of names) {
    const folded = name.toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined) return [other, name];
    seen.set(folded, name);
  }
  if (innocent.size >= 1000) innocent.clear();
  if (signature.length <= 1000) innocent.add(signature);
  return null;
}

const innocent = new Set<string>();
