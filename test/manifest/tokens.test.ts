import { describe, expect, test } from 'vitest';
import { ceilingTokens, tokenCounter } from '../../runner/manifest/tokens.ts';

function user(text: string) {
  return { system: null, user: text };
}

describe('input tokens', () => {
  test('are exact for the first rows', async () => {
    const counter = await tokenCounter('');
    for (const text of ['one two three', 'Größe', '发票金额不对', '']) {
      expect(counter.estimate(user(text))).toBe(counter.exact(user(text)));
    }
  });

  test('include system prompt and schema', async () => {
    const bare = await tokenCounter('');
    const full = await tokenCounter('{"type":"object"}');
    const system = { system: 'You label tickets.', user: 'x' };
    expect(full.estimate(system)).toBeGreaterThan(bare.estimate(system));
    expect(bare.estimate(system)).toBeGreaterThan(bare.estimate(user('x')));
  });

  test('are scaled by bytes afterwards, the same every time', async () => {
    const texts = Array.from(
      { length: 1500 },
      (_, at) => `Ticket ${at}: ${'the printer does not print '.repeat(1 + (at % 20))}`,
    );
    const run = async () => {
      const counter = await tokenCounter('');
      return texts.map((text) => counter.estimate(user(text)));
    };
    const estimates = await run();
    expect(await run()).toEqual(estimates);
    const counter = await tokenCounter('');
    const exact = texts.reduce((sum, text) => sum + counter.exact(user(text)), 0);
    const estimated = estimates.reduce((sum, tokens) => sum + tokens, 0);
    expect(Math.abs(estimated / exact - 1)).toBeLessThan(0.05);
    expect(ceilingTokens(estimated)).toBeGreaterThan(exact);
  });

  test('text that looks like a special token is text', async () => {
    const counter = await tokenCounter('');
    expect(counter.estimate(user('<|endoftext|>'))).toBeGreaterThan(counter.estimate(user('')) + 2);
  });

  test('a long text without blanks takes no minute', async () => {
    const counter = await tokenCounter('');
    const tokens = counter.estimate(user('发票金额不对'.repeat(50_000)));
    expect(tokens).toBeGreaterThan(100_000);
    expect(tokens).toBeLessThan(400_000);
  });
});
