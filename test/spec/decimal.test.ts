import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMultipleOf, isSameDecimal, readDecimal } from '../../runner/spec/decimal.ts';

const multiple = (value: string, divisor: string) => isMultipleOf(readDecimal(value), readDecimal(divisor));
const same = (one: string, other: string) => isSameDecimal(readDecimal(one), readDecimal(other));

describe('a multiple by its decimal digits', () => {
  test.each<readonly [string, string]>([
    ['1.13', '0.01'],
    ['0.3', '0.1'],
    ['0.07', '0.01'],
    ['4.35', '0.01'],
    ['-1.13', '0.01'],
    ['1.1300', '0.01'],
    ['113e-2', '0.01'],
    ['1e-7', '1e-7'],
    ['3e-7', '0.0000001'],
    ['1e21', '1e-3'],
    ['1e308', '0.01'],
    ['1e308', '1e308'],
    ['1.7976931348623157e308', '1e292'],
    ['5e-324', '5e-324'],
    ['0', '0.01'],
    ['-0', '3'],
    ['12', '3'],
    ['7.5', '2.5'],
    ['9007199254740994', '2'],
    ['123456789012345678901234567890', '10'],
    ['0.000000000000000000000000000021', '7e-30'],
    ['1e400', '1e-400'],
  ])('%s is one of %s', (value, divisor) => {
    expect(multiple(value, divisor)).toBe(true);
  });

  test.each<readonly [string, string]>([
    ['1.135', '0.01'],
    ['0.35', '0.1'],
    ['1e-7', '1e-6'],
    ['1e-8', '1e-7'],
    ['1e308', '3'],
    ['1e308', '7e-300'],
    ['5e-324', '0.01'],
    ['9007199254740993', '2'],
    ['123456789012345678901234567891', '10'],
    ['1.130000000000000000001', '0.01'],
    ['7', '2.5'],
    ['3', '0'],
  ])('%s is none of %s', (value, divisor) => {
    expect(multiple(value, divisor)).toBe(false);
  });

  test('what was multiplied is a multiple, at any size and with any number of places', () => {
    const whole = fc.bigInt({ min: 1n, max: 10n ** 30n });
    fc.assert(
      fc.property(whole, whole, fc.integer({ min: -340, max: 300 }), (factor, digits, exponent) => {
        expect(multiple(`${factor * digits}e${exponent}`, `${digits}e${exponent}`)).toBe(true);
        if (digits > 1n)
          expect(multiple(`${factor * digits + 1n}e${exponent}`, `${digits}e${exponent}`)).toBe(false);
      }),
    );
  });
});

describe('the same number in another form', () => {
  test.each<readonly [string, string, boolean]>([
    ['1.10', '11e-1', true],
    ['100', '1e+2', true],
    ['0.001', '1E-3', true],
    ['-0', '0', true],
    ['0.000', '0e9', true],
    ['1', '-1', false],
    ['1e400', '1e401', false],
    ['9007199254740993', '9007199254740992', false],
    ['Infinity', '1e400', false],
  ])('%s and %s: %s', (one, other, expected) => {
    expect(same(one, other)).toBe(expected);
  });
});

test.each<readonly [string, string]>([
  ['zeros in the middle', `1${'0'.repeat(2_000_000)}1`],
  ['zeros behind the point', `0.${'0'.repeat(2_000_000)}1`],
  ['zeros at the end', `1${'0'.repeat(2_000_000)}`],
  ['an exponent of a million digits', `1e${'9'.repeat(1_000_000)}`],
  ['an exponent beyond everything', '1e-999999999999'],
])('a hostile number costs no time: %s', (_title, number) => {
  const start = process.cpuUsage();
  multiple(number, '0.01');
  same(number, '1');
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});
