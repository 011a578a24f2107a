import { createHash } from 'node:crypto';

/** Gives ids that nobody can guess from each other, the same in each life of a fake with the same seed. */
export type Ids = {
  /** A new id: a prefix and so many characters of a-z and 0-9. */
  next(prefix: string, length: number): string;
};

/** Makes a source of ids. */
export function createIds(seed: number): Ids {
  let count = 0;
  return {
    next(prefix, length) {
      count += 1;
      return `${prefix}${drawLetters(`${seed}/${count}`, length)}`;
    },
  };
}

/** The same items in an order that depends on the seed alone. */
export function shuffle<T>(items: readonly T[], seed: string): T[] {
  return items
    .map((item, index) => ({ item, rank: createHash('sha256').update(`${seed}/${index}`).digest('hex') }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ item }) => item);
}

function drawLetters(source: string, length: number): string {
  const digest = createHash('sha512').update(source).digest();
  return Array.from({ length }, (_, index) => ((digest[index] ?? 0) % 36).toString(36)).join('');
}
