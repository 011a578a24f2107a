import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../runner/ids.ts';
import { geminiProblems } from '../../runner/spec/gemini-subset.ts';
import { outputSchemaNotes } from '../../runner/spec/output-schema.ts';
import { sentSchema } from '../../runner/spec/sent-schema.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

describe('B078: what Gemini holds its models to', () => {
  test.each<readonly [string, JsonObject, readonly string[]]>([
    ['an open object with optional properties', object({ a: { type: 'string' } }), []],
    ['a list at the root', { type: 'array', items: { type: 'string' }, minItems: 1 }, []],
    ['alternatives', { oneOf: [{ type: 'string' }, { type: ['integer', 'null'], minimum: 0 }] }, []],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }] }, []],
    ['definitions', object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { type: 'string' } } }), []],
    ['a property named like a keyword', object({ allOf: { type: 'string' }, const: { type: 'string' } }), []],
    ['all of several', object({ a: { allOf: [{ type: 'string' }] } }), ['properties/a/allOf']],
    ['a constant', object({ a: { const: 'x' }, b: { const: 7 } }), []],
    ['a constant that cannot be listed', object({ a: { const: true } }), ['properties/a/const']],
    ['conditions', { if: { type: 'string' }, not: { type: 'null' } }, ['if', 'not']],
    ['a reference with company', object({ a: { $ref: '#', description: 'x' } }), ['properties/a/$ref']],
  ])('%s', (_title, schema, paths) => {
    expect(geminiProblems(schema).map(({ path }) => path.join('/'))).toEqual(paths);
  });

  test('keywords that only narrow stay at home; formats travel', () => {
    const schema = object({
      a: { type: 'string', pattern: '^x', maxLength: 3, format: 'date' },
      b: { type: 'number', exclusiveMinimum: 0, multipleOf: 2, maximum: 9 },
    });
    expect(sentSchema(schema, 'gemini')).toEqual(
      object({ a: { format: 'date', type: 'string' }, b: { maximum: 9, type: 'number' } }),
    );
  });

  test('each is said with its place and how to mend it', () => {
    const notes = outputSchemaNotes(object({ a: { const: true } }), 'gemini');
    expect(notes).toMatchObject([
      {
        level: 'warning',
        code: 'schema-not-strict',
        path: ['properties', 'a', 'const'],
        message: expect.stringContaining('Gemini passes over `const`.'),
        hint: 'Write `enum`, with texts or numbers.',
      },
    ]);
  });
});
