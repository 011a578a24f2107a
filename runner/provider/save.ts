import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { effect } from '../effects.ts';
import { named } from '../files.ts';
import { UnreadableAnswer } from './call-errors.ts';

export interface Saved {
  readonly bytes: number;
  readonly digest: string;
  /** False for an empty file too. A file of lines that was cut mostly ends in the middle of one. */
  readonly endsWithLineFeed: boolean;
}

/**
 * Streams an answer's body to `path`. All bytes or none: downloads that stop early and pass for whole have lost people
 * thousands of answers (openai-python#2959). That the bytes are as many as were announced does not make them the file's:
 * a gateway's error page announces its own length. Whether they are is judged by what reads them.
 * @throws UnreadableAnswer where the body is not as long as it was announced
 */
export async function saveBody(path: string, answer: () => Promise<Response>): Promise<Saved> {
  effect('file.write', path);
  const file = await open(path, 'w');
  let whole = false;
  try {
    const response = await answer();
    const got = await named(path, () => copied(response, file));
    refuseShort(got.bytes, announcedBytes(response.headers));
    whole = true;
    return got;
  } finally {
    await file.close();
    if (!whole) await rm(path, { force: true });
  }
}

async function copied(answer: Response, file: FileHandle): Promise<Saved> {
  const hash = createHash('sha256');
  const writer = slabWriter(file);
  let last: number | undefined;
  for await (const chunk of answer.body ?? []) {
    hash.update(chunk);
    await writer.add(chunk);
    last = chunk.at(-1) ?? last;
  }
  const bytes = await writer.end();
  return { bytes, digest: hash.digest('hex'), endsWithLineFeed: last === LINE_FEED };
}

const LINE_FEED = 0x0a;

function refuseShort(bytes: number, expected: number | null): void {
  if (expected !== null && bytes < expected)
    throw new UnreadableAnswer(`the file ended after ${bytes} of ${expected} bytes`);
}

const SLAB_BYTES = 1 << 19;

/** Gathers what the network brings in small pieces: a write for each takes longer than its bytes do. */
function slabWriter(file: FileHandle) {
  const slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  let used = 0;
  let written = 0;

  async function flush(): Promise<void> {
    for (let from = 0; from < used; )
      from += (await file.write(slab, from, used - from, written + from)).bytesWritten;
    written += used;
    used = 0;
  }

  return {
    async add(chunk: Uint8Array): Promise<void> {
      for (let from = 0; from < chunk.length; ) {
        const piece = chunk.subarray(from, from + SLAB_BYTES - used);
        slab.set(piece, used);
        used += piece.length;
        from += piece.length;
        if (used === SLAB_BYTES) await flush();
      }
    },
    /** Gives the length of the file. */
    async end(): Promise<number> {
      await flush();
      return written;
    },
  };
}

function announcedBytes(headers: Headers): number | null {
  const encoding = headers.get('content-encoding') ?? 'identity';
  const length = headers.get('content-length');
  return length === null || encoding !== 'identity' ? null : Number(length);
}
