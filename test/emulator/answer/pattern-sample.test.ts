import { expect, test } from 'vitest';
import { sampleOfPattern } from '../../../runner/emulator/answer/pattern-sample.ts';
import { drawFrom } from '../../../runner/emulator/seed.ts';

test.each([
  '^[A-Z]{2}$',
  '^\\d{3,5}$',
  '^(a|bc|d[ef])+$',
  '^[^a-z]{4}$',
  '^\\w+@\\w+\\.com$',
  '^(?:x|y)?z*$',
  '^(?<year>\\d{4})-(?<month>0[1-9]|1[0-2])$',
  '^[\\d\\-]{3,}$',
  '^#[0-9a-fA-F]{6}$',
  'plain',
  '^.{1,3}$',
  '^a{2}?b$',
  '',
])('finds a text for %s', (pattern) => {
  for (let start = 0; start < 20; start += 1) {
    expect(sampleOfPattern(pattern, drawFrom(start))).toMatch(new RegExp(pattern, 'u'));
  }
});

test.each(['^(?=a)b$', '(a)\\1', '^\\p{L}+$', '(?i)abc', '[', '^a$b'])('gives up on %s', (pattern) => {
  expect(sampleOfPattern(pattern, drawFrom(1))).toBeNull();
});
