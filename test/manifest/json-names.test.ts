import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { duplicateNameBeside, isTooDeep, MAX_DEPTH } from '../../runner/manifest/json-names.ts';

const beside = (text: string) => duplicateNameBeside(text, JSON.stringify(JSON.parse(text)));

describe('a name that stands twice, beside what JSON.parse has left', () => {
  test.each<readonly [string, string, string]>([
    ['at the top', '{"a":1,"a":2}', 'a'],
    ['the same value', '{"a":1,"a":1}', 'a'],
    ['deep inside', '{"x":[{"y":{"q":1,"q":2}}]}', 'q'],
    ['inside of what is lost', '{"a":{"q":1},"a":{"q":1}}', 'a'],
    ['with blanks before the colon', '{"a" :1,"a"\n:2}', 'a'],
    ['as an escape', '{"a":1,"\\u0061":2}', 'a'],
    ['an empty name', '{"":1,"":2}', ''],
    ['the name that others fear', '{"__proto__":1,"__proto__":2}', '__proto__'],
    ['made up for by a quote that is an escape', '{"s":"\\u0022:","s":"x"}', 's'],
    ['made up for by a blank before a colon', '{"a":1,"a":2,"b" :3}', 'a'],
  ])('%s', (_title, text, name) => {
    expect(beside(text)).toBe(name);
  });

  test.each<readonly [string, string]>([
    ['no name', '[1,"a:b",[]]'],
    ['pretty printed', '{\n  "a": 1,\n  "b": [\n    {"a": 2}\n  ]\n}'],
    ['colons and quotes in texts', '{"a":"\\":","b":"x: y","c":" :","d":":"}'],
    ['the same name in other objects', '{"a":{"a":1},"b":{"a":1}}'],
    ['names that differ in case', '{"a":1,"A":2}'],
    ['a name that is a number, which moves to the front', '{"b":1,"1":2}'],
  ])('none: %s', (_title, text) => {
    expect(beside(text)).toBeNull();
  });

  test('every text without one passes, however it is spaced, and with one it does not', () => {
    const name = fc.constantFrom('a', 'b', '":', ' :', '\\', 'c d', '\n:', '1');
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        name,
        fc.integer(),
        tie('object'),
        fc.array(tie('any'), { maxLength: 3 }),
      ),
      object: fc.dictionary(name, tie('any'), { maxKeys: 4 }),
    })).any;
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, ' ', '\t'), name, (inner, space, twice) => {
        const text = JSON.stringify(inner, null, space);
        expect(beside(text)).toBeNull();
        const quoted = JSON.stringify(twice);
        expect(beside(`{"z":${text},${quoted}:1,${quoted}:2}`)).toBe(twice);
      }),
    );
  });
});

describe('depth', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  test.each<readonly [string, string, boolean]>([
    ['as deep as it may be', nested(MAX_DEPTH), false],
    ['deeper by one', nested(MAX_DEPTH + 1), true],
    ['objects count too', `${'{"a":'.repeat(MAX_DEPTH + 1)}1${'}'.repeat(MAX_DEPTH + 1)}`, true],
    ['many, and none inside another', `[${'[],{},'.repeat(5_000)}0]`, false],
    ['brackets in a text', JSON.stringify({ a: nested(5_000), b: `\\"${'{['.repeat(900)}` }), false],
  ])('%s', (_title, text, expected) => {
    JSON.parse(text);
    expect(isTooDeep(text)).toBe(expected);
  });
});
