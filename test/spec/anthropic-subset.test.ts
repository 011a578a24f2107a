import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../runner/ids.ts';
import { anthropicProblems } from '../../runner/spec/anthropic-subset.ts';
import { pointerOf } from '../../runner/spec/schema-walk.ts';
import { sentSchema } from '../../runner/spec/sent-schema.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
  ...more,
});

const many = (count: number, inner: JsonObject): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, inner]));

describe('what travels as it is', () => {
  test.each<readonly [string, JsonObject]>([
    ['plain types', object({ a: { type: 'string' }, b: { type: ['number', 'null'] } })],
    ['properties that may be absent', object({ a: { type: 'string' } }, { required: [] })],
    ['enum and const without a type', object({ a: { enum: ['x', 1, null] }, b: { const: true } })],
    [
      'anyOf and allOf',
      object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] }, b: { allOf: [{ type: 'string' }] } }),
    ],
    ['lists', object({ a: { type: 'array', minItems: 1, items: { type: 'string' } } })],
    ['formats and plain patterns', object({ a: { type: 'string', format: 'uri', pattern: '^[a-z]+$' } })],
    [
      'a definition used twice',
      object(
        { a: { $ref: '#/$defs/x' }, b: { $ref: '#/$defs/x' } },
        { $defs: { x: object({ c: { $ref: '#/$defs/y' } }), y: { type: 'string' } } },
      ),
    ],
  ])('%s', (_title, schema) => {
    expect(anthropicProblems(schema)).toEqual([]);
  });
});

describe('B079: what keeps a schema at home', () => {
  test.each<readonly [string, JsonObject, string, string]>([
    ['an open object', { type: 'object', properties: {} }, '', 'closed objects'],
    [
      'a map',
      object({ a: { type: 'object', additionalProperties: { type: 'string' } } }),
      '/properties/a',
      'closed',
    ],
    [
      'oneOf',
      object({ a: { type: 'string', oneOf: [{ type: 'string' }] } }),
      '/properties/a/oneOf',
      '`oneOf`',
    ],
    [
      'a tuple',
      object({ a: { type: 'array', prefixItems: [] } }),
      '/properties/a/prefixItems',
      '`prefixItems`',
    ],
    ['a format', object({ a: { type: 'string', format: 'iri' } }), '/properties/a/format', '`format`'],
    [
      'a Unicode class',
      object({ a: { type: 'string', pattern: '^\\p{L}$' } }),
      '/properties/a/pattern',
      '`pattern`',
    ],
    [
      'a look ahead',
      object({ a: { type: 'string', pattern: '^(?=x)' } }),
      '/properties/a/pattern',
      '`pattern`',
    ],
    ['an object in enum', object({ a: { enum: [{ x: 1 }] } }), '/properties/a/enum', 'plain values'],
    ['no type', object({ a: { description: 'x' } }), '/properties/a', '`type`'],
    [
      'a schema in itself',
      object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: object({ b: { $ref: '#/$defs/x' } }) } }),
      '/$defs/x/properties/b/$ref',
      'refers to itself',
    ],
    ['the root in itself', object({ a: { $ref: '#' } }), '/properties/a/$ref', 'refers to itself'],
    ['25 that may be absent', object(many(25, { type: 'string' }), { required: [] }), '', '24 optional'],
    ['17 with several types', object(many(17, { type: ['string', 'null'] })), '', '16 places'],
  ])('%s', (_title, schema, pointer, words) => {
    const problems = anthropicProblems(schema);
    expect(problems.map(({ path }) => pointerOf(path))).toEqual([pointer]);
    expect(problems[0]?.message).toContain(words);
    expect(problems[0]?.hint).not.toBe('');
  });
});

test('what only narrows stays at home, the rest is held to', () => {
  const schema = object({
    a: { type: 'integer', minimum: 1, maximum: 5 },
    b: { type: 'string', maxLength: 9, pattern: '\\bx\\b', format: 'iri' },
    c: { type: 'array', minItems: 2, maxItems: 3, items: { type: 'string', pattern: '^[a-z]{2}$' } },
    d: { type: 'array', minItems: 1, items: { type: 'string' } },
  });
  expect(sentSchema(schema, 'anthropic')).toEqual(
    object({
      a: { type: 'integer' },
      b: { type: 'string' },
      c: { type: 'array', items: { type: 'string', pattern: '^[a-z]{2}$' } },
      d: { type: 'array', minItems: 1, items: { type: 'string' } },
    }),
  );
});
