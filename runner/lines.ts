import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLOCK_BYTES = 1 << 20;

/** One record of a line file: its bytes (a view, valid until the next is asked for) and its 1-based number. */
export interface Line {
  readonly bytes: Buffer;
  readonly number: number;
}

/**
 * Splits on byte 0x0A alone, strips one 0x0D before it, passes over empty lines (their numbers still count).
 * U+2028, U+2029 and a bare CR are ordinary characters inside a record: readers that split there lose answers
 * (nodejs/node#62785). Memory is one block plus the longest line.
 */
export function* linesOfFile(path: string): Generator<Line> {
  const file = openSync(path, 'r');
  try {
    yield* linesOfBlocks(blocksOf(file));
  } finally {
    closeSync(file);
  }
}

/** The same over a stream, for compressed files. By a function and not a generator: waiting for each line costs 1 µs. */
export async function visitLines(stream: Readable, visit: (line: Line) => void): Promise<void> {
  const splitter = new LineSplitter();
  for await (const block of stream) {
    for (const line of splitter.push(block as Buffer)) visit(line);
  }
  for (const line of splitter.end()) visit(line);
}

/** The text of a record, or null where its bytes are not UTF-8. */
export function textOf(line: Line): string | null {
  return isUtf8(line.bytes) ? line.bytes.toString('utf8') : null;
}

function* blocksOf(file: number): Generator<Buffer> {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  for (;;) {
    const count = readSync(file, block, 0, BLOCK_BYTES, null);
    if (count === 0) return;
    yield block.subarray(0, count);
  }
}

function* linesOfBlocks(blocks: Iterable<Buffer>): Generator<Line> {
  const splitter = new LineSplitter();
  for (const block of blocks) yield* splitter.push(block);
  yield* splitter.end();
}

class LineSplitter {
  /** The pieces of a line that no block has ended yet; copies, since blocks are reused. */
  private begun: Buffer[] = [];
  private number = 0;

  *push(block: Buffer): Generator<Line> {
    let start = 0;
    for (;;) {
      const end = block.indexOf(LINE_FEED, start);
      if (end < 0) break;
      const line = this.take(block.subarray(start, end));
      if (line !== null) yield line;
      start = end + 1;
    }
    if (start < block.length) this.begun.push(Buffer.from(block.subarray(start)));
  }

  *end(): Generator<Line> {
    if (this.begun.length === 0) return;
    const line = this.take(Buffer.alloc(0));
    if (line !== null) yield line;
  }

  private take(rest: Buffer): Line | null {
    this.number += 1;
    const whole = this.begun.length === 0 ? rest : Buffer.concat([...this.begun, rest]);
    this.begun = [];
    const length = whole.at(-1) === CARRIAGE_RETURN ? whole.length - 1 : whole.length;
    return length === 0 ? null : { bytes: whole.subarray(0, length), number: this.number };
  }
}
