import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateAnswer } from '../../runner/outcome/validate.ts';

const any = { outputKind: 'json', check: null } as const;
const prose = { outputKind: 'text', check: null } as const;
const atMostTen = {
  outputKind: 'json',
  check: (value: unknown) =>
    (value as { n: number }).n > 10 ? { cause: '`/n` above 10', detail: 'it is much more' } : null,
} as const;

describe('an answer that is accepted', () => {
  test.each<readonly [string, string, string]>([
    ['blanks go', ' {\n "a": [1, 2]\t}\r\n', '{"a":[1,2]}'],
    ['a number', '7', '7'],
    ['numbers as JavaScript writes them', '[1.10, 1e2, -0, 5E-1, 0.1, 100.00]', '[1.1,100,0,0.5,0.1,100]'],
    [
      'B007: numbers that a double cannot hold stay',
      '{"id":9007199254740993,"big":12345678901234567890}',
      '{"id":9007199254740993,"big":12345678901234567890}',
    ],
    ['B007: so do those beyond every double', '[1e400, -1e400, 1e-400]', '[1e400,-1e400,1e-400]'],
    ['B007: and long fractions', '[0.12345678901234567890123]', '[0.12345678901234567890123]'],
    [
      'long, and held',
      '[9007199254740992, 1e21, 123456789012345680000]',
      '[9007199254740992,1e+21,123456789012345680000]',
    ],
    [
      'digits in a string',
      '{"card":"9007199254740993","e":"1e400"}',
      '{"card":"9007199254740993","e":"1e400"}',
    ],
    ['a name that others fear', '{"__proto__":1,"constructor":2}', '{"__proto__":1,"constructor":2}'],
    [
      'a backslash before a u',
      '{"path":"C:\\\\ud800","x":"\\\\u0000"}',
      '{"path":"C:\\\\ud800","x":"\\\\u0000"}',
    ],
    ['a whole pair, escaped', '"\\ud83d\\ude00"', '"😀"'],
    ['control characters, escaped', '"a\\u0001\\n\\u001f"', '"a\\u0001\\n\\u001f"'],
  ])('%s', (_title, text, answer) => {
    expect(validateAnswer(text, any)).toEqual({ kind: 'ok', answer });
  });

  test('free text becomes a JSON string, blanks and all', () => {
    expect(validateAnswer(' Hello\n"you" \u2028', prose)).toEqual({
      kind: 'ok',
      answer: '" Hello\\n\\"you\\" \u2028"',
    });
  });

  test('the check decides', () => {
    expect(validateAnswer('{"n":10}', atMostTen)).toEqual({ kind: 'ok', answer: '{"n":10}' });
    expect(validateAnswer('{"n":11}', atMostTen)).toEqual({
      kind: 'invalid',
      cause: '`/n` above 10',
      detail: 'it is much more',
    });
  });
});

describe('an answer that is not', () => {
  test.each<readonly [string, string | null, string]>([
    ['nothing', null, 'empty answer'],
    ['empty', '', 'empty answer'],
    ['blank', ' \n\t', 'empty answer'],
    ['prose', 'The label is billing.', 'not JSON'],
    ['B068: cut', '{"name":"Ana","items":["a","b"', 'not JSON'],
    ['fenced: nothing is repaired', '```json\n{}\n```', 'not JSON'],
    ['two values', '{}{}', 'not JSON'],
    ['a word of Python', '{"a": None}', 'not JSON'],
    ['NaN', '[NaN]', 'not JSON'],
    ['half a pair', '{"a":"\\ud800"}', 'text that cannot be stored'],
    ['half a pair in a name', '{"\\udc00":1}', 'text that cannot be stored'],
    ['half a pair after a backslash', '"\\\\\\ud800"', 'text that cannot be stored'],
    ['U+0000', '"\\u0000"', 'text that cannot be stored'],
    ['nested thousands deep', '['.repeat(100_000) + ']'.repeat(100_000), 'nested too deep'],
    ['nested deeper than any data', '['.repeat(201) + ']'.repeat(201), 'nested too deep'],
    ['a property twice', '{"a":1,"a":1}', 'names a property twice'],
    ['a property twice, deep inside', '{"a":[{"b":{"c":1, "c":2}}]}', 'names a property twice'],
    ['a property twice, once as an escape', '{"a":1,"\\u0061":2}', 'names a property twice'],
  ])('%s', (_title, text, cause) => {
    expect(validateAnswer(text, any)).toMatchObject({ kind: 'invalid', cause });
  });

  test.each([['\u0000'], ['a\ud800b'], [' ']])('free text %j', (text) => {
    expect(validateAnswer(text, prose)).toMatchObject({ kind: 'invalid' });
  });
});

test('which property stands twice is told, and what breaks the schema comes first', () => {
  expect(validateAnswer('{"n":1,"n":2}', atMostTen)).toEqual({
    kind: 'invalid',
    cause: 'names a property twice',
    detail: 'the property "n"',
  });
  expect(validateAnswer('{"n":1,"n":11}', atMostTen)).toMatchObject({ cause: '`/n` above 10' });
});

test('the check sees numbers that a double cannot hold as they were written', () => {
  const seen: string[] = [];
  const rules = {
    outputKind: 'json',
    check: (_value: unknown, exact: unknown) => {
      seen.push(JSON.stringify(exact));
      return null;
    },
  } as const;
  validateAnswer('[9007199254740993, 1.5]', rules);
  validateAnswer('[1.5]', rules);
  expect(seen).toEqual(['[9007199254740993,1.5]', '[1.5]']);
});

test.each<readonly [string, string]>([
  ['zeros in the middle of a number', `[1${'0'.repeat(1_000_000)}1]`],
  ['digits without end', `[${'9'.repeat(1_000_000)}]`],
  ['a fraction without end', `[0.${'0'.repeat(1_000_000)}1]`],
  ['an exponent beyond everything', `[1e-${'9'.repeat(1_000_000)}]`],
])('a hostile number costs no time: %s', (_title, text) => {
  const start = process.cpuUsage();
  expect(validateAnswer(text, any).kind).toBe('ok');
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});

test('what is accepted means what was answered, and accepting it again changes nothing', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const once = validateAnswer(text, any);
      if (once.kind === 'invalid') return once.cause === 'text that cannot be stored';
      expect(JSON.parse(once.answer)).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
      expect(validateAnswer(once.answer, any)).toEqual(once);
      return true;
    }),
  );
});

test('every text has a verdict', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(['ok', 'invalid']).toContain(validateAnswer(text, any).kind);
      expect(['ok', 'invalid']).toContain(validateAnswer(text, prose).kind);
    }),
  );
});
