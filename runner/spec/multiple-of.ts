import { _, type Ajv, type ValidateFunction } from 'ajv';
import { isMultipleOf, readDecimal } from './decimal.ts';
import { isObject } from './schema-walk.ts';

/** Ajv divides doubles, by which 1.13 is no multiple of 0.01. With this its `multipleOf` goes by decimal digits. */
export function countByDigits(ajv: Ajv): void {
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    compile: (divisor: number) => {
      const isMultiple = multiplesOf(divisor);
      return (value: number, context) =>
        isMultiple(exactRoot === null ? value : at(exactRoot, context?.instancePath ?? ''));
    },
    error: { message: 'must be a multiple', params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
  });
}

/** More places than this are counted by text, as are numbers of more digits than a double holds whatever they are. */
const MAX_PLACES = 9;
const MAX_SCALED = 1e15;

/**
 * Makes the test whether a value, a number or what prints as one, is a multiple of a divisor. Prices and the like are
 * counted as whole steps: below 10^15 a double that is a whole number over a power of ten has just its digits.
 */
export function multiplesOf(divisor: number): (value: unknown) => boolean {
  const by = readDecimal(String(divisor));
  const scale = 10 ** Math.max(0, -by.exponent);
  const steps = Math.round(divisor * scale);
  const isCountable = scale <= 10 ** MAX_PLACES && steps <= MAX_SCALED;
  return (value) => {
    const scaled = isCountable && typeof value === 'number' ? Math.round(value * scale) : MAX_SCALED;
    if (Math.abs(scaled) < MAX_SCALED && scaled / scale === value) return scaled % steps === 0;
    return isMultipleOf(readDecimal(String(value)), by);
  };
}

/** While a value is checked that holds numbers which no double is: the same value with those as they were written. */
let exactRoot: unknown = null;

/** @param exact the value again; a number that a double cannot hold is an object in it that prints as it was written */
export function validateExactly(validate: ValidateFunction, value: unknown, exact: unknown): boolean {
  exactRoot = exact === value ? null : exact;
  try {
    return validate(value);
  } finally {
    exactRoot = null;
  }
}

/** What a JSON Pointer of Ajv's points at. */
function at(root: unknown, pointer: string): unknown {
  let found = root;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = found[Number(name)];
    else if (isObject(found as never)) found = (found as Record<string, unknown>)[name];
  }
  return found;
}
