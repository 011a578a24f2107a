import type { OrdinalRange } from '../../journal/events.ts';

/** What has been read of each ordinal of an intent. */
export interface Marks {
  /** True for the ordinals of the intent, read or not. */
  has(ordinal: number): boolean;
  /** Notes that a file of the last look names it. */
  name(ordinal: number): void;
  /** How many of them such files name. */
  readonly named: number;
  /**
   * A line of it that can be read, in the `download`-th bringing of files. `first`: it counts. `again`: the same bringing
   * had one already. `later`: an earlier one had, and stays.
   */
  read(ordinal: number, download: number): 'first' | 'again' | 'later';
  /** A line of it that cannot be read; it counts only where no other does. `cause` up to 250. */
  spoil(ordinal: number, cause: number): void;
  /** Ordinals that only unreadable lines name, with the cause of the first. */
  spoiled(): Generator<readonly [ordinal: number, cause: number]>;
  /** Ordinals that no line names. */
  unseen(): Generator<number>;
}

/** Three bytes for each ordinal between the first and the last: 3 MB for a retry scattered over a million rows. */
export function marksOf(ranges: readonly OrdinalRange[]): Marks {
  const first = ranges.reduce((least, [from]) => Math.min(least, from), Number.MAX_SAFE_INTEGER);
  const last = ranges.reduce((most, [, to]) => Math.max(most, to), first - 1);
  const states = new Uint8Array(last - first + 1);
  const downloads = new Uint8Array(states.length);
  const names = new Uint8Array(states.length);
  for (const [from, to] of ranges) states.fill(EXPECTED, from - first, to - first + 1);
  let named = 0;
  return {
    has: (ordinal) => (states[ordinal - first] ?? 0) !== 0,
    name(ordinal) {
      if (names[ordinal - first] === 0) named += 1;
      names[ordinal - first] = 1;
    },
    get named() {
      return named;
    },
    read(ordinal, download) {
      const at = ordinal - first;
      if (states[at] === READ) return downloads[at] === (download & 0xff) ? 'again' : 'later';
      states[at] = READ;
      downloads[at] = download & 0xff;
      return 'first';
    },
    spoil(ordinal, cause) {
      if (states[ordinal - first] === EXPECTED) states[ordinal - first] = FIRST_CAUSE + cause;
    },
    *spoiled() {
      for (const [at, state] of states.entries())
        if (state >= FIRST_CAUSE && state < READ) yield [first + at, state - FIRST_CAUSE] as const;
    },
    *unseen() {
      for (let at = states.indexOf(EXPECTED); at >= 0; at = states.indexOf(EXPECTED, at + 1))
        yield first + at;
    },
  };
}

const EXPECTED = 1;
/** From here on: unreadable, and why. */
const FIRST_CAUSE = 2;
const READ = 255;
