import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../runner/ids.ts';
import { checkDigest } from '../../runner/spec/check-digest.ts';
import { sentSchema } from '../../runner/spec/sent-schema.ts';
import { storageLimits, storedProperties, typedKinds } from '../../runner/spec/storage.ts';

const LONG: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    number: { type: 'integer' },
    share: { type: ['number', 'null'] },
    parts: { type: 'array' },
  },
};
const PLAIN: JsonObject = { type: 'object', properties: { name: { type: 'string' }, parts: {} } };

describe('limits of storage', () => {
  it('are those of number columns, where a sink is typed', () => {
    expect(storageLimits(LONG, ['parquet'])).toEqual({
      columns: { number: 'integer', share: 'number' },
      object: false,
    });
    expect(storageLimits(LONG, [])).toBeNull();
    expect(storageLimits(PLAIN, ['parquet'])).toBeNull();
    expect(storageLimits({ type: 'array' }, ['parquet'])).toBeNull();
  });

  it('hold for all sinks where the schema names properties and lets other things through than objects', () => {
    const { type: _, ...open } = PLAIN;
    expect(storageLimits(open, [])).toEqual({ columns: {}, object: true });
    expect(storageLimits({ ...PLAIN, type: ['object', 'null'] }, [])).toEqual({ columns: {}, object: true });
  });

  it('come from each typed kind once', () => {
    const sinks = (['csv', 'parquet', 'jsonl', 'parquet'] as const).map((kind) => ({ kind }));
    expect(typedKinds(sinks)).toEqual(['parquet']);
    expect(typedKinds([])).toEqual([]);
  });
});

describe('the digest of a check', () => {
  it('has the limits where there are any, so that answers are judged again when they come or go', () => {
    expect(checkDigest(LONG, ['parquet'])).not.toBe(checkDigest(LONG, []));
    expect(checkDigest(PLAIN, ['parquet'])).toBe(checkDigest(PLAIN, []));
  });

  it('is the one that earlier versions kept where no sink is typed', () => {
    expect(checkDigest(LONG, [])).toBe('dff0f4abf05388507fa18361e3e5427af71ac189df8c41ed3dfd367e6ea7b84a');
  });
});

/** Keywords that stay at home for one provider or another, or are annotations: an edit of them is no new run. */
const AT_HOME = [
  'minLength',
  'maxLength',
  'pattern',
  'multipleOf',
  'exclusiveMinimum',
  'minimum',
  'uniqueItems',
  'examples',
  '$comment',
  'x-note',
  'contentEncoding',
  'format',
  'title',
  'default',
];
const VALUES: Readonly<Record<string, unknown>> = {
  pattern: '^a',
  uniqueItems: true,
  examples: [1, 'a'],
  $comment: 'c',
  'x-note': { type: 'string' },
  contentEncoding: 'base64',
  format: 'date',
  title: 'T',
  default: 1,
};
const property = fc
  .record({
    type: fc.constantFrom(
      'integer',
      'number',
      'string',
      'boolean',
      'array',
      ['integer', 'null'],
      ['integer', 'number'],
      ['string', 'integer'],
    ),
    keywords: fc.subarray(AT_HOME),
  })
  .map(({ type, keywords }) =>
    Object.fromEntries([['type', type], ...keywords.map((keyword) => [keyword, VALUES[keyword] ?? 2])]),
  );

describe.each(['openai', 'anthropic', 'gemini'] as const)('columns at %s', (kind) => {
  it('follow from what is sent: an edit that changes no request changes no column', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), property, { maxKeys: 5 }), (properties) => {
        const schema = {
          type: 'object',
          additionalProperties: false,
          required: Object.keys(properties),
          properties,
        } as JsonObject;
        expect(storedProperties(sentSchema(schema, kind))).toEqual(storedProperties(schema));
      }),
    );
  });
});
