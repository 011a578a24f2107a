import type { JsonObject } from '../ids.ts';
import { ExactNumber, isRecord } from '../manifest/exact-json.ts';
import type { AnswerFault } from '../spec/answer-check.ts';
import { type SinkKind, type StoredProperty, storedProperties } from '../spec/storage.ts';
import type { ValueKind } from '../spec/value-kind.ts';
import { HOLDS_FLOAT64, HOLDS_INT64, MISFIT } from './causes.ts';

/** Null: every sink can hold the answer. Takes the exact value, from `parseExactValue`. */
export type StorageCheck = (exact: unknown) => AnswerFault | null;

/**
 * What the columns of a job's sinks can hold, as a check of one answer. It lets nothing through that
 * `runner/sink/check.ts` would stop a whole file for. One verdict for the job, be its sinks what they may.
 *
 * @param schema from `answerSchema`
 * @param typed from `typedKinds`
 * @returns null where there is nothing to check: the whole answer is one column
 */
export function compileStorageCheck(
  schema: JsonObject | null,
  typed: readonly SinkKind[],
): StorageCheck | null {
  const properties = schema === null ? [] : storedProperties(schema);
  if (properties.length === 0) return null;
  const isTyped = typed.length > 0;
  return (exact) => (isRecord(exact) ? misfitIn(exact, properties, isTyped) : NO_OBJECT);
}

const NO_OBJECT: AnswerFault = { cause: `${MISFIT}s of the sinks, since it is no JSON object`, detail: null };

function misfitIn(
  answer: Readonly<Record<string, unknown>>,
  properties: readonly StoredProperty[],
  isTyped: boolean,
): AnswerFault | null {
  for (const { name, kind } of properties) {
    const value = Object.hasOwn(answer, name) ? answer[name] : null;
    if (value === null || fits(value, kind, isTyped)) continue;
    const holds = isTyped ? TYPED[kind] : PLAIN[kind];
    return { cause: `${MISFIT} \`${name}\`, which holds ${holds}`, detail: quoted(value) };
  }
  return null;
}

const PLAIN: Readonly<Record<ValueKind, string>> = {
  string: 'strings',
  integer: 'whole numbers',
  number: 'numbers',
  boolean: 'true and false',
  json: 'any JSON',
};

const TYPED: Readonly<Record<ValueKind, string>> = {
  ...PLAIN,
  integer: HOLDS_INT64,
  number: HOLDS_FLOAT64,
};

function fits(value: unknown, kind: ValueKind, isTyped: boolean): boolean {
  switch (kind) {
    case 'string':
    case 'boolean':
      return typeof value === kind;
    case 'integer':
      return Number.isSafeInteger(value) || (isNumber(value) && fitsInteger(String(value), isTyped));
    case 'number':
      return isNumber(value) && (!isTyped || fitsDouble(value));
    case 'json':
      return true;
    default:
      return kind satisfies never;
  }
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

/** Most digits of a whole number of 64 bits, with its sign: longer ones need not be counted. */
const INT64_LENGTH = 20;
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** By the digits as they stand: 9223372036854776000 is what a double prints for 2^63, and means itself. */
function fitsInteger(text: string, isTyped: boolean): boolean {
  // Doubles from 10^21 on print with an exponent; smaller whole numbers as digits.
  if (!/^-?\d+$/.test(text)) return !isTyped && /^-?\d(?:\.\d+)?e\+\d+$/.test(text);
  if (!isTyped) return true;
  if (text.length > INT64_LENGTH) return false;
  const whole = BigInt(text);
  return whole >= MIN_INT64 && whole <= MAX_INT64;
}

/** Beyond it DuckDB counts no digits; what is beyond and printed by a double is that double. */
const MAX_COUNTED = 2n ** 127n - 1n;
const COUNTED_LENGTH = 40;

/** A fraction means the double nearest to it. A whole number must be that double, or be what it prints as. */
function fitsDouble(value: number | ExactNumber): boolean {
  // What a double prints as was left a number.
  if (typeof value === 'number') return Number.isFinite(value);
  const text = value.toString();
  const double = Number(text);
  if (!Number.isFinite(double)) return false;
  if (!/^-?\d+$/.test(text)) return true;
  if (text.length > COUNTED_LENGTH) return false;
  const whole = BigInt(text);
  return whole <= MAX_COUNTED && whole >= -MAX_COUNTED && whole === BigInt(double);
}

/** Enough of a value to know it by. */
const QUOTED = 80;

function quoted(value: unknown): string {
  const text = isNumber(value) ? String(value) : (JSON.stringify(value) ?? '');
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text;
}
