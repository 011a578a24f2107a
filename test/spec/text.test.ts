import { describe, expect, test } from 'vitest';
import type { Finding } from '../../runner/errors.ts';
import { countText, findingText } from '../../runner/spec/finding-text.ts';
import { secretsIn, withoutSecrets } from '../../runner/spec/secrets.ts';
import { sourceText } from '../../runner/spec/source-text.ts';
import { didYouMean, listed, nearest } from '../../runner/spec/suggest.ts';
import { textFindings } from '../../runner/spec/text-lint.ts';

const at = (source: string, column: number, length: number, more: Partial<Finding> = {}): Finding => ({
  level: 'error',
  code: 'x',
  message: 'A.',
  file: 'jobs/a.yaml',
  line: 7,
  column,
  length,
  source,
  ...more,
});

describe('a finding as text', () => {
  test('place, code, message, source, caret, hint', () => {
    expect(findingText(at('modle: x', 1, 5, { hint: 'Did you mean `model`?' }))).toBe(
      'jobs/a.yaml:7:1 error[x] A.\n  7 | modle: x\n    | ^^^^^ Did you mean `model`?',
    );
  });

  test('without a place, without a file', () => {
    expect(findingText({ level: 'warning', code: 'x', message: 'A.', file: 'f', hint: 'B.' })).toBe(
      'f warning[x] A.\n  B.',
    );
    expect(findingText({ level: 'error', code: 'x', message: 'A.' })).toBe('error[x] A.');
  });

  test('a file cannot steer the terminal, nor turn the text around', () => {
    const text = findingText(
      at('a\u001b[2Jb\u202E', 1, 1, { message: 'M\u001b]0;x\u0007', file: 'jobs/\u001b.yaml' }),
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202E]/);
  });

  test('the caret stands under its text, behind tabs and behind wide characters', () => {
    expect(
      findingText(at('\tx: 1', 2, 1))
        .split('\n')
        .slice(1),
    ).toEqual(['  7 |  x: 1', '    |  ^']);
    expect(
      findingText(at('名前: x', 5, 1))
        .split('\n')
        .slice(1),
    ).toEqual(['  7 | 名前: x', '    |       ^']);
  });

  test('a long line is cut around the caret', () => {
    const [, line = '', caret = ''] = findingText(
      at(`${'a'.repeat(300)}HERE${'b'.repeat(300)}`, 301, 4),
    ).split('\n');
    expect(line.length).toBeLessThan(140);
    expect(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('HERE');
  });

  test('counts', () => {
    const [error, warning] = [at('', 1, 1), at('', 1, 1, { level: 'warning' })];
    expect([countText([error, warning, warning]), countText([warning]), countText([])]).toEqual([
      '1 error and 2 warnings',
      '1 warning',
      'no findings',
    ]);
  });
});

describe('suggestions', () => {
  const FIELDS = ['name', 'model', 'owner', 'output', 'max_tokens', 'on_bad_row'];
  test.each([
    ['modle', 'model'],
    ['maxTokens', 'max_tokens'],
    ['MODEL', 'model'],
    ['onwer', 'owner'],
    ['on_bad_rows', 'on_bad_row'],
    ['temperature', null],
    ['x', null],
    ['order_id', null],
  ])('%s → %s', (written, meant) => {
    expect(nearest(written, FIELDS)).toBe(meant);
  });

  test('as a sentence, and as a list that can be read', () => {
    expect(didYouMean('modle', FIELDS)).toBe('Did you mean `model`?');
    expect(didYouMean('zzz', FIELDS)).toBeUndefined();
    expect(listed(['a', 'b', 'c'], 2)).toBe('`a`, `b` and 1 more');
  });
});

describe('secrets', () => {
  test.each([
    `sk-proj-${'a'.repeat(30)}`,
    `sk-ant-api03-${'b'.repeat(30)}`,
    `AIza${'c'.repeat(35)}`,
    `AKIA${'D'.repeat(16)}`,
    `ghp_${'e'.repeat(36)}`,
    `github_pat_${'f'.repeat(30)}`,
    `xoxb-${'1'.repeat(12)}`,
    '-----BEGIN RSA PRIVATE KEY-----',
    `eyJ${'g'.repeat(12)}.eyJ${'h'.repeat(12)}.${'i'.repeat(12)}`,
    'postgres://user:pa55word@host/db',
  ])('%s', (secret) => {
    expect(secretsIn(`key: ${secret} end`)).toHaveLength(1);
    expect(withoutSecrets(`key: ${secret} end`)).not.toContain(secret.slice(4, 20));
  });

  test.each([
    'OPENAI_API_KEY',
    'sk-1',
    'https://example.test/a:b@c',
    'a risk-based-assessment-of-everything',
    '{{user}}:{{pass}}',
  ])('not %s', (text) => {
    expect(secretsIn(text)).toEqual([]);
  });
});

test.each([
  ['a joined emoji 👩‍👩‍👧 and a flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿', 0],
  ['zero\u200Bwidth', 1],
  ['tags \u{E0041}', 1],
  ['right \u202Eto left', 1],
  ['नमस्\u200Dते', 0],
  ['\u200B'.repeat(50), 5],
])('hidden characters in %j', (text, count) => {
  expect(textFindings(sourceText('prompts/a.hbs', text))).toHaveLength(count);
});
