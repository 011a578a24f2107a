import { closeSync, openSync, writeSync } from 'node:fs';

const BLOCK_BYTES = 1 << 20;

/** Writes lines to a new file in large blocks. Synchronous: a block takes a few milliseconds. */
export interface BlockWriter {
  /** @returns the bytes that `piece` takes. */
  write(piece: string | Buffer): number;
  close(): void;
}

export function openBlockWriter(path: string): BlockWriter {
  const file = openSync(path, 'w');
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let used = 0;

  function flush(): void {
    writeAll(file, block.subarray(0, used));
    used = 0;
  }

  function copy(piece: string | Buffer): number {
    return typeof piece === 'string' ? block.write(piece, used) : piece.copy(block, used);
  }

  return {
    write(piece) {
      // UTF-8 takes at most three bytes per UTF-16 unit, so this many surely fit.
      const most = typeof piece === 'string' ? piece.length * 3 : piece.length;
      if (used + most > BLOCK_BYTES) flush();
      if (most > BLOCK_BYTES) return writeAll(file, typeof piece === 'string' ? Buffer.from(piece) : piece);
      const count = copy(piece);
      used += count;
      return count;
    },
    close() {
      flush();
      closeSync(file);
    },
  };
}

function writeAll(file: number, bytes: Buffer): number {
  let done = 0;
  while (done < bytes.length) done += writeSync(file, bytes, done);
  return done;
}
