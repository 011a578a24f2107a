import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** Where a row stands in a file of rows. */
export interface RowPlace {
  readonly ordinal: number;
  readonly start: number;
  readonly bytes: number;
}

const SLAB_BYTES = 1 << 20;

/** Copies the rows in the order of their ordinals. Memory is a slab, or the longest row. */
export function copyInOrder(from: string, to: string, places: readonly RowPlace[]): void {
  const source = openSync(from, 'r');
  const target = openSync(to, 'w');
  try {
    for (const batch of slabsOf(places.toSorted((a, b) => a.ordinal - b.ordinal)))
      writeRows(source, target, batch);
  } finally {
    closeSync(target);
    closeSync(source);
  }
}

/** Rows that together fit in a slab, or one that does not. */
function* slabsOf(places: readonly RowPlace[]): Generator<readonly RowPlace[]> {
  let batch: RowPlace[] = [];
  let bytes = 0;
  for (const place of places) {
    if (bytes + place.bytes > SLAB_BYTES && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(place);
    bytes += place.bytes;
  }
  yield batch;
}

function writeRows(source: number, target: number, places: readonly RowPlace[]): void {
  const slab = Buffer.allocUnsafe(places.reduce((sum, { bytes }) => sum + bytes, 0));
  let used = 0;
  for (const { start, bytes } of places) {
    for (let read = 0; read < bytes; ) {
      const count = readSync(source, slab, used + read, bytes - read, start + read);
      if (count === 0) throw new Error(`the file of rows ends before ${start + bytes}`);
      read += count;
    }
    used += bytes;
  }
  // `writeSync` may write less than it was given.
  for (let done = 0; done < used; ) done += writeSync(target, slab, done, used - done);
}
