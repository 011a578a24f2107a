/**
 * A number by its decimal digits: `digits` · 10^`exponent`. The digits have no zero at either end, so that `1.10`, `1.1`
 * and `11e-1` are alike; 0 has none. Doubles cannot say whether 1.13 is a multiple of 0.01, digits can.
 */
export interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** @param number as JSON or `String` writes one. Linear time, be it of a million digits; `Infinity` and the like become 0. */
export function readDecimal(number: string): Decimal {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const point = mantissa.indexOf('.');
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  const digits = mantissa.replace('.', '').replace(/^[-+]/, '');
  // Not by a pattern: `/0+$/` takes quadratic time on zeros in the middle.
  let from = 0;
  let to = digits.length;
  while (from < to && digits[from] === '0') from += 1;
  while (to > from && digits[to - 1] === '0') to -= 1;
  const kept = digits.slice(from, to);
  if (!/^\d+$/.test(kept)) return ZERO;
  const place = Math.max(-FARTHEST, Math.min(FARTHEST, Number(exponent))) - fraction + digits.length - to;
  return { isNegative: mantissa.startsWith('-'), digits: kept, exponent: place };
}

/** No number that anyone means has such an exponent; beyond it even counting on is inexact. */
const FARTHEST = 1e15;

const ZERO: Decimal = { isNegative: false, digits: '', exponent: 0 };

export function isSameDecimal(one: Decimal, other: Decimal): boolean {
  return (
    one.digits === other.digits && one.exponent === other.exponent && one.isNegative === other.isNegative
  );
}

/** Digits that a double holds exactly, be they what they may. */
const SAFE_DIGITS = 15;

/** Signs mean nothing here. 0 is a multiple of anything, and nothing else is one of 0. */
export function isMultipleOf(value: Decimal, divisor: Decimal): boolean {
  if (value.digits === '') return true;
  // Digits that do not end in 0 are no multiple of ten: so none of a divisor that stands higher.
  const shift = value.exponent - divisor.exponent;
  if (shift < 0 || divisor.digits === '') return false;
  if (value.digits.length + shift <= SAFE_DIGITS && divisor.digits.length <= SAFE_DIGITS)
    return (Number(value.digits) * 10 ** shift) % Number(divisor.digits) === 0;
  return remainder(value.digits, shift, BigInt(divisor.digits)) === 0n;
}

/** Of `digits` · 10^`shift`. The power is worked out modulo the divisor, so that its size means nothing. */
function remainder(digits: string, shift: number, divisor: bigint): bigint {
  let left = BigInt(digits) % divisor;
  let power = 10n % divisor;
  for (let rest = shift; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) left = (left * power) % divisor;
    power = (power * power) % divisor;
  }
  return left;
}
