import { expect, test } from 'vitest';
import { readFields } from '../../runner/provider/fields.ts';

test.each<readonly [string, unknown, unknown]>([
  ['an object', { a: 1 }, { a: 1 }],
  ['a text that is one', '{"a":1}', { a: 1 }],
  ['with blanks around it', ' \r\n{"a":1}\n', { a: 1 }],
  ['a text in a text is somebody’s content', JSON.stringify('{"a":1}'), null],
  ['a list', '[{"a":1}]', null],
  ['an object that is cut', '{"a":1', null],
  ['two objects', '{"a":1}{"a":2}', null],
  ['a page', '<html>{"a":1}</html>', null],
  ['words', 'upstream connect error', null],
  ['nothing', '', null],
  ['null', null, null],
  ['absent', undefined, null],
  ['a number', 7, null],
])('an object, or a text that is one: %s', (_title, value, expected) => {
  expect(readFields(value)).toEqual(expected);
});

test('a megabyte of blanks costs no time', () => {
  expect(readFields(`${' '.repeat(1_000_000)}x`)).toBeNull();
});
