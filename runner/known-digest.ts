import { statSync } from 'node:fs';
import { digestOfFile } from './files.ts';
import type { Digest } from './ids.ts';

interface Known {
  readonly stamp: string;
  readonly digest: Digest;
  readonly bytes: number;
}

const known = new Map<string, Known>();
/** More files than that are read again: a process that runs for weeks must not grow. */
const MOST_KNOWN = 20_000;

/**
 * The digest of a file that a pass asks for again and again: read once, and again when the file is another one. Device,
 * inode, size and both times tell; the time of change cannot be set back by the tools that set the other.
 */
export async function knownDigest(
  path: string,
): Promise<{ readonly digest: Digest; readonly bytes: number }> {
  const before = stampOf(path);
  const found = known.get(path);
  if (found?.stamp === before.text) return { digest: found.digest, bytes: found.bytes };
  const { digest, bytes } = await digestOfFile(path);
  const after = stampOf(path);
  known.delete(path);
  if (before.text === after.text && before.isOld) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(path, { stamp: after.text, digest, bytes });
  }
  return { digest, bytes };
}

/**
 * Two changes within one tick of a file system's clock look like one, so that a file is remembered only if it was at
 * rest for longer than that before it was read. File systems that count nanoseconds tick with the kernel, every 10 ms
 * at the longest; old ones count whole seconds, or two.
 */
const FINE_TICK_MS = 50;
const COARSE_TICK_MS = 2_500;

/** Synchronous: a job may read hundreds of small files, and each trip to the thread pool takes 0.1 ms. */
function stampOf(path: string): { readonly text: string; readonly isOld: boolean } {
  const now = Date.now();
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  const isFine = ctimeNs % 1_000_000n !== 0n;
  const restedMs = now - Number(ctimeNs / 1_000_000n);
  return {
    text: `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`,
    isOld: restedMs > (isFine ? FINE_TICK_MS : COARSE_TICK_MS),
  };
}
