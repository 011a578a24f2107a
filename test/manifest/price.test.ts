import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { instant, type JsonObject } from '../../runner/ids.ts';
import { estimateOf } from '../../runner/manifest/estimate.ts';
import {
  ceilingUsd,
  costUsd,
  PRICE_DATA_VERSION,
  type Price,
  type PriceQuestion,
  priceOf,
  synchronousUsd,
} from '../../runner/manifest/price.ts';
import type { ProviderSettings } from '../../runner/spec/settings.ts';

const NOW = instant('2026-11-30T00:00:00Z');

function ask(name: string, more: Partial<PriceQuestion> = {}): Promise<Price | null> {
  const settings = { models: {}, providers: {} };
  return priceOf({
    model: { provider: 'openai', name, endpoint: '/v1/responses' },
    settings,
    batchFactor: 0.5,
    now: NOW,
    ...more,
  });
}

function provider(more: Partial<ProviderSettings>): ProviderSettings {
  const names = { account: null, organization: null, project: null, workspace: null };
  return { kind: 'openai', baseUrl: null, apiKeyEnv: 'KEY', emulator: false, ...names, ...more };
}

describe('the price of a model', () => {
  test('is from the package, with its day and the batch factor', async () => {
    expect(await ask('gpt-5.4-mini')).toEqual({
      inputUsdPerMtok: 0.75,
      outputUsdPerMtok: 4.5,
      batchFactor: 0.5,
      longContext: null,
      pricesOf: '2026-09-23',
    });
  });

  test('of another provider is that of its vendor', async () => {
    const model = { provider: 'gemini', name: 'gemini-3.8-flash', endpoint: 'generateContent' } as const;
    expect(await ask('', { model })).toMatchObject({ inputUsdPerMtok: 0.75, outputUsdPerMtok: 3.75 });
  });

  test('has its long-context tier', async () => {
    expect((await ask('gpt-5.4'))?.longContext).toEqual({
      aboveTokens: 271_999,
      inputUsdPerMtok: 5,
      outputUsdPerMtok: 22.5,
    });
  });

  test('is that of the day', async () => {
    expect((await ask('o3', { now: instant('2025-01-01T00:00:00Z') }))?.inputUsdPerMtok).toBe(10);
    expect((await ask('o3'))?.inputUsdPerMtok).toBe(2);
  });

  test.each(['gpt-9-nano', 'gpt-5.4-mini-clone', ''])(
    '%j is unknown, and never a neighbour',
    async (name) => {
      expect(await ask(name)).toBeNull();
    },
  );

  test('can be given in the settings, price and factor each by itself', async () => {
    const models = {
      'openai/own': { price: { inputUsd: 3, outputUsd: 6 }, batchFactor: null, contextTokens: null },
    };
    expect(await ask('own', { settings: { models, providers: {} } })).toMatchObject({
      inputUsdPerMtok: 3,
      batchFactor: 0.5,
      pricesOf: 'settings',
    });
    const factor = { 'openai/gpt-5.4-mini': { price: null, batchFactor: 0.4, contextTokens: null } };
    expect(await ask('gpt-5.4-mini', { settings: { models: factor, providers: {} } })).toMatchObject({
      inputUsdPerMtok: 0.75,
      batchFactor: 0.4,
    });
  });

  test.each<[string, Partial<ProviderSettings>, boolean]>([
    ['the vendor by name', {}, true],
    ['the vendor by URL', { baseUrl: 'https://eu.api.openai.com/v1' }, true],
    ['another server with the same interface', { baseUrl: 'https://llm.example.com/v1' }, false],
    ['a server that pretends', { baseUrl: 'https://api.openai.com.example.com/v1' }, false],
    ['an emulator', { baseUrl: 'http://127.0.0.1:4010/v1', emulator: true }, true],
  ])('%s', async (_name, more, isKnown) => {
    const settings = { models: {}, providers: { here: provider(more) } };
    const price = await ask('gpt-5.4-mini', {
      model: { provider: 'here', name: 'gpt-5.4-mini', endpoint: '/v1/responses' },
      settings,
    });
    expect(price !== null).toBe(isKnown);
  });

  test.each([
    ['text-embedding-3-small', '/v1/embeddings', { inputUsdPerMtok: 0.02, outputUsdPerMtok: 0 }],
    ['omni-moderation-latest', '/v1/moderations', { inputUsdPerMtok: 0, outputUsdPerMtok: 0 }],
    ['text-embedding-3-small', '/v1/responses', null],
    ['no-such-model', '/v1/embeddings', null],
  ] as const)('%s at %s', async (name, endpoint, price) => {
    const found = await ask(name, { model: { provider: 'openai', name, endpoint } });
    if (price === null) expect(found).toBeNull();
    else expect(found).toMatchObject(price);
  });

  test('what the vendor gives away has its price elsewhere', async () => {
    const settings = {
      models: {},
      providers: { here: provider({ baseUrl: 'https://example.com/v1' }) },
    };
    const model = { provider: 'here', name: 'omni-moderation-latest', endpoint: '/v1/moderations' } as const;
    expect(await ask('', { model, settings })).toBeNull();
  });

  test('the day in the code is that of the installed package', async () => {
    const entry = fileURLToPath(import.meta.resolve('@pydantic/genai-prices'));
    const { version } = JSON.parse(await readFile(join(dirname(entry), '../package.json'), 'utf8'));
    expect(version).toBe(PRICE_DATA_VERSION);
  });
});

