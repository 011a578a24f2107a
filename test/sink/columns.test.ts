import { expect, test } from 'vitest';
import { UserError } from '../../runner/errors.ts';
import type { Json, JsonObject } from '../../runner/ids.ts';
import { columnsOf } from '../../runner/sink/columns.ts';
import { valueKindOf } from '../../runner/spec/value-kind.ts';

const KINDS: readonly (readonly [name: string, property: Json, kind: string])[] = [
  ['a string', { type: 'string' }, 'string'],
  ['an integer', { type: 'integer' }, 'integer'],
  ['a number', { type: 'number' }, 'number'],
  ['a boolean', { type: 'boolean' }, 'boolean'],
  ['an array', { type: 'array', items: { type: 'string' } }, 'json'],
  ['an object', { type: 'object' }, 'json'],
  ['a nullable string as a list of types', { type: ['string', 'null'] }, 'string'],
  ['a nullable integer as anyOf', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer'],
  ['a nullable boolean as oneOf', { oneOf: [{ type: 'null' }, { type: 'boolean' }] }, 'boolean'],
  ['integer or number', { type: ['integer', 'number'] }, 'number'],
  ['string or integer', { type: ['string', 'integer'] }, 'json'],
  ['only null', { type: 'null' }, 'json'],
  ['an enum of strings', { enum: ['a', 'b'] }, 'string'],
  ['an enum of strings and null', { enum: ['a', null] }, 'string'],
  ['an enum of integers', { enum: [1, 2] }, 'integer'],
  ['an enum of integers and fractions', { enum: [1, 2.5] }, 'number'],
  ['an enum of booleans', { enum: [true, false] }, 'boolean'],
  ['a mixed enum', { enum: ['1', 1] }, 'json'],
  ['an enum beside its type', { type: 'string', enum: ['a'] }, 'string'],
  ['a constant', { const: 'x' }, 'string'],
  ['a local reference', { $ref: '#/$defs/label' }, 'string'],
  ['a reference with escapes', { $ref: '#/$defs/a~1b%20c' }, 'integer'],
  ['a nullable reference', { anyOf: [{ $ref: '#/$defs/label' }, { type: 'null' }] }, 'string'],
  ['a reference to itself', { $ref: '#/$defs/loop' }, 'json'],
  ['a reference to nowhere', { $ref: '#/$defs/none' }, 'json'],
  ['a reference outside', { $ref: 'https://example.org/label.json' }, 'json'],
  ['allOf with one part', { allOf: [{ $ref: '#/$defs/label' }] }, 'string'],
  ['allOf of a type and a bound', { allOf: [{ minimum: 1 }, { type: 'integer' }] }, 'integer'],
  ['no type', { description: 'anything' }, 'json'],
  ['true', true, 'json'],
];

test.each(KINDS)('%s', (_name, property, kind) => {
  const schema: JsonObject = {
    type: 'object',
    properties: { p: property },
    $defs: {
      label: { type: 'string', enum: ['x'] },
      loop: { $ref: '#/$defs/loop' },
      'a/b c': { type: 'integer' },
    },
  };
  expect(valueKindOf(schema, 'p')).toBe(kind);
});

const LABEL: JsonObject = {
  type: 'object',
  properties: { label: { type: 'string' }, ok: { type: 'boolean' } },
};

test('key, passed columns, properties, then our own', () => {
  expect(columnsOf(['id', 'part'], ['lang'], LABEL).map(({ name }) => name)).toEqual([
    'id',
    'part',
    'lang',
    'label',
    'ok',
    '_run',
    '_custom_id',
    '_model',
    '_hash',
  ]);
});

test('a sink that marks says since which run a row is gone', () => {
  expect(columnsOf(['id'], [], LABEL, { marks: true }).at(-1)).toEqual({
    name: '_retired',
    from: { kind: 'own', column: 'retired' },
  });
});

test('free text, and a schema without properties, have one column named answer', () => {
  expect(columnsOf(['id'], [], null)[1]).toEqual({
    name: 'answer',
    from: { kind: 'answer', value: 'string' },
  });
  expect(columnsOf(['id'], [], { type: 'array' })[1]).toEqual({
    name: 'answer',
    from: { kind: 'answer', value: 'json' },
  });
});

const CLASHES: readonly (readonly [string, string[], string[], JsonObject | null, RegExp])[] = [
  ['key and property', ['label'], [], LABEL, /key column `label` and the schema's property `label`$/],
  ['in another case', ['LABEL'], [], LABEL, /key column `LABEL` and the schema's property `label` \(upper/],
  ['passed column and ours', ['id'], ['_Model'], LABEL, /passed column `_Model` and our own column `_model`/],
  ['key and passed column', ['id'], ['id'], LABEL, /the key column `id` and the passed column `id`/],
  ['free text', ['answer'], [], null, /key column `answer` and the column `answer` that holds the answer/],
];

test.each(CLASHES)('a clash names both: %s', (_name, key, pass, schema, message) => {
  const act = () => columnsOf(key, pass, schema);
  expect(act).toThrow(UserError);
  expect(act).toThrow(message);
});
