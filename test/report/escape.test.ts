import { expect, test } from 'vitest';
import { code, cut, plain, prose, words } from '../../runner/report/escape.ts';

test.each([
  ['TK-3912', '`TK-3912`'],
  ['a`b', '``a`b``'],
  ['`a`', '`` `a` ``'],
  ['a|b', '`a\\|b`'],
  ['a\\|b', '`a\\\\\\|b`'],
  ['a\nb\r\nc', '`a⏎b⏎c`'],
  ['a\tb', '`a b`'],
  ['\u001b[31m', '`␛[31m`'],
  ['x\u202ey', '`x(U+202E)y`'],
  ['x\u{e0041}', '`x(U+E0041)`'],
  ['half \ud83d', '`half \ufffd`'],
  ['👩‍👧', '`👩‍👧`'],
  ['', 'empty'],
  ['  ', 'empty'],
])('code %j', (text, markdown) => expect(code(text)).toBe(markdown));

test.each([
  ['ticket labels', 'ticket labels'],
  ['support_platform', 'support_platform'],
  ['_it_ and *b*', '\\_it\\_ and \\*b\\*'],
  ['p99 < 47 & rising', 'p99 &lt; 47 &amp; rising'],
  ['1. item', '1\\. item'],
  ['# title', '\\# title'],
  ['- item', '\\- item'],
  ['a | b', 'a \\| b'],
  ['est. $0.04', 'est. $0.04'],
  ['C# and F#', 'C# and F#'],
  ['Größe 中文 ✓', 'Größe 中文 ✓'],
  ['', '–'],
  ['@everyone', '`@everyone`'],
  ['fixes #12', '`fixes #12`'],
  ['<b>', '`<b>`'],
  ['see https://example.org', '`see https://example.org`'],
  ['[x](y)', '\\[x\\](y)'],
  ['commit 9f2c1d7', '`commit 9f2c1d7`'],
  ['costs $x$', '`costs $x$`'],
])('words %j', (text, markdown) => expect(words(text)).toBe(markdown));

test.each([
  ['raise `max_tokens` to 80', 'raise `max_tokens` to 80'],
  ['`a|b` and @you', '`a\\|b` `and @you`'],
  ['an odd ` backtick', '``an odd ` backtick``'],
])('prose %j', (text, markdown) => expect(prose(text)).toBe(markdown));

test.each([
  ['::error::x', ': :error: :x'],
  ['##[group]x', '## [group]x'],
  ['\u001b]0;t\u0007', '␛]0;t␇'],
])('plain %j', (text, shown) => expect(plain(text)).toBe(shown));

test('cut at whole characters', () => {
  expect(cut('abcdef', 4)).toBe('abc…');
  expect(cut('a😀😀😀', 3)).toBe('a😀…');
  expect(cut('😀😀', 2)).toBe('😀😀');
});
