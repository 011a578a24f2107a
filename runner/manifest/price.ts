import type { Instant } from '../ids.ts';
import type { Usage } from '../outcome/outcome.ts';
import type { ModelSpec } from '../spec/job.ts';
import { endpointFacts, kindOf, PROFILES, PROVIDER_KINDS } from '../spec/profiles.ts';
import type { Settings } from '../spec/settings.ts';
import { type CachePrice, cachePriceOf, type ListedCachePrice } from './cache-price.ts';

/** What a model costs. USD per million tokens at the synchronous price. */
export interface Price {
  readonly inputUsdPerMtok: number;
  readonly outputUsdPerMtok: number;
  /** The batch price as a share of the synchronous one. */
  readonly batchFactor: number;
  /** Requests with more input than `aboveTokens` cost more; null where the model has one price for all. */
  readonly longContext: LongContextPrice | null;
  /** Absent where cached input costs what other input does, and in journals of earlier versions. */
  readonly cache?: CachePrice;
  /** Where the price is from: the day of the package's data, or `settings`. */
  readonly pricesOf: string;
}

export interface LongContextPrice {
  readonly aboveTokens: number;
  readonly inputUsdPerMtok: number;
  readonly outputUsdPerMtok: number;
}

export interface PriceQuestion {
  readonly model: Pick<ModelSpec, 'provider' | 'name' | 'endpoint'> & Partial<Pick<ModelSpec, 'raw'>>;
  readonly settings: Pick<Settings, 'models' | 'providers'>;
  /** From the provider's profile; the settings may say another. */
  readonly batchFactor: number;
  readonly now: Instant;
}

/**
 * The price of a model: the settings' own, else the price package's. Null where neither knows it: an unknown price
 * is never zero and never that of a similar model (a fallback once showed $1,856 as $109).
 */
export async function priceOf(question: PriceQuestion): Promise<Price | null> {
  const { model, settings } = question;
  const own = settings.models[`${model.provider}/${model.name}`];
  const batchFactor = own?.batchFactor ?? question.batchFactor;
  if (own?.price) {
    const { inputUsd, outputUsd } = own.price;
    const prices = { inputUsdPerMtok: inputUsd, outputUsdPerMtok: outputUsd, longContext: null };
    return { ...prices, ...cacheOf(question, inputUsd, {}), batchFactor, pricesOf: 'settings' };
  }
  const packageId = packageProviderOf(model.provider, settings);
  if (packageId === null) return null;
  const { billed } = endpointFacts(kindOf(model.provider, settings), model.endpoint) ?? {};
  if (billed === 'nothing') return { ...FREE, batchFactor, pricesOf: PRICE_DATA_DAY };
  const listed = await listedPrice(packageId, model.name, question.now, billed === 'input');
  if (listed === null) return null;
  const { cacheListed, ...price } = listed;
  return { ...price, ...cacheOf(question, price.inputUsdPerMtok, cacheListed), batchFactor };
}

/** Nothing where the provider does not grant both discounts at once: cached input then counts as input. */
function cacheOf(
  { model, settings }: PriceQuestion,
  inputUsdPerMtok: number,
  listed: ListedCachePrice,
): Pick<Price, 'cache'> {
  if (!PROFILES[kindOf(model.provider, settings)].cacheStacks) return {};
  const cache = cachePriceOf(model.raw ?? {}, inputUsdPerMtok, listed);
  return cache === null ? {} : { cache };
}

/** Tokens as they are billed. Without the parts nothing was cached. */
export type BilledUsage = Pick<Usage, 'inputTokens' | 'outputTokens'> &
  Partial<Pick<Usage, 'cachedTokens' | 'cacheWriteTokens'>>;

/** The price of requests that are answered at once; null stays unknown. */
export function atOnce(price: Price | null): Price | null {
  return price === null ? null : { ...price, batchFactor: 1 };
}

/** The batch price of usage. */
export function costUsd(usage: BilledUsage, price: Price): number {
  return synchronousUsd(usage, price) * price.batchFactor;
}

