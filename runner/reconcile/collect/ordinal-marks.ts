import type { OrdinalRange } from '../../journal/events.ts';

/** Which ordinals of an intent have been seen. */
export interface Marks {
  /** True for the ordinals of the intent, seen or not. */
  has(ordinal: number): boolean;
  /** True at the first call for an ordinal. */
  see(ordinal: number): boolean;
  unseen(): Generator<number>;
}

/** A byte for each ordinal between the first and the last: 1 MB for a retry scattered over a million rows. */
export function marksOf(ranges: readonly OrdinalRange[]): Marks {
  const first = ranges.reduce((least, [from]) => Math.min(least, from), Number.MAX_SAFE_INTEGER);
  const last = ranges.reduce((most, [, to]) => Math.max(most, to), first - 1);
  const bytes = new Uint8Array(last - first + 1);
  for (const [from, to] of ranges) bytes.fill(EXPECTED, from - first, to - first + 1);
  return {
    has: (ordinal) => (bytes[ordinal - first] ?? 0) !== 0,
    see(ordinal) {
      const isNew = bytes[ordinal - first] === EXPECTED;
      bytes[ordinal - first] = SEEN;
      return isNew;
    },
    *unseen() {
      for (let at = bytes.indexOf(EXPECTED); at >= 0; at = bytes.indexOf(EXPECTED, at + 1)) yield first + at;
    },
  };
}

const EXPECTED = 1;
const SEEN = 2;
