import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactNumber, parseExact, parseRow } from '../../runner/manifest/exact-json.ts';

function numberIn(text: string): unknown {
  const parsed = parseRow(`{"n":${text}}`);
  return parsed.ok ? parsed.value.n : parsed.code;
}

describe('numbers keep the text that the source has', () => {
  const exact = [
    '1.10',
    '1.0',
    '1e5',
    '1E5',
    '1E400',
    '-0',
    '-0.0',
    '100.00',
    '9007199254740993',
    '0.00000015',
  ];
  test.each([...exact, '123456789012345678901234567890', '0.1000000000000000055'])('B007: %s', (text) => {
    expect(String(numberIn(text))).toBe(text);
    expect(numberIn(text)).toBeInstanceOf(ExactNumber);
    expect(JSON.stringify({ n: numberIn(text) })).toBe(`{"n":${text}}`);
  });

  test.each(['0', '-1', '1.5', '0.1', '9007199254740991', '12345.678'])('%s stays a number', (text) => {
    expect(numberIn(text)).toBe(Number(text));
  });

  test('inside lists and objects too', () => {
    const text = '{"a":[1.10,{"b":[2e3]}],"c":1}';
    const parsed = parseRow(text);
    expect(parsed.ok && JSON.stringify(parsed.value)).toBe(text);
  });

  test('a number has nothing that a template could read from it', () => {
    expect(Object.keys(new ExactNumber('1.10'))).toEqual([]);
  });

  test('any number, however it is written', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,20})(\.\d{1,20})?([eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(fc.boolean(), digits, (negative, text) => {
        const written = `${negative ? '-' : ''}${text}`;
        expect(String(numberIn(written))).toBe(written);
        expect(String(parseExact(written))).toBe(written);
      }),
    );
  });
});

describe('B011: names that a reader would confuse', () => {
  const cases: [string, string][] = [
    ['{"label":"a","label":"b"}', 'name-twice'],
    ['{"label" : "a", "label" : "b"}', 'name-twice'],
    ['{"o":{"x":1,"x":2}}', 'name-twice'],
    ['{"a":[{"x":1,"y":2,"x":3}]}', 'name-twice'],
    [String.raw`{"a":1,"\u0061":2}`, 'name-twice'],
    [String.raw`{"a":"\":","b":1,"b":2}`, 'name-twice'],
    ['{"__proto__":1,"__proto__":2}', 'name-twice'],
    ['{"ID":1,"id":2}', 'names-collide'],
    ['{"o":{"x":1,"X":2}}', 'names-collide'],
  ];
  test.each(cases)('%s is refused', (text, code) => {
    expect(parseRow(text)).toMatchObject({ ok: false, code });
  });

  test('both spellings are named', () => {
    expect(parseRow('{"ID":1,"id":2}')).toMatchObject({
      detail: 'has the names "ID" and "id", which differ only in case',
    });
  });

  const innocent = [
    '{"a":{"x":1},"b":{"x":2}}',
    String.raw`{"a":"say \"b\":","c":1}`,
    '{"a" : 1 , "b" :2}',
    String.raw`{"a\"":1,"a\\":2}`,
    '{}',
  ];
  test.each(innocent)('%s is not', (text) => {
    expect(parseRow(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  test('whatever JSON says once is accepted as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
        const text = JSON.stringify(value);
        const parsed = parseRow(text);
        if (parsed.ok) expect(JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(text)));
        else expect(['names-collide', 'row-not-unicode']).toContain(parsed.code);
      }),
    );
  });
});

describe('rows that are no rows', () => {
  const cases: [string, string][] = [
    ['{"a":1', 'row-not-json'],
    ['{"a":NaN}', 'row-not-json'],
    ['[1]', 'row-not-object'],
    ['"text"', 'row-not-object'],
    ['null', 'row-not-object'],
    [`{"a":${'['.repeat(500)}${']'.repeat(500)}}`, 'row-too-deep'],
    [String.raw`{"a":"half a pair \ud83d"}`, 'row-not-unicode'],
    [String.raw`{"a":["\uDE00"]}`, 'row-not-unicode'],
  ];
  test.each(cases)('%.40s', (text, code) => {
    expect(parseRow(text)).toMatchObject({ ok: false, code });
  });

  test('a whole surrogate pair as escapes is text like any other', () => {
    expect(parseRow(String.raw`{"a":"\ud83d\ude00"}`)).toEqual({ ok: true, value: { a: '😀' } });
  });

  test('the reason does not quote the row: it is customer data', () => {
    const parsed = parseRow('{"name":"Ada Lovelace" "mail":1}');
    expect(parsed.ok ? '' : parsed.detail).toBe('is not valid JSON at character 24');
  });
});
