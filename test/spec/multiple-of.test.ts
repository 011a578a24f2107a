import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../runner/ids.ts';
import { isMultipleOf, readDecimal } from '../../runner/spec/decimal.ts';
import { multiplesOf } from '../../runner/spec/multiple-of.ts';
import { compileAnswerCheck } from '../../runner/spec/output-schema.ts';

const object = (v: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { v },
  ...more,
});

describe.each(['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'])(
  'multipleOf of %s',
  ($schema) => {
    const check = (multipleOf: number) =>
      compileAnswerCheck(object({ type: 'number', multipleOf }, { $schema }));

    test.each<readonly [number, number]>([
      [1.13, 0.01],
      [0.3, 0.1],
      [4.35, 0.01],
      [-0.07, 0.01],
      [0, 0.01],
      [1e-7, 1e-7],
      [1e308, 0.01],
      [5e-324, 5e-324],
      [12, 3],
      [7.5, 2.5],
      [1e21, 1e20],
      [123456789.12, 0.01],
    ])('%d is a multiple of %d', (v, multipleOf) => {
      expect(check(multipleOf)({ v })).toBeNull();
    });

    test.each<readonly [number, number]>([
      [1.135, 0.01],
      [0.35, 0.1],
      [1e-8, 1e-7],
      [1e308, 3],
      [0.1 + 0.2, 0.1],
      [13, 3],
    ])('%d is no multiple of %d', (v, multipleOf) => {
      const fault = { cause: `\`/v\` no multiple of ${multipleOf}`, detail: `${v}` };
      expect(check(multipleOf)({ v })).toEqual(fault);
    });
  },
);

test('it is said of numbers alone, as ever', () => {
  const check = compileAnswerCheck(object({ multipleOf: 2 }));
  expect([check({ v: 'x' }), check({ v: null }), check({ v: [3] })]).toEqual([null, null, null]);
  expect(() => compileAnswerCheck(object({ multipleOf: 0 }))).toThrow();
  expect(() => compileAnswerCheck(object({ multipleOf: 'x' }))).toThrow();
});

test('the quick count and the digits agree', () => {
  const divisor = fc.oneof(
    fc.constantFrom(0.01, 0.1, 0.25, 0.5, 1, 3, 7, 1e-9, 1e-10, 1e3, 2.5, 1e15),
    fc.double({ min: 1e-12, max: 1e12, noNaN: true }),
  );
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc
      .tuple(fc.integer(), fc.integer({ min: 0, max: 12 }))
      .map(([whole, places]) => Number(`${whole}e-${places}`)),
  );
  fc.assert(
    fc.property(value, divisor, (number, by) => {
      const byDigits = isMultipleOf(readDecimal(String(number)), readDecimal(String(by)));
      expect(multiplesOf(by)(number)).toBe(byDigits);
    }),
    { numRuns: 5_000 },
  );
});

describe('a number that no double holds counts by its own digits', () => {
  const check = compileAnswerCheck({
    type: 'object',
    properties: {
      v: { multipleOf: 0.01 },
      list: { type: 'array', items: { type: 'object', properties: { 'a/b~c': { multipleOf: 10 } } } },
    },
  });
  /** What prints as this number, as an exact value has it. */
  const written = (text: string) => ({ toString: () => text });

  test('at its place, however deep and oddly named', () => {
    const value = { v: 1.13, list: [{}, { 'a/b~c': 12345678901234567000 }] };
    const exact = (last: string, v = '1.13') => ({ v: written(v), list: [{}, { 'a/b~c': written(last) }] });
    expect(check(value, exact('12345678901234567890'))).toBeNull();
    expect(check(value, exact('12345678901234567891'))?.cause).toBe('`/list/*/a~1b~0c` no multiple of 10');
    expect(check(value, exact('12345678901234567890', '1.1300000000000000000001'))?.cause).toContain('/v');
    expect(check(value), 'and without it by the double').toBeNull();
  });
});
