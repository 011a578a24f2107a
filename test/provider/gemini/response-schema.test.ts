import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../runner/ids.ts';
import { responseSchemaOf } from '../../../runner/provider/gemini/response-schema.ts';

const TEXT: JsonObject = { type: 'string' };

describe('a schema in the words of Gemini', () => {
  test.each<readonly [string, JsonObject, JsonObject]>([
    [
      'an object, with its order',
      {
        type: 'object',
        properties: { b: TEXT, a: { type: 'integer', minimum: 0, description: 'How many.' } },
        required: ['b', 'a'],
        additionalProperties: false,
      },
      {
        type: 'OBJECT',
        properties: { b: { type: 'STRING' }, a: { type: 'INTEGER', minimum: 0, description: 'How many.' } },
        required: ['b', 'a'],
        propertyOrdering: ['b', 'a'],
      },
    ],
    [
      'a list',
      { type: 'array', items: { type: 'number', maximum: 1 }, minItems: 1, maxItems: 3 },
      { type: 'ARRAY', items: { type: 'NUMBER', maximum: 1 }, minItems: 1, maxItems: 3 },
    ],
    [
      'one of several texts',
      { type: 'string', enum: ['x', 'y'] },
      { type: 'STRING', format: 'enum', enum: ['x', 'y'] },
    ],
    ['a constant', { const: 'x' }, { type: 'STRING', format: 'enum', enum: ['x'] }],
    ['a type that may be null', { type: ['boolean', 'null'] }, { type: 'BOOLEAN', nullable: true }],
    [
      'a text of several that may be null',
      { type: ['string', 'null'], enum: ['x', null] },
      { type: 'STRING', nullable: true, format: 'enum', enum: ['x'] },
    ],
    [
      'alternatives, one of them null',
      { oneOf: [TEXT, { type: 'null' }, { type: 'array', items: TEXT }] },
      { nullable: true, anyOf: [{ type: 'STRING' }, { type: 'ARRAY', items: { type: 'STRING' } }] },
    ],
    ['a format, which only narrows', { type: 'string', format: 'date' }, { type: 'STRING' }],
    [
      'a property named like a keyword',
      { type: 'object', properties: { $ref: TEXT } },
      { type: 'OBJECT', properties: { $ref: { type: 'STRING' } }, propertyOrdering: ['$ref'] },
    ],
  ])('%s', (_title, schema, expected) => {
    expect(responseSchemaOf(schema)).toEqual(expected);
  });

  test.each<readonly [string, JsonObject]>([
    ['no type', {}],
    ['two types', { type: ['string', 'integer'] }],
    ['only null', { type: 'null' }],
    ['numbers to choose from', { type: 'integer', enum: [1, 2] }],
    ['a constant that is no text', { type: 'integer', const: 1 }],
    ['a map', { type: 'object', additionalProperties: TEXT }],
    ['a tuple', { type: 'array', prefixItems: [TEXT] }],
    ['a reference', { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: TEXT } }],
    ['all of several', { type: 'object', allOf: [{ properties: {} }] }],
    ['alternatives beside properties', { type: 'object', properties: { a: TEXT }, anyOf: [TEXT] }],
    ['an alternative that has no words', { anyOf: [TEXT, {}] }],
    ['items that are anything', { type: 'array', items: true }],
  ])('%s: there are no words for it', (_title, schema) => {
    expect(responseSchemaOf(schema)).toBeNull();
  });
});
