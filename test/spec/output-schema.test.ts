import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../runner/errors.ts';
import type { Json, JsonObject } from '../../runner/ids.ts';
import { compileAnswerCheck, isStrict, outputSchemaNotes } from '../../runner/spec/output-schema.ts';
import { readSchema } from '../../runner/spec/read-schema.ts';
import { sentSchema } from '../../runner/spec/sent-schema.ts';
import { sourceText } from '../../runner/spec/source-text.ts';
import { TICKET_SCHEMA } from '../support/repo.ts';

const TICKET = JSON.parse(TICKET_SCHEMA) as JsonObject;
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
  ...more,
});
const errorsOf = (schema: JsonObject) =>
  outputSchemaNotes(schema)
    .filter(({ level }) => level !== 'warning')
    .map(({ code, path }) => `${code} ${path.join('/')}`);

describe('B076: patterns', () => {
  test.each([
    ['^https\\:\\/\\/', ['bad-pattern properties/a/pattern']],
    ['(?i)^abc$', ['bad-pattern properties/a/pattern']],
    ['^\\p{L}+$', []],
  ])('%s', (pattern, errors) => {
    expect(errorsOf(object({ a: { type: 'string', pattern } }))).toEqual(errors);
  });

  test('letters are Unicode letters: no other mode is tried', () => {
    const check = compileAnswerCheck(object({ a: { type: 'string', pattern: '^\\p{L}+$' } }));
    expect(check({ a: 'Größe' })).toBeNull();
    expect(check({ a: 'x1' })).toEqual({ cause: '`/a` does not match ^\\p{L}+$', detail: '"x1"' });
  });

  test('a pattern that is a key is a pattern too', () => {
    expect(errorsOf({ type: 'object', patternProperties: { '(': {} } })).toEqual([
      'bad-pattern patternProperties/(',
    ]);
  });
});

describe('B077: dialects, formats, annotations', () => {
  test.each<readonly [string, JsonObject, readonly string[]]>([
    ['2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }, []],
    ['draft-07', { $schema: DRAFT_07, type: 'object' }, []],
    [
      'draft-04 is not read',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      ['schema-dialect $schema'],
    ],
    ['a known format', object({ a: { type: 'string', format: 'date' } }), []],
    [
      'an unknown format',
      object({ a: { type: 'string', format: 'phone' } }),
      ['schema-compile properties/a/format'],
    ],
    [
      'notes of other tools',
      { type: 'object', example: 1, 'x-owner': 'me', deprecated: true, $comment: 'x' },
      [],
    ],
    [
      'a misspelt keyword',
      object({ a: { type: 'string', maxLenght: 3 } }),
      ['unknown-keyword properties/a/maxLenght'],
    ],
    [
      'a keyword of OpenAPI',
      object({ a: { type: 'string', nullable: true } }),
      ['unknown-keyword properties/a/nullable'],
    ],
    ['a wrong type', object({ a: { type: 'strng' } }), ['schema-compile properties/a/type']],
    [
      'a list of items in 2020-12',
      object({ a: { type: 'array', items: [{}] } }),
      ['schema-compile properties/a/items'],
    ],
    ['the same in draft-07', { $schema: DRAFT_07, ...object({ a: { type: 'array', items: [{}] } }) }, []],
    ['prefixItems in draft-07', { $schema: DRAFT_07, prefixItems: [{}] }, ['unknown-keyword prefixItems']],
    ['a remote $ref', { $ref: 'http://127.0.0.1:9/x.json' }, ['remote-ref $ref']],
    ['a $ref to another file', { $ref: 'common.json#/x' }, ['remote-ref $ref']],
    ['a $ref to nothing', { $ref: '#/$defs/x' }, ['missing-ref $ref']],
    ['a $ref inside', object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'string' } } }), []],
    [
      'a property named like a keyword',
      object({ title: { type: 'string' }, maxLenght: { type: 'string' } }),
      [],
    ],
    ['two files with one $id', { $id: 'same', type: 'object' }, []],
    ['the other of them', { $id: 'same', type: 'array' }, []],
  ])('%s', (_name, schema, errors) => {
    expect(errorsOf(schema)).toEqual(errors);
  });

  test('what does not compile is an error of the check too, with its path', () => {
    expect(() => compileAnswerCheck(object({ a: { type: 'string', pattern: '(' } }))).toThrow(UserError);
    expect(() => compileAnswerCheck({ $ref: 'x.json' })).toThrow(
      '/$ref: `x.json` points outside of the file',
    );
  });
});

