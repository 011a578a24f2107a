import type { IntentState, RunState } from '../journal/state.ts';
import { atOnce, type Price } from '../manifest/price.ts';

/** What the requests of a shard cost: the batch price, or the synchronous one where they were asked at once. */
export function priceOfIntent({ via }: IntentState, { price }: RunState): Price | null {
  return via === 'live' ? atOnce(price) : price;
}
