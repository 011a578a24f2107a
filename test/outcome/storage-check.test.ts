import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../runner/ids.ts';
import { HOLDS_FLOAT64, HOLDS_INT64 } from '../../runner/outcome/causes.ts';
import { compileStorageCheck } from '../../runner/outcome/storage-check.ts';
import { validateAnswer } from '../../runner/outcome/validate.ts';
import { compileAnswerCheck } from '../../runner/spec/output-schema.ts';
import type { SinkKind } from '../../runner/spec/storage.ts';

const NFC = '\u00e9';
const NFD = 'e\u0301';
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    whole: { type: 'integer' },
    real: { type: 'number' },
    text: { type: 'string' },
    any: {},
    'a/b': { type: 'integer' },
    '~': { type: 'integer' },
    [NFC]: { type: 'integer' },
    [NFD]: { type: 'string' },
    constructor: { type: 'integer' },
  },
};

function verdict(answer: string, typed: readonly SinkKind[], schema = SCHEMA) {
  const storage = compileStorageCheck(schema, typed);
  const result = validateAnswer(answer, { outputKind: 'json', check: compileAnswerCheck(schema), storage });
  return result.kind === 'ok' ? 'ok' : result.cause;
}

const cause = (name: string, holds: string) => `does not fit the column \`${name}\`, which holds ${holds}`;
const int64 = (name: string) => cause(name, HOLDS_INT64);
const float64 = (name: string) => cause(name, HOLDS_FLOAT64);

/** Answer, what typed columns say, and what files of text say where that is not `ok`. */
const CASES: readonly (readonly [answer: string, typed: string, text?: string])[] = [
  ['{"whole":9223372036854775807}', 'ok'],
  ['{"whole":9223372036854775808}', int64('whole')],
  ['{"whole":-9223372036854775808}', 'ok'],
  ['{"whole":-9223372036854775809}', int64('whole')],
  ['{"whole":18446744073709551616}', int64('whole')],
  ['{"whole":9223372036854775807.0}', 'ok'],
  ['{"whole":9.223372036854775807e18}', 'ok'],
  ['{"whole":9223372036854776000}', int64('whole')],
  ['{"whole":1e18}', 'ok'],
  ['{"whole":1e19}', int64('whole')],
  ['{"whole":1e21}', int64('whole')],
  ['{"whole":1e308}', int64('whole')],
  ['{"whole":1e2}', 'ok'],
  ['{"whole":1.0}', 'ok'],
  ['{"whole":-0}', 'ok'],
  ['{"whole":1.5}', '`/whole` is not an integer', '`/whole` is not an integer'],
  ['{"whole":1e400}', '`/whole` is not an integer', '`/whole` is not an integer'],
  ['{"whole":4503599627370497.5}', int64('whole'), cause('whole', 'whole numbers')],
  ['{"real":9007199254740992}', 'ok'],
  ['{"real":9007199254740993}', float64('real')],
  ['{"real":9007199254740993.0}', float64('real')],
  ['{"real":1152921504606846976}', 'ok'],
  ['{"real":1152921504606847000}', 'ok'],
  ['{"real":123456789012345678901234567890}', float64('real')],
  ['{"real":1e308}', 'ok'],
  ['{"real":1e400}', '`/real` is not a number', '`/real` is not a number'],
  ['{"real":0.1}', 'ok'],
  ['{"real":0.12345678901234567890123}', 'ok'],
  ['{"real":5e-324}', 'ok'],
  ['{"any":{"n":[1e400,98765432109876543210,9007199254740993]}}', 'ok'],
  [`{"any":${'['.repeat(199)}${']'.repeat(199)}}`, 'ok'],
  [`{"text":"${'x'.repeat(1_000_000)}"}`, 'ok'],
  ['{"text":"\\ud83d"}', 'text that cannot be stored', 'text that cannot be stored'],
  ['{"text":"\\u0000"}', 'text that cannot be stored', 'text that cannot be stored'],
  ['{"whole":1,"whole":98765432109876543210}', 'names a property twice', 'names a property twice'],
  ['{"a/b":98765432109876543210}', int64('a/b')],
  ['{"~":98765432109876543210}', int64('~')],
  [`{"${NFC}":98765432109876543210}`, int64(NFC)],
  [`{"${NFD}":"98765432109876543210"}`, 'ok'],
  ['{"WHOLE":98765432109876543210}', 'ok'],
  ['{"other":98765432109876543210}', 'ok'],
  ['{"constructor":98765432109876543210}', int64('constructor')],
  ['{"__proto__":98765432109876543210}', 'ok'],
  ['{}', 'ok'],
];

describe('what the columns of the sinks can hold', () => {
  it.each(CASES.map(([answer, typed, text = 'ok']) => ({ answer, typed, text })))(
    '$answer',
    ({ answer, typed, text }) => {
      expect(verdict(answer, ['parquet'])).toBe(typed);
      expect(verdict(answer, [])).toBe(text);
    },
  );

  it('is one cause for all values that do not fit, with the value beside it, cut', () => {
    const storage = compileStorageCheck(SCHEMA, ['parquet']);
    const rules = { outputKind: 'json', check: null, storage } as const;
    expect(validateAnswer('{"whole":98765432109876543210}', rules)).toEqual({
      kind: 'invalid',
      cause: int64('whole'),
      detail: '98765432109876543210',
    });
    expect(validateAnswer(`{"whole":${'9'.repeat(300)}}`, rules)).toMatchObject({
      detail: `${'9'.repeat(80)}…`,
    });
  });

  it('leaves null and absent properties alone', () => {
    const schema: JsonObject = { type: 'object', properties: { whole: { type: ['integer', 'null'] } } };
    expect(verdict('{"whole":null}', ['parquet'], schema)).toBe('ok');
    expect(verdict('{}', ['parquet'], schema)).toBe('ok');
  });

  it.each([
    ['free text', null],
    ['a schema that names no properties', { type: 'object' } as JsonObject],
    ['vectors', { type: 'array', items: { type: 'number' } } as JsonObject],
  ])('%s: nothing is asked, the whole answer is one column', (_name, schema) => {
    expect(compileStorageCheck(schema, ['parquet'])).toBeNull();
  });
});
