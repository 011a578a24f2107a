import type { Json, JsonObject } from '../ids.ts';

/** What cached input costs where it has a price of its own. USD per million tokens at the synchronous price. */
export interface CachePrice {
  readonly readUsdPerMtok: number;
  readonly writeUsdPerMtok: number;
}

/** As the price package lists them; absent where it lists none. Tiers are taken at their dearest. */
export interface ListedCachePrice {
  readonly cache_read_mtok?: TieredPrice | undefined;
  readonly cache_write_mtok?: TieredPrice | undefined;
  readonly cache_write_1h_mtok?: TieredPrice | undefined;
}

type TieredPrice = number | { readonly base: number; readonly tiers: readonly { readonly price: number }[] };

/** Anthropic prompt caching guide, "Pricing": what a write costs as a share of other input, by how long it is kept. */
const WRITE_FACTORS = { fiveMinutes: 1.25, hour: 2 } as const;

/**
 * The prices of a request that asks for the cache; null where it does not, so that none of its tokens is cached. Only
 * `model.raw` can ask. Usage does not say which writes are kept for an hour: where one may be, all are priced so.
 */
export function cachePriceOf(
  raw: JsonObject,
  inputUsdPerMtok: number,
  listed: ListedCachePrice,
): CachePrice | null {
  if (!holds(raw, 'cache_control', isSomething)) return null;
  const isHour = holds(raw, 'ttl', (value) => value === '1h');
  const write = dearest(isHour ? listed.cache_write_1h_mtok : listed.cache_write_mtok);
  const factor = isHour ? WRITE_FACTORS.hour : WRITE_FACTORS.fiveMinutes;
  return {
    readUsdPerMtok: dearest(listed.cache_read_mtok) ?? inputUsdPerMtok,
    writeUsdPerMtok: write ?? inputUsdPerMtok * factor,
  };
}

function dearest(price: TieredPrice | undefined): number | null {
  if (price === undefined) return null;
  if (typeof price === 'number') return price;
  return Math.max(price.base, ...price.tiers.map((tier) => tier.price));
}

function isSomething(value: Json): boolean {
  return value !== null;
}

/** True where a field of this name stands anywhere inside, with such a value. */
function holds(value: Json, name: string, fits: (value: Json) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((each) => holds(each, name, fits));
  return Object.entries(value).some(
    ([key, inner]) => (key === name && fits(inner)) || holds(inner, name, fits),
  );
}
