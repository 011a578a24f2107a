import { describe, expect, test } from 'vitest';
import { readTokenCounts, type TokenCounts } from '../../runner/provider/token-counts.ts';

const WITHIN: TokenCounts = { input: 200, output: 40, reasoningIs: 'within the output' };
const BESIDE: TokenCounts = { input: 200, output: 40, reasoningIs: 'beside the output' };

function usage(changes: Record<string, number> = {}) {
  const plain = {
    inputTokens: 200,
    outputTokens: 40,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  return { ...plain, ...changes };
}

describe('counts that fit each other', () => {
  test.each<readonly [string, TokenCounts, object]>([
    ['input and output alone', WITHIN, usage()],
    ['with their total', { ...WITHIN, total: 240 }, usage()],
    [
      'nothing at all',
      { ...WITHIN, input: 0, output: 0, total: 0 },
      usage({ inputTokens: 0, outputTokens: 0 }),
    ],
    [
      'parts that are null',
      { ...WITHIN, cached: null, cacheWrite: null, reasoning: null, total: null },
      usage(),
    ],
    [
      'all of the input from the cache, or into it',
      { ...WITHIN, cached: 120, cacheWrite: 80 },
      usage({ cachedTokens: 120, cacheWriteTokens: 80 }),
    ],
    ['all of the output for reasoning', { ...WITHIN, reasoning: 40 }, usage({ reasoningTokens: 40 })],
    [
      'reasoning beside the output',
      { ...BESIDE, reasoning: 300 },
      usage({ outputTokens: 340, reasoningTokens: 300 }),
    ],
    [
      'a total says that reasoning stands beside the output after all',
      { ...WITHIN, reasoning: 300, total: 540 },
      usage({ outputTokens: 340, reasoningTokens: 300 }),
    ],
    [
      'a total says that reasoning stands within the output after all',
      { ...BESIDE, reasoning: 30, total: 240 },
      usage({ reasoningTokens: 30 }),
    ],
    [
      'as many as a column holds',
      { ...WITHIN, input: 2 ** 31 - 1, total: 2 ** 31 + 39 },
      usage({ inputTokens: 2 ** 31 - 1 }),
    ],
  ])('%s', (_title, counts, expected) => {
    expect(readTokenCounts(counts)).toEqual(expected);
  });
});

describe('counts that contradict each other, or are none', () => {
  test.each<readonly [string, TokenCounts]>([
    ['parts of 0 under a total above 0', { ...WITHIN, input: 0, output: 0, total: 240 }],
    ['parts above a total of 0', { ...WITHIN, total: 0 }],
    ['a total above the parts', { ...WITHIN, total: 241 }],
    ['a total below the parts', { ...WITHIN, total: 239 }],
    ['a total that fits neither place of the reasoning', { ...WITHIN, reasoning: 30, total: 250 }],
    ['a total that is no number', { ...WITHIN, total: '240' }],
    ['a negative total', { ...WITHIN, total: -240 }],
    ['more from the cache than there was', { ...WITHIN, cached: 201 }],
    ['more into the cache than there was', { ...WITHIN, cacheWrite: 201 }],
    ['more from and into the cache than there was', { ...WITHIN, cached: 120, cacheWrite: 81 }],
    ['more reasoning than output', { ...WITHIN, reasoning: 41 }],
    ['more reasoning within the output than output, by the total', { ...BESIDE, reasoning: 41, total: 240 }],
    ['no input', { ...WITHIN, input: undefined }],
    ['no output', { ...WITHIN, output: null }],
    ['a negative input', { ...WITHIN, input: -200 }],
    ['a negative output', { ...WITHIN, output: -1 }],
    ['a negative part', { ...WITHIN, cached: -1 }],
    ['a fraction', { ...WITHIN, reasoning: 1.5 }],
    ['a text', { ...WITHIN, cached: '7' }],
    ['NaN', { ...WITHIN, cacheWrite: Number.NaN }],
    ['more than a column holds', { ...WITHIN, input: 2 ** 31 }],
    ['more than a column holds, with the reasoning', { ...BESIDE, output: 2 ** 31 - 1, reasoning: 1 }],
  ])('%s: unknown, and not free', (_title, counts) => {
    expect(readTokenCounts(counts)).toBeNull();
  });
});
