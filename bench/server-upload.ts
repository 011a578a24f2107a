import type { Readable } from 'node:stream';

/** The ids of an uploaded file's requests: each followed by a line feed. */
export interface RequestIds {
  readonly lines: readonly Buffer[];
  readonly count: number;
  /** Of the ids, without line feeds. */
  readonly bytes: number;
}

const LINE_FEED = 0x0a;
const START = Buffer.from('{"custom_id":"');
const QUOTE = 0x22;
/** Enough for the longest id; the rest of a line that two chunks share is not needed. */
const HEAD_BYTES = 256;
const BLOCK_BYTES = 1 << 16;

/**
 * Reads a multipart upload without parsing it as one: lines that start as a request are requests, and no line of the
 * multipart form does. Every contestant writes `custom_id` first.
 */
export async function requestIdsOf(body: Readable): Promise<RequestIds> {
  const ids = new IdBlocks();
  let begun: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    const block = chunk as Buffer;
    let start = 0;
    for (let end = block.indexOf(LINE_FEED); end >= 0; end = block.indexOf(LINE_FEED, start)) {
      const rest = block.subarray(start, Math.min(end, start + HEAD_BYTES));
      ids.addFrom(begun.length === 0 ? rest : Buffer.concat([begun, rest]));
      begun = Buffer.alloc(0);
      start = end + 1;
    }
    const left = block.subarray(start, start + HEAD_BYTES);
    if (left.length > 0 && begun.length < HEAD_BYTES) begun = Buffer.concat([begun, left]);
  }
  return ids.end();
}

class IdBlocks {
  private readonly full: Buffer[] = [];
  private block = Buffer.allocUnsafe(BLOCK_BYTES);
  private used = 0;
  private count = 0;
  private bytes = 0;

  addFrom(line: Buffer): void {
    if (!line.subarray(0, START.length).equals(START)) return;
    const end = line.indexOf(QUOTE, START.length);
    const length = end - START.length;
    if (this.used + length + 1 > BLOCK_BYTES) this.turn();
    line.copy(this.block, this.used, START.length, end);
    this.block[this.used + length] = LINE_FEED;
    this.used += length + 1;
    this.count += 1;
    this.bytes += length;
  }

  end(): RequestIds {
    this.turn();
    return { lines: this.full, count: this.count, bytes: this.bytes };
  }

  private turn(): void {
    this.full.push(Buffer.from(this.block.subarray(0, this.used)));
    this.used = 0;
  }
}
