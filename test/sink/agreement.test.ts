import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Duck, openDuck, sqlName } from '../../runner/duck.ts';
import { UserError } from '../../runner/errors.ts';
import type { JsonObject } from '../../runner/ids.ts';
import { parseExactValue } from '../../runner/outcome/exact-value.ts';
import { compileStorageCheck } from '../../runner/outcome/storage-check.ts';
import { type AnswerRules, type Validated, validateAnswer } from '../../runner/outcome/validate.ts';
import { isSameDecimal, readDecimal } from '../../runner/spec/decimal.ts';
import { compileAnswerCheck } from '../../runner/spec/output-schema.ts';
import { type SinkKind, typedKinds } from '../../runner/spec/storage.ts';
import { csvCells } from '../support/csv-cells.ts';
import { contentOf, emptyFolder, reader, sinkAt } from '../support/sink-rows.ts';

const KINDS: readonly SinkKind[] = ['parquet', 'jsonl', 'csv'];

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    whole: { type: ['integer', 'null'] },
    real: { type: ['number', 'null'] },
    text: { type: ['string', 'null'] },
    yes: { type: ['boolean', 'null'] },
    any: {},
    'a/b': { type: ['integer', 'null'] },
    '~1': { type: ['number', 'null'] },
    '\u00e9': { type: ['integer', 'null'] },
    'e\u0301': { type: ['string', 'null'] },
    toString: { type: ['integer', 'null'] },
  },
};
const NAMES = Object.keys(SCHEMA.properties as JsonObject);

function rulesFor(kind: SinkKind, schema: JsonObject = SCHEMA): AnswerRules {
  const check = compileAnswerCheck(schema);
  return { outputKind: 'json', check, storage: compileStorageCheck(schema, typedKinds([{ kind }])) };
}

let duck: Duck;
beforeAll(async () => {
  duck = await openDuck();
});
afterAll(() => duck.close());

/** As the file of a kind gives them back, each value as JSON text; null for a value that is not there. */
async function written(kind: SinkKind, answers: readonly string[]): Promise<(string | null)[][]> {
  const path = join(emptyFolder(), `out.${kind}`);
  const rows = answers.map((rawJson, at) => ({ key: [`k${at}`], answer: { rawJson } }));
  await sinkAt(path).write(contentOf(duck, rows, SCHEMA));
  switch (kind) {
    case 'parquet':
      return readParquet(path);
    case 'jsonl':
      return readFileSync(path, 'utf8').split('\n').slice(0, -1).map(valuesIn);
    case 'csv':
      return csvCells(readFileSync(path, 'utf8'))
        .slice(1)
        .map((cells) => cells.slice(1, 1 + NAMES.length).map(cellJson));
    default:
      return kind satisfies never;
  }
}

async function readParquet(path: string): Promise<(string | null)[][]> {
  const columns = NAMES.map(
    (name, at) => `${name === 'any' ? sqlName(name) : `to_json(${sqlName(name)})`}::VARCHAR AS c${at}`,
  );
  const rows = await duck.rows<Record<string, string | null>>(
    `SELECT ${columns.join(', ')} FROM ${reader(path)}`,
  );
  return rows.map((row) => NAMES.map((_, at) => row[`c${at}`] ?? null));
}

/** Numbers as they stand in the text. */
function valuesIn(line: string): (string | null)[] {
  const value = parseExactValue(line) as Record<string, unknown>;
  return NAMES.map((name) => (value[name] === null ? null : JSON.stringify(value[name])));
}

function cellJson(cell: string | null, at: number): string | null {
  const isText = NAMES[at] === 'text' || NAMES[at] === 'e\u0301';
  return cell === null || !isText ? cell : JSON.stringify(cell);
}

function expectSame(wanted: string, found: (string | null)[], where: string): void {
  const value = parseExactValue(wanted) as Record<string, unknown>;
  for (const [at, name] of NAMES.entries()) {
    const own = Object.hasOwn(value, name) ? (value[name] ?? null) : null;
    const got = found[at] === null ? null : parseExactValue(found[at] ?? '');
    expect(isSame(own, got), `${where}, ${name}: ${JSON.stringify(own)} became ${found[at]}`).toBe(true);
  }
}

/** Whole numbers to the last digit, which a double has whatever it prints; a fraction is the double nearest to it. */
function isSame(wanted: unknown, got: unknown): boolean {
  if (isNumber(wanted) && isNumber(got)) {
    const decimal = readDecimal(String(wanted));
    if (isSameDecimal(decimal, readDecimal(String(got)))) return true;
    const isFraction = decimal.exponent < 0 || !Number.isFinite(Number(wanted));
    return Number(wanted) === Number(got) && (isFraction || isDouble(String(wanted)));
  }
  if (typeof wanted !== 'object' || wanted === null || typeof got !== 'object' || got === null)
    return wanted === got;
  const names = Object.keys(wanted);
  if (names.length !== Object.keys(got).length) return false;
  return names.every((name) =>
    isSame((wanted as Record<string, unknown>)[name], (got as Record<string, unknown>)[name]),
  );
}

function isDouble(text: string): boolean {
  return /^-?\d+$/.test(text) && BigInt(Number(text)) === BigInt(text);
}

function isNumber(value: unknown): boolean {
  return (
    typeof value === 'number' ||
    String(Object.getPrototypeOf(value ?? 0)?.constructor?.name) === 'ExactNumber'
  );
}

