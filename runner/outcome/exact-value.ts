import { ExactNumber } from '../manifest/exact-json.ts';
import { type Decimal, isSameDecimal, readDecimal } from '../spec/decimal.ts';

/** A cheap look before the slow way: sixteen digits in a row, or an exponent. */
export function mayLoseDigits(text: string): boolean {
  return /\d(?:[eE][-+]?\d|[\d.]{15})/.test(text);
}

/** The value with each number that a double cannot hold kept as it was written; a whole one as its digits. */
export function parseExactValue(text: string): unknown {
  return JSON.parse(text, keepNumber as never);
}

/** TypeScript's library does not know the reviver's third argument yet. */
function keepNumber(_name: string, value: unknown, context: { readonly source: string }): unknown {
  if (typeof value !== 'number') return value;
  const written = readDecimal(context.source);
  // `Infinity` has no digits, and 1e400 has one.
  if (isSameDecimal(readDecimal(String(value)), written)) return value;
  return new ExactNumber(Number.isFinite(value) ? (wholeDigits(written) ?? context.source) : context.source);
}

/** DuckDB keeps every digit of 9007199254740993, and reads 9007199254740993.0 as the double beside it. */
function wholeDigits({ isNegative, digits, exponent }: Decimal): string | null {
  if (digits === '' || exponent < 0) return null;
  return `${isNegative ? '-' : ''}${digits}${'0'.repeat(exponent)}`;
}
