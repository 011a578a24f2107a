import { type FileHandle, open } from 'node:fs/promises';
import { ReadableStream } from 'node:stream/web';

/** A file as part of a request's body. */
export interface FileBody {
  readonly path: string;
  readonly bytes: number;
  readonly before: Buffer;
  readonly after: Buffer;
  /** What to make of each piece before it is sent; as long as it was. */
  change?(piece: Buffer): void;
}

/** The length of the whole body, for servers that refuse one in chunks. */
export function bodyBytes({ bytes, before, after }: FileBody): number {
  return before.length + bytes + after.length;
}

/**
 * Hands `send` a body that is read while it is sent: no more than a piece of the file is in memory. The file is closed
 * when `send` is through.
 */
export async function withFileBody<Value>(
  body: FileBody,
  send: (stream: ReadableStream<Uint8Array>) => Promise<Value>,
): Promise<Value> {
  const handle = await open(body.path, 'r');
  try {
    return await send(streamOf(body, handle));
  } finally {
    await handle.close();
  }
}

/** Larger pieces cost memory, and the socket holds several; smaller ones cost time. */
const PIECE_BYTES = 1 << 18;

function streamOf(body: FileBody, handle: FileHandle): ReadableStream<Uint8Array> {
  const pieces = piecesOf(body, handle);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Fresh memory for each piece: the socket may still hold the one before. */
async function* piecesOf(
  { path, bytes, before, after, change }: FileBody,
  handle: FileHandle,
): AsyncGenerator<Buffer> {
  yield before;
  for (let sent = 0; sent < bytes; ) {
    const block = Buffer.allocUnsafeSlow(PIECE_BYTES);
    const { bytesRead } = await handle.read(block, 0, Math.min(PIECE_BYTES, bytes - sent), sent);
    if (bytesRead === 0) throw new Error(`${path} ends after ${sent} of ${bytes} bytes`);
    sent += bytesRead;
    const piece = block.subarray(0, bytesRead);
    change?.(piece);
    yield piece;
  }
  yield after;
}
