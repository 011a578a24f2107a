import { describe, expect, test } from 'vitest';
import { parseRow } from '../../runner/manifest/exact-json.ts';
import { keyOf } from '../../runner/manifest/key.ts';
import { KeyIndex, PlaceIndex } from '../../runner/manifest/key-index.ts';

function keyIn(text: string, columns = ['id']): string {
  const parsed = parseRow(text);
  if (!parsed.ok) throw new Error(parsed.detail);
  const found = keyOf(parsed.value, columns);
  return found.ok ? found.key : found.code;
}

describe('the business key', () => {
  test.each([
    ['{"id":" 1"}', ' 1'],
    ['{"id":"1.0"}', '1.0'],
    ['{"id":1.0}', '1.0'],
    ['{"id":1e5}', '1e5'],
    ['{"id":9007199254740993}', '9007199254740993'],
    ['{"id":0}', '0'],
    ['{"id":false}', 'false'],
    ['{"id":"é/1 😀"}', 'é/1 😀'],
  ])('B006: %s is verbatim', (text, key) => {
    expect(keyIn(text)).toBe(key);
  });

  test.each([
    ['{}', 'key-missing'],
    ['{"id":null}', 'key-missing'],
    ['{"id":""}', 'key-empty'],
    ['{"id":{}}', 'key-not-text'],
    ['{"id":[1]}', 'key-not-text'],
    ['{"id":"a\\nb"}', 'key-unprintable'],
    ['{"id":"a\\u001fb"}', 'key-unprintable'],
    ['{"id":"a\\u2028b"}', 'key-unprintable'],
    ['{"id":"\\ufeffa"}', 'key-unprintable'],
  ])('%s is none', (text, code) => {
    expect(keyIn(text)).toBe(code);
  });

  test('several columns stay apart', () => {
    const columns = ['a', 'b'];
    expect(keyIn('{"a":"x","b":"y,z"}', columns)).toBe('["x","y,z"]');
    expect(keyIn('{"a":"x,y","b":"z"}', columns)).toBe('["x,y","z"]');
    expect(keyIn('{"a":"1","b":1}', columns)).toBe(keyIn('{"a":1,"b":"1"}', columns));
    expect(keyIn('{"a":"1"}', columns)).toBe('key-missing');
  });
});

describe('the index of keys', () => {
  test('finds each again, over many growths', () => {
    const index = new KeyIndex();
    for (let at = 0; at < 20_000; at += 1) expect(index.addOrFind(`key-${at}`, at * 2)).toBeNull();
    for (let at = 0; at < 20_000; at += 99) expect(index.addOrFind(`key-${at}`, 7)).toBe(at * 2);
    expect(index.addOrFind('Key-1', 1)).toBeNull();
  });

  test('gives the place of an ordinal', () => {
    const places = new PlaceIndex<string>();
    for (const part of ['a', 'empty', 'b']) {
      places.beginPart(part);
      for (let at = 1; part !== 'empty' && at <= 1000; at += 1) places.add(at);
    }
    expect(places.placeOf(999)).toEqual({ part: 'a', at: 1000 });
    expect(places.placeOf(1000)).toEqual({ part: 'b', at: 1 });
    expect(() => places.placeOf(2000)).toThrow(RangeError);
  });
});
