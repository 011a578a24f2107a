import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../runner/errors.ts';
import type { JsonObject } from '../../runner/ids.ts';
import { compileAnswerCheck, isStrict, outputSchemaNotes } from '../../runner/spec/output-schema.ts';
import { readSchema } from '../../runner/spec/read-schema.ts';
import { sentSchema } from '../../runner/spec/sent-schema.ts';
import { sourceText } from '../../runner/spec/source-text.ts';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
  ...more,
});
const errorsOf = (schema: JsonObject) =>
  outputSchemaNotes(schema, 'openai')
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

test.each<readonly [string, string, readonly string[]]>([
  ['a property', '{"properties":{"__proto__":{"type":"string"}}}', ['schema-proto properties/__proto__']],
  [
    'deep inside, and required',
    '{"properties":{"a":{"required":["__proto__"],"properties":{"__proto__":{}}}}}',
    ['schema-proto properties/a/properties/__proto__'],
  ],
  ['only required', '{"required":["a","__proto__"]}', ['schema-proto required/1']],
  ['a definition', '{"$defs":{"__proto__":{"type":"string"}}}', ['schema-proto $defs/__proto__']],
  ['names that only look like it', '{"properties":{"proto":{},"constructor":{},"toString":{}}}', []],
])('the name __proto__ is refused: %s', (_, text, errors) => {
  expect(errorsOf(JSON.parse(text) as JsonObject)).toEqual(errors);
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
    const notes = outputSchemaNotes(schema, 'openai').filter(({ code }) => code === 'schema-not-strict');
    expect(notes.every(({ level }) => level === 'warning')).toBe(true);
    const texts = notes.map(
      ({ path, message }) => `${path.length === 0 ? '' : `/${path.join('/')}: `}${message}`,
    );
    expect(texts).toHaveLength(problems.length);
    for (const problem of problems) expect(texts.some((text) => text.startsWith(problem))).toBe(true);
    expect(isStrict(sentSchema(schema, 'openai'))).toBe(problems.length === 0);
  });
});

function nested(levels: number): JsonObject {
  return levels === 0 ? { type: 'string' } : object({ a: nested(levels - 1) });
}

describe('a schema file', () => {
  test.each([
    ['{\n  "type": "object",\n}', 3, 1, 'not-json'],
    ['{"type": "object"', 1, 18, 'not-json'],
    ['// remark\n{}', 1, 1, 'not-json'],
    ['{\n\t"type": "object",\n\t"maxLenght": 3\n}', 3, 2, 'unknown-keyword'],
    ['{"type": "object", "type": "array"}', 1, 20, 'duplicate-key'],
    ['', 1, 1, 'not-json'],
  ])('%j', (text, line, column, code) => {
    const { value, findings } = readSchema(sourceText('schemas/a.json', text), 'openai');
    expect(value).toBeNull();
    expect(findings[0]).toMatchObject({ line, column, code });
  });

  test('the schemas of the examples are good, and strict', () => {
    const folder = join(import.meta.dirname, '../../schemas');
    for (const file of ['ticket-label.schema.json', 'dependency-review.schema.json']) {
      const { value, findings } = readSchema(
        sourceText(file, readFileSync(join(folder, file), 'utf8')),
        'openai',
      );
      expect(findings).toEqual([]);
      expect(isStrict(sentSchema(value as JsonObject, 'openai'))).toBe(true);
    }
  });
});
