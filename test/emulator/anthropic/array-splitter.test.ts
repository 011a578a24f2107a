import { describe, expect, test } from 'vitest';
import { createArraySplitter } from '../../../runner/emulator/anthropic/array-splitter.ts';

/** What comes of a body that arrives in pieces of so many bytes. */
function split(body: string, size: number): { readonly elements: string[]; readonly whole: boolean } {
  const elements: string[] = [];
  const splitter = createArraySplitter('requests', (element) => void elements.push(element));
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
  return { elements, whole: splitter.end() };
}

const SIZES = [1, 2, 7, 1000];

describe.each(SIZES)('in pieces of %d bytes', (size) => {
  const one = '{"a":"} ] , \\" ü 😀","b":[1,{"requests":[2]}]}';
  test.each<readonly [string, string, readonly string[]]>([
    ['one element', `{"requests":[${one}]}`, [one]],
    ['several, with blanks', ` { "x" : [1, "requests"] , "requests" : [ ${one} ,\n${one} ] } `, [one, one]],
    ['other fields around', `{"a":{"requests":[{}]},"requests":[{}],"b":[{"c":1}]}`, ['{}']],
    ['none', '{"requests":[]}', []],
  ])('%s', (_title, body, elements) => {
    expect(split(body, size)).toEqual({ elements, whole: true });
  });

  test.each([
    ['cut in the list', '{"requests":[{"a":1},'],
    ['cut behind it', '{"requests":[{"a":1}]'],
    ['cut in a string', '{"requests":[{"a":"'],
    ['no such list', '{"request":[{}]}'],
    ['a list alone', '[{}]'],
    ['elements that are no objects', '{"requests":[1,"x"]}'],
    ['no list', '{"requests":{"a":1}}'],
    ['nothing', ''],
  ])('not whole: %s', (_title, body) => {
    expect(split(body, size).whole).toBe(false);
  });
});