describe('B079: the strict subset', () => {
  test.each<readonly [string, JsonObject, readonly string[]]>([
    ['closed and all required', object({ a: { type: 'string' } }), []],
    [
      'an open object inside',
      object({ a: { type: 'object', properties: {}, required: [] } }),
      ['/properties/a: Strict mode needs closed objects.'],
    ],
    [
      'an optional property',
      { ...object({ a: { type: 'string' } }), required: [] },
      ['/properties/a: Strict mode needs every property'],
    ],
    ['no object at the root', { type: 'array', items: { type: 'string' } }, ['Strict mode needs an object']],
    [
      'oneOf',
      object({ a: { oneOf: [{ type: 'string' }] } }),
      [
        '/properties/a/oneOf: Strict mode does not take `oneOf`.',
        '/properties/a: Strict mode needs a `type`',
      ],
    ],
    ['anyOf', object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }), []],
    [
      'an enum without a type',
      object({ a: { enum: ['x'] } }),
      ['/properties/a: Strict mode needs a `type` here.'],
    ],
    [
      'definitions',
      object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: object({ b: { type: 'string' } }) } }),
      [],
    ],
    [
      'keywords that only narrow stay at home',
      object({ a: { type: 'string', maxLength: 9, format: 'uri' } }),
      [],
    ],
    ['eleven levels', nested(11), ['Strict mode takes 10 levels of objects; these are 11.']],
    ['ten levels', nested(10), []],
  ])('%s', (_name, schema, problems) => {
    const notes = outputSchemaNotes(schema).filter(({ code }) => code === 'schema-not-strict');
    expect(notes.every(({ level }) => level === 'warning')).toBe(true);
    const texts = notes.map(
      ({ path, message }) => `${path.length === 0 ? '' : `/${path.join('/')}: `}${message}`,
    );
    expect(texts).toHaveLength(problems.length);
    for (const problem of problems) expect(texts.some((text) => text.startsWith(problem))).toBe(true);
    expect(isStrict(sentSchema(schema))).toBe(problems.length === 0);
  });
});

function nested(levels: number): JsonObject {
  return levels === 0 ? { type: 'string' } : object({ a: nested(levels - 1) });
}

describe('what is sent', () => {
  test('annotations, the title of the root and what only narrows stay at home; descriptions travel', () => {
    expect(sentSchema(TICKET)).toEqual({
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
    expect(sentSchema(schema)).toEqual({
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
    const sent = JSON.stringify(sentSchema(change(TICKET)));
    expect(sent === JSON.stringify(sentSchema(TICKET))).toBe(same);
  });

  test('properties named like annotations are properties', () => {
    const schema = object({
      default: { type: 'string' },
      'x-y': { type: 'string' },
      title: { type: 'string' },
    });
    expect(sentSchema(schema)).toEqual(schema);
  });
});

function reversed(value: Json | undefined): JsonObject {
  return Object.fromEntries(Object.entries(value as JsonObject).reverse());
}

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

describe('a schema file', () => {
  test.each([
    ['{\n  "type": "object",\n}', 3, 1, 'not-json'],
    ['{"type": "object"', 1, 17, 'not-json'],
    ['// remark\n{}', 1, 1, 'not-json'],
    ['{\n\t"type": "object",\n\t"maxLenght": 3\n}', 3, 2, 'unknown-keyword'],
    ['{"type": "object", "type": "array"}', 1, 20, 'duplicate-key'],
    ['', 1, 1, 'not-json'],
  ])('%j', (text, line, column, code) => {
    const { value, findings } = readSchema(sourceText('schemas/a.json', text));
    expect(value).toBeNull();
    expect(findings[0]).toMatchObject({ line, column, code });
  });

  test('the schemas of the examples are good, and strict', () => {
    const folder = join(import.meta.dirname, '../../schemas');
    for (const file of ['ticket-label.schema.json', 'dependency-review.schema.json']) {
      const { value, findings } = readSchema(sourceText(file, readFileSync(join(folder, file), 'utf8')));
      expect(findings).toEqual([]);
      expect(isStrict(sentSchema(value as JsonObject))).toBe(true);
    }
  });
});
