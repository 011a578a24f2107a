import type { Draw } from './seed.ts';

/** Items held back at most: enough to shuffle a small batch completely, little enough for any memory. */
const POOL_ITEMS = 2000;
const POOL_BYTES = 8 << 20;

export interface Shuffle<Item> {
  push(item: Item, bytes: number): void;
  end(): void;
}

/** Passes items on in another order with bounded memory: each new one takes the place of a random older one. */
export function createShuffle<Item>(draw: Draw, emit: (item: Item) => void): Shuffle<Item> {
  const pool: { readonly item: Item; readonly bytes: number }[] = [];
  let held = 0;

  function emitOne(): void {
    const at = draw.below(pool.length);
    const chosen = pool[at];
    const last = pool.pop();
    if (chosen === undefined || last === undefined) return;
    if (at < pool.length) pool[at] = last;
    held -= chosen.bytes;
    emit(chosen.item);
  }

  return {
    push(item, bytes) {
      pool.push({ item, bytes });
      held += bytes;
      while (pool.length > POOL_ITEMS || (held > POOL_BYTES && pool.length > 1)) emitOne();
    },
    end() {
      while (pool.length > 0) emitOne();
    },
  };
}
