import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../runner/ids.ts';
import { sentSchema } from '../../runner/spec/sent-schema.ts';
import { TICKET_SCHEMA } from '../support/repo.ts';

const TICKET = JSON.parse(TICKET_SCHEMA) as JsonObject;
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
  ...more,
});

describe('what is sent', () => {
  test('annotations, the title of the root and what only narrows stay at home; descriptions travel', () => {
    expect(sentSchema(TICKET, 'openai')).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['reason', 'label'],
      properties: {
        reason: { description: 'Why.', type: 'string' },
        label: { type: 'string', enum: ['billing', 'technical', 'account'] },
      },
    });
  });

  test('where the schema is not strict anyway, everything that checks travels', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { a: { type: 'string', maxLength: 9, default: 'x' } },
    };
    expect(sentSchema(schema, 'openai')).toEqual({
      type: 'object',
      properties: { a: { type: 'string', maxLength: 9 } },
    });
  });

  test.each<readonly [string, (schema: JsonObject) => JsonObject, boolean]>([
    ['a comment', (schema) => ({ ...schema, $comment: 'x', 'x-owner': 'me', $id: 'y' }), true],
    ['another title', (schema) => ({ ...schema, title: 'Another' }), true],
    ['the order of keywords', (schema) => Object.fromEntries(Object.entries(schema).reverse()), true],
    ['a longer maxLength', (schema) => JSON.parse(JSON.stringify(schema).replace('200', '300')), true],
    ['a description', (schema) => ({ ...schema, description: 'Be brief.' }), false],
    ['the order of properties', (schema) => ({ ...schema, properties: reversed(schema.properties) }), false],
    ['another label', (schema) => JSON.parse(JSON.stringify(schema).replace('billing', 'money')), false],
  ])('%s', (_name, change, same) => {
    const sent = JSON.stringify(sentSchema(change(TICKET), 'openai'));
    expect(sent === JSON.stringify(sentSchema(TICKET, 'openai'))).toBe(same);
  });

  test('properties named like annotations are properties', () => {
    const schema = object({
      default: { type: 'string' },
      'x-y': { type: 'string' },
      title: { type: 'string' },
    });
    expect(sentSchema(schema, 'openai')).toEqual(schema);
  });
});

function reversed(value: Json | undefined): JsonObject {
  return Object.fromEntries(Object.entries(value as JsonObject).reverse());
}