/** The most that these tokens can cost: all input may be written to the cache, which is dearer than to read it. */
export function ceilingUsd(usage: Pick<Usage, 'inputTokens' | 'outputTokens'>, price: Price): number {
  return Math.max(costUsd(usage, price), costUsd({ ...usage, cacheWriteTokens: usage.inputTokens }, price));
}

/** The same work at the synchronous price. */
export function synchronousUsd(
  usage: BilledUsage,
  price: Pick<Price, 'inputUsdPerMtok' | 'outputUsdPerMtok' | 'cache'>,
): number {
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  const output = outputTokens * price.outputUsdPerMtok;
  if (price.cache === undefined) return (inputTokens * price.inputUsdPerMtok + output) / 1_000_000;
  const plain = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const { readUsdPerMtok, writeUsdPerMtok } = price.cache;
  const cached = cachedTokens * readUsdPerMtok + cacheWriteTokens * writeUsdPerMtok;
  return (plain * price.inputUsdPerMtok + cached + output) / 1_000_000;
}

/**
 * The provider's name in the price package. A provider behind a base URL of its own is somebody else's server with
 * the same interface: its prices are not the vendor's. The emulator keeps the vendor's, so that a rehearsal shows
 * real figures.
 */
function packageProviderOf(name: string, settings: PriceQuestion['settings']): string | null {
  const provider = settings.providers[name];
  if (provider === undefined) {
    const kind = PROVIDER_KINDS.find((each) => each === name);
    return kind === undefined ? null : PROFILES[kind].priceProvider;
  }
  const { kind, baseUrl, emulator } = provider;
  const isVendor = baseUrl === null || emulator || PROFILES[kind].vendorUrl.test(baseUrl);
  return isVendor ? PROFILES[kind].priceProvider : null;
}

/** What a vendor gives away; the package lists such models without any price. */
const FREE = { inputUsdPerMtok: 0, outputUsdPerMtok: 0, longContext: null };

type Listed = Omit<Price, 'batchFactor' | 'cache'> & { readonly cacheListed: ListedCachePrice };

/** @param inputOnly true: there is no output, so that a price for it is neither listed nor needed */
async function listedPrice(
  provider: string,
  model: string,
  now: Instant,
  inputOnly: boolean,
): Promise<Listed | null> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, model, {
    providerId: provider,
    timestamp: new Date(now),
  });
  if (found === null || found.provider.id !== provider) return null;
  const input = tiersOf(found.model_price.input_mtok);
  const output = tiersOf(found.model_price.output_mtok ?? (inputOnly ? 0 : undefined));
  if (input === null || output === null) return null;
  return {
    inputUsdPerMtok: input.base,
    outputUsdPerMtok: output.base,
    longContext: longContextOf(input, output),
    cacheListed: found.model_price,
    pricesOf: PRICE_DATA_DAY,
  };
}

/**
 * The day on which the installed price package (0.1.8) was published; the package itself carries no date.
 * `price.test.ts` fails when the version moves and this does not.
 */
export const PRICE_DATA_VERSION = '0.1.8';
const PRICE_DATA_DAY = '2026-09-23';

interface Tiers {
  readonly base: number;
  readonly above: { readonly start: number; readonly price: number } | null;
}

/** The dearest tier stands for all above the first: too high an estimate is the safe side. */
function tiersOf(price: number | { base: number; tiers: { start: number; price: number }[] } | undefined) {
  if (price === undefined) return null;
  if (typeof price === 'number') return { base: price, above: null } satisfies Tiers;
  const [first] = price.tiers;
  if (first === undefined) return { base: price.base, above: null } satisfies Tiers;
  const dearest = Math.max(...price.tiers.map((tier) => tier.price));
  return { base: price.base, above: { start: first.start, price: dearest } } satisfies Tiers;
}

function longContextOf(input: Tiers, output: Tiers): LongContextPrice | null {
  const starts = [input.above?.start, output.above?.start].filter((start) => start !== undefined);
  if (starts.length === 0) return null;
  return {
    aboveTokens: Math.min(...starts),
    inputUsdPerMtok: input.above?.price ?? input.base,
    outputUsdPerMtok: output.above?.price ?? output.base,
  };
}
