import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { sampleOfSchema } from '../../../runner/emulator/answer/schema-sample.ts';
import { drawFrom } from '../../../runner/emulator/seed.ts';
import type { Json, JsonObject } from '../../../runner/ids.ts';

const TEXT = `Which queue does this ticket belong to?

Subject: double charge
"amount": 12.5, "country": "Österreich", "paid": true
Since the update last week my invoice was charged twice and support has not answered yet.`;

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

function samples(schema: JsonObject, count = 60): Json[] {
  return Array.from({ length: count }, (_, at) => sampleOfSchema(schema, TEXT, drawFrom(at * 7919)));
}

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  };
}

const SCHEMAS: [string, JsonObject][] = [
  ['strings', object({ a: { type: 'string' }, b: { type: 'string', minLength: 3, maxLength: 8 } })],
  ['a long least length', { type: 'string', minLength: 300 }],
  ['an exact length', { type: 'string', minLength: 5, maxLength: 5 }],
  ['an empty string', { type: 'string', maxLength: 0 }],
  ['enums and constants', object({ a: { enum: ['x', 2, null] }, b: { const: { c: 1 } } })],
  [
    'numbers with bounds',
    object({
      a: { type: 'number', minimum: 0, maximum: 1 },
      b: { type: 'integer', minimum: -5, maximum: -2 },
    }),
  ],
  ['numbers without the bounds', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
  ['multiples', { type: 'number', minimum: 0.3, maximum: 9, multipleOf: 0.5 }],
  ['whole multiples', { type: 'integer', minimum: 1, multipleOf: 7 }],
  ['booleans and nothing', object({ a: { type: 'boolean' }, b: { type: 'null' } })],
  ['nullable by type', object({ a: { type: ['string', 'null'] }, b: { type: ['null', 'integer'] } })],
  ['nullable by alternatives', object({ a: { anyOf: [{ type: 'null' }, { type: 'string' }] } })],
  ['arrays', { type: 'array', items: { type: 'integer' }, minItems: 4, maxItems: 6 }],
  ['an empty array', { type: 'array', items: { type: 'integer' }, maxItems: 0 }],
  ['different items', { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 2, uniqueItems: true }],
  [
    'tuples',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 },
  ],
  [
    'objects in objects',
    object({ a: object({ b: { type: 'array', items: object({ c: { type: 'string' } }) } }) }),
  ],
  [
    'optional properties',
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
  ],
  ['references', { ...object({ a: { $ref: '#/$defs/x' } }), $defs: { x: { type: 'string', maxLength: 4 } } }],
  [
    'a schema in itself',
    { ...object({ v: { type: 'integer' } }), properties: { v: { type: 'integer' }, next: { $ref: '#' } } },
  ],
  [
    'parts of all',
    {
      allOf: [
        object({ a: { type: 'string' } }, { additionalProperties: true }),
        { required: ['b'], properties: { b: { type: 'integer' } } },
      ],
    },
  ],
  ['one of several', { oneOf: [{ type: 'integer' }, { type: 'string' }] }],
  ['dangerous names', object({ constructor: { type: 'string' }, toString: { type: 'integer' } })],
  [
    'patterns',
    object({
      a: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' },
      b: { type: 'string', pattern: '^(low|high)(er)?$' },
    }),
  ],
  ...['date', 'date-time', 'time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6', 'hostname', 'duration'].map(
    (format): [string, JsonObject] => [`the format ${format}`, { type: 'string', format }],
  ),
];

describe('a sample is valid for', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  test.each(SCHEMAS)('%s', (_name, schema) => {
    const validate = ajv.compile(schema);
    for (const value of samples(schema)) {
      expect(validate(value), `${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
  });
});

test('the same draw gives the same value, another another', () => {
  const schema = object({ a: { type: 'string' }, b: { type: 'number' } });
  expect(sampleOfSchema(schema, TEXT, drawFrom(1))).toEqual(sampleOfSchema(schema, TEXT, drawFrom(1)));
  expect(sampleOfSchema(schema, TEXT, drawFrom(1))).not.toEqual(sampleOfSchema(schema, TEXT, drawFrom(2)));
});

test('strings are words of the text', () => {
  const words = new Set(TEXT.toLowerCase().match(/\p{L}+/gu));
  for (const value of samples(object({ reason: { type: 'string' } }))) {
    const said = (value as { reason: string }).reason.toLowerCase().match(/\p{L}+/gu) ?? [];
    expect(said.length).toBeGreaterThan(1);
    expect(said.filter((word) => !words.has(word))).toEqual([]);
  }
});

test('what the text states under a name is taken from it', () => {
  const schema = object({
    amount: { type: 'number' },
    country: { type: 'string' },
    paid: { type: 'boolean' },
    Subject: { type: 'string' },
  });
  for (const value of samples(schema, 5)) {
    expect(value).toEqual({ amount: 12.5, country: 'Österreich', paid: true, Subject: 'double charge' });
  }
});

test('all choices occur, the first most often', () => {
  const schema: JsonObject = { enum: ['billing', 'technical', 'account'] };
  const counts = Object.groupBy(samples(schema, 600).map(String), (label) => label);
  const [billing, technical, account] = ['billing', 'technical', 'account'].map(
    (label) => counts[label]?.length ?? 0,
  );
  expect(billing).toBeGreaterThan(technical ?? 0);
  expect(technical).toBeGreaterThan(account ?? 0);
  expect(account).toBeGreaterThan(30);
});

test('a choice that the text alone names is the likely one', () => {
  const labels = samples({ enum: ['login', 'invoice', 'delivery'] }, 100);
  expect(labels.filter((label) => label === 'invoice').length).toBeGreaterThan(60);
});

test.each(['', '{"a":1}', '!!! ???', '日本語のテキストだけです'])(
  'a text of few words will do: %s',
  (text) => {
    const value = sampleOfSchema(object({ a: { type: 'string', minLength: 1 } }), text, drawFrom(3));
    expect((value as { a: string }).a.length).toBeGreaterThan(0);
  },
);
