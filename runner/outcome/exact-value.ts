import { ExactNumber } from '../manifest/exact-json.ts';
import { isSameDecimal, readDecimal } from '../spec/decimal.ts';

/** A cheap look before the slow way: sixteen digits in a row, or an exponent. */
export function mayLoseDigits(text: string): boolean {
  return /\d(?:[eE][-+]?\d|[\d.]{15})/.test(text);
}

/** The value with each number that a double cannot hold kept as it was written. */
export function parseExactValue(text: string): unknown {
  return JSON.parse(text, keepNumber as never);
}

/** TypeScript's library does not know the reviver's third argument yet. */
function keepNumber(_name: string, value: unknown, context: { readonly source: string }): unknown {
  if (typeof value !== 'number') return value;
  const isHeld = isSameDecimal(readDecimal(String(value)), readDecimal(context.source));
  // `Infinity` has no digits, and 1e400 has one.
  return isHeld ? value : new ExactNumber(context.source);
}