const HOSTILE_NUMBERS = [
  '0',
  '-0',
  '-0.0',
  '1.0',
  '1e2',
  '1.5',
  '0.1',
  '1e21',
  '1e39',
  '1.5e300',
  '1e308',
  '1e400',
  '-1e400',
  '5e-324',
  '1e-400',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9007199254740993.0',
  '9.007199254740993e15',
  '4503599627370497.5',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '-9223372036854775809',
  '9223372036854775807.0',
  '9223372036854776000',
  '18446744073709551615',
  '18446744073709551616',
  '98765432109876543210',
  '1152921504606846976',
  '1152921504606847000',
  '123456789012345678901234567890',
  '170141183460469231731687303715884105727',
  '170141183460469231731687303715884105728',
  '1361129467683753853853498429727072845824',
  '0.1234567890123456789',
  '12345678901234567.5',
  '100e-2',
  '1E+3',
  '1000000000000000000000',
];

const numbers = fc.oneof(
  fc.constantFrom(...HOSTILE_NUMBERS),
  fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: -25, max: 25 }))
    .map(([digits, power]) => `${digits}e${power}`),
);
const texts = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.constantFrom('""', '"\\ud83d"', '"\\u0000"', '"null"', '"a,b\\"\\r\\n"', `"${'x'.repeat(20_000)}"`),
);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    numbers,
    texts,
    fc.constantFrom('null', 'true', 'false', `${'['.repeat(150)}1e400${']'.repeat(150)}`),
    fc.array(tie('json'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(texts, tie('json')), { maxLength: 3 })
      .map((fields) => `{${fields.map(([name, value]) => `${name}:${value}`).join(',')}}`),
  ),
}));
const VALUES = new Map<string, fc.Arbitrary<string>>([
  ['text', texts],
  ['e\u0301', texts],
  ['yes', fc.constantFrom('true', 'false', '1', '"true"')],
  ['any', json],
]);
const answers = fc
  .subarray(NAMES)
  .chain((names) => fc.tuple(...names.map((name) => field(name))))
  .map((fields) => `{${fields.join(', ')}}`);

function field(name: string): fc.Arbitrary<string> {
  const value = fc.oneof(
    { weight: 8, arbitrary: VALUES.get(name) ?? numbers },
    { weight: 1, arbitrary: fc.constant('null') },
    { weight: 1, arbitrary: json },
  );
  return value.map((text) => `${JSON.stringify(name)}:${text}`);
}

const RUNS = 40;

describe.each(KINDS)('%s', (kind) => {
  const rules = rulesFor(kind);

  test('stores whatever validation lets through, and gives the same values back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answers, { minLength: 20, maxLength: 60 }), async (raw) => {
        const valid = raw.flatMap((text) => {
          const result = validateAnswer(text, rules);
          return result.kind === 'ok' ? [{ text, answer: result.answer }] : [];
        });
        if (valid.length === 0) return;
        const found = await written(
          kind,
          valid.map(({ answer }) => answer),
        );
        for (const [at, { text }] of valid.entries()) expectSame(text, found[at] ?? [], text.slice(0, 300));
      }),
      { numRuns: RUNS },
    );
  });
});

test('what validation refuses for typed columns alone, their write would have stopped for', async () => {
  const rules = rulesFor('parquet');
  await fc.assert(
    fc.asyncProperty(answers, async (text) => {
      const fault = refusedAlone(text, rules);
      if (fault === null) return;
      await expect(written('parquet', [fault.answer]), `${text}: ${fault.cause}`).rejects.toThrow(UserError);
    }),
    { numRuns: RUNS * 20 },
  );
});

test.each(['jsonl', 'csv'] as const)('%s holds whatever the schema lets through', (kind) => {
  const rules = rulesFor(kind);
  const property = fc.property(answers, (text) => refusedAlone(text, rules) === null);
  fc.assert(property, { numRuns: RUNS * 20 });
});

/** What the schema lets through and the columns do not; null where there is no such thing. */
function refusedAlone(text: string, rules: AnswerRules) {
  const bySchema = validateAnswer(text, { ...rules, storage: null });
  const fault = validateAnswer(text, rules);
  if (bySchema.kind !== 'ok' || fault.kind === 'ok' || isHiddenFraction(fault)) return null;
  return { answer: bySchema.answer, cause: fault.cause };
}

/** A fraction too fine for a double: the schema takes it for the whole number beside it, and so does DuckDB. Refused all the same. */
function isHiddenFraction(fault: Validated): boolean {
  return (
    fault.kind === 'invalid' &&
    /[.e]/.test(fault.detail ?? '') &&
    readDecimal(fault.detail ?? '').exponent < 0
  );
}

test('the generator makes answers of every fate', () => {
  const fates = fc.sample(answers, { numRuns: 2000, seed: 7 }).map((text) => {
    const result = validateAnswer(text, rulesFor('parquet'));
    return result.kind === 'ok' ? 'ok' : result.cause;
  });
  expect(fates).toContain('ok');
  expect(fates).toContain('does not fit the column `whole`, which holds whole numbers of 64 bits');
  expect(fates).toContain('does not fit the column `~1`, which holds what a 64-bit float can hold exactly');
});

test('the schema that does not say "object": an answer that is none is refused, as the write would have been', async () => {
  const open: JsonObject = { properties: { whole: { type: 'integer' } } };
  for (const text of ['[1]', '5', '"x"', 'null']) {
    for (const kind of KINDS) {
      expect(validateAnswer(text, rulesFor(kind, open))).toMatchObject({
        kind: 'invalid',
        cause: expect.stringMatching(/no JSON object/),
      });
      await expect(written(kind, [text])).rejects.toThrow(/is not a JSON object/);
    }
  }
});