describe('what the cache costs', () => {
  const providers = { anthropic: provider({ kind: 'anthropic' }) };
  const asking = (raw: JsonObject, more: Partial<PriceQuestion> = {}) =>
    ask('claude-haiku-4-5', {
      model: { provider: 'anthropic', name: 'claude-haiku-4-5', endpoint: '/v1/messages', raw },
      settings: { models: {}, providers },
      ...more,
    });
  const five: JsonObject = { cache_control: { type: 'ephemeral' } };
  const hour: JsonObject = { tools: [{ cache_control: { type: 'ephemeral', ttl: '1h' } }] };

  test('is listed where a request asks for it at Anthropic, and nowhere else', async () => {
    expect((await asking({}))?.cache).toBeUndefined();
    expect((await asking({ cache_control: null }))?.cache).toBeUndefined();
    expect((await asking(five))?.cache).toEqual({ readUsdPerMtok: 0.1, writeUsdPerMtok: 1.25 });
    expect((await asking(hour))?.cache).toEqual({ readUsdPerMtok: 0.1, writeUsdPerMtok: 2 });
    const openai = {
      provider: 'openai',
      name: 'gpt-5.4-mini',
      endpoint: '/v1/responses',
      raw: five,
    } as const;
    expect(await ask('gpt-5.4-mini', { model: openai })).not.toHaveProperty('cache');
  });

  test('is worked out where the settings say the price', async () => {
    const price = { inputUsd: 4, outputUsd: 6 };
    const models = { 'anthropic/claude-haiku-4-5': { price, batchFactor: null, contextTokens: null } };
    expect((await asking(hour, { settings: { models, providers } }))?.cache).toEqual({
      readUsdPerMtok: 4,
      writeUsdPerMtok: 8,
    });
  });

  const price: Price = {
    inputUsdPerMtok: 1,
    outputUsdPerMtok: 5,
    batchFactor: 0.5,
    longContext: null,
    pricesOf: 'x',
    cache: { readUsdPerMtok: 0.1, writeUsdPerMtok: 1.25 },
  };
  const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 800_000, cacheWriteTokens: 100_000 };

  test('multiplies with the discount for batches, and each token counts once', () => {
    expect(costUsd(usage, price)).toBeCloseTo((0.1 * 1 + 0.8 * 0.1 + 0.1 * 1.25) / 2, 12);
    expect(costUsd(usage, { ...price, cache: { readUsdPerMtok: 1, writeUsdPerMtok: 1 } })).toBeCloseTo(
      0.5,
      12,
    );
  });

  test('is that of other input in a price of an earlier version', () => {
    const { cache: _none, ...earlier } = price;
    expect(costUsd(usage, earlier)).toBe(0.5);
  });

  test('reserves what writing all of it would cost', () => {
    expect(ceilingUsd({ inputTokens: 1_000_000, outputTokens: 0 }, price)).toBe(0.625);
  });
});

describe('money', () => {
  const price: Price = {
    inputUsdPerMtok: 2,
    outputUsdPerMtok: 8,
    batchFactor: 0.5,
    longContext: null,
    pricesOf: 'settings',
  };

  test('is tokens times price times factor', () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 500_000 };
    expect(synchronousUsd(usage, price)).toBe(6);
    expect(costUsd(usage, price)).toBe(3);
  });

  const totals = { requests: 10, inputTokens: 1000, longRequests: 0, longInputTokens: 0 };

  test('expects half of the cap, or what earlier answers had, and never more than the cap', () => {
    const tokens = (expected: number | null) =>
      estimateOf(totals, { maxTokens: 100, expected }, price).outputTokens;
    expect([tokens(null), tokens(30), tokens(300)]).toEqual([500, 300, 1000]);
  });

  test('has a ceiling above the estimate', () => {
    const { usd, ceilingUsd } = estimateOf(totals, { maxTokens: 100, expected: 100 }, price);
    expect(usd).toBeCloseTo(0.005, 10);
    expect(ceilingUsd).toBeGreaterThan(usd ?? 0);
  });

  test('is unknown where the price is, and not zero', () => {
    expect(estimateOf(totals, { maxTokens: 100, expected: null }, null)).toMatchObject({
      usd: null,
      ceilingUsd: null,
      pricesOf: null,
    });
  });

  test('of long requests is at their own price', () => {
    const longContext = { aboveTokens: 500, inputUsdPerMtok: 4, outputUsdPerMtok: 12 };
    const long = { requests: 2, inputTokens: 1100, longRequests: 1, longInputTokens: 1000 };
    const { usd } = estimateOf(long, { maxTokens: 10, expected: 10 }, { ...price, longContext });
    expect(usd).toBeCloseTo((100 * 2 + 10 * 8 + 1000 * 4 + 10 * 12) / 2e6, 12);
  });
});
