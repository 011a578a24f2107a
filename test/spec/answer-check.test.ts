import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../runner/ids.ts';
import { compileAnswerCheck } from '../../runner/spec/output-schema.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
  ...more,
});

describe('why an answer breaks its schema', () => {
  const check = compileAnswerCheck(
    object(
      {
        label: { type: 'string', enum: ['a', 'b'] },
        reason: { type: 'string', maxLength: 5 },
        toString: { type: 'string' },
      },
      { required: ['label', 'reason'] },
    ),
  );

  test.each<readonly [unknown, string, string | null]>([
    [{ label: 'a' }, 'the answer has no `reason`', null],
    [{ label: 'c', reason: '' }, '`/label` is not one of a, b', '"c"'],
    [{ label: 'a', reason: 'sixsix' }, '`/reason` longer than 5 characters', '6 characters'],
    [{ label: 'a', reason: '😀😀😀😀😀😀' }, '`/reason` longer than 5 characters', '6 characters'],
    [{ label: 'a', reason: 5 }, '`/reason` is not a string', '5'],
    [
      { label: 'a', reason: '', extra: 1 },
      'the answer has a property that the schema does not name',
      '"extra"',
    ],
    [['a'], 'the answer is not an object', '["a"]'],
    [null, 'the answer is not an object', 'null'],
  ])('%j', (value, cause, detail) => {
    expect(check(value)).toEqual({ cause, detail });
  });

  test('a valid answer, and one that uses all characters', () => {
    expect(check({ label: 'a', reason: '😀😀😀😀😀' })).toBeNull();
  });

  test('nothing is coerced, filled in or changed', () => {
    const value = Object.freeze({ n: '5' });
    const strict = compileAnswerCheck({ type: 'object', properties: { n: { type: 'number', default: 1 } } });
    expect(strict(value)?.cause).toBe('`/n` is not a number');
    expect(strict({})).toBeNull();
  });

  test('a required property is not found on the prototype', () => {
    const needy = compileAnswerCheck({ type: 'object', required: ['toString'] });
    expect(needy({})?.cause).toBe('the answer has no `toString`');
  });

  test('the cause is the same at every place of a list and under every name that the model made up', () => {
    const lists = compileAnswerCheck({
      type: 'object',
      properties: {
        tags: { type: 'array', items: { type: 'string' } },
        scores: { type: 'object', additionalProperties: { type: 'number' } },
      },
    });
    const causes = [{ tags: [1] }, { tags: ['a', 'b', 3] }].map((each) => lists(each)?.cause);
    expect(causes).toEqual(['`/tags/*` is not a string', '`/tags/*` is not a string']);
    expect(lists({ scores: { '<script>': 'x' } })?.cause).toBe('`/scores/*` is not a number');
  });

  test('of alternatives, the one that came furthest is told', () => {
    const either = compileAnswerCheck(
      object({ o: { anyOf: [{ type: 'null' }, object({ q: { type: 'integer' } })] } }),
    );
    expect(either({ o: { q: 1.5 } })?.cause).toBe('`/o/q` is not an integer');
    expect(either({ o: 3 })?.cause).toBe('`/o` fits none of its alternatives');
    expect(either({ o: null })).toBeNull();
  });

  test.each<readonly [JsonObject, unknown, string]>([
    [{ type: 'number', minimum: 1 }, 0, '`/v` less than 1'],
    [{ type: 'number', exclusiveMaximum: 1 }, 1, '`/v` not less than 1'],
    [{ type: 'number', multipleOf: 0.5 }, 0.3, '`/v` no multiple of 0.5'],
    [{ type: 'array', maxItems: 1 }, [1, 2], '`/v` has more than 1 items'],
    [{ type: 'array', uniqueItems: true }, [1, 1], '`/v` has the same item twice'],
    [{ const: 'x' }, 'y', '`/v` is not "x"'],
    [{ type: 'string', format: 'date' }, '2026-02-31', '`/v` is not a valid date'],
    [{ type: ['string', 'null'] }, 1, '`/v` is not a string or null'],
    [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1, '`/v` fits two of its alternatives'],
    [
      { enum: Array.from({ length: 60 }, (_, index) => `label ${index}`) },
      'x',
      '`/v` is not one of its 60 values',
    ],
  ])('%j of %j', (schema, value, cause) => {
    expect(compileAnswerCheck(object({ v: schema }))({ v: value })?.cause).toBe(cause);
  });

  test('a long value is cut in the detail', () => {
    expect(check({ label: 'x'.repeat(500), reason: '' })?.detail).toHaveLength(120);
  });
});
