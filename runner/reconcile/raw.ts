import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, type ZstdCompress } from 'node:zlib';
import { digestOfFile, named } from '../files.ts';
import type { Digest } from '../ids.ts';
import type { RawFile } from '../journal/events.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import type { Provider, ProviderError } from '../provider/port.ts';
import type { Store } from '../store/port.ts';

/**
 * Brings one remote file into the store as it is, compressed. A second download of the same bytes puts
 * nothing new.
 * @throws DownloadFailed where the bytes could not be had whole: the batch stays collectable.
 */
export async function keepRaw(
  provider: Provider,
  store: Store,
  remote: Remote,
  folder: string,
  work: string,
): Promise<RawFile> {
  const path = downloadPath(work, remote.kind);
  const got = await provider.download(remote.id, path);
  if (got.kind === 'failed') throw new DownloadFailed(remote.id, got.error);
  const { digest, bytes, endsWithLineFeed } = got.value;
  const proof = { listedBytes: await provider.fileSize(remote.id), endsWithLineFeed };
  return { ...(await keepBytes(store, remote, folder, path, { digest: digest as Digest, bytes })), ...proof };
}

type Remote = { readonly kind: RawFile['kind']; readonly id: string };

/** Brings a file of lines that we have written ourselves into the store, compressed. */
export async function keepLines(
  store: Store,
  remote: Remote,
  folder: string,
  path: string,
): Promise<RawFile> {
  const known = await digestOfFile(path);
  const kept = await keepBytes(store, remote, folder, path, known);
  return { ...kept, listedBytes: known.bytes, endsWithLineFeed: true };
}

async function keepBytes(
  store: Store,
  remote: Remote,
  folder: string,
  path: string,
  { digest, bytes }: FileProof,
): Promise<Omit<RawFile, 'listedBytes' | 'endsWithLineFeed'>> {
  const packed = `${path}.zst`;
  const lines = await pack(path, packed);
  const stored = await putFile(store, (name) => `${folder}/raw-${remote.kind}-${name}.jsonl.zst`, packed);
  return { kind: remote.kind, remoteId: remote.id, stored, digest, bytes, lines };
}

/** Where `keepRaw` leaves the bytes as they came. */
export function downloadPath(work: string, kind: RawFile['kind']): string {
  return join(work, `${kind}.jsonl`);
}

export class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed';

  readonly error: ProviderError;
  /** The provider says that there is no such file (any more). */
  readonly isGone: boolean;

  constructor(remoteId: string, error: ProviderError) {
    super(`${remoteId} could not be downloaded whole: ${error.message}`);
    this.error = error;
    this.isGone = error.status === 404;
  }
}

/**
 * Puts a local file, which is gone afterwards, and proves that the store has these bytes under that name. The name holds
 * their digest: a pass that died before its journal entry may have left other bytes for the same purpose.
 * @param known digest and size of the file, where they have been worked out already
 */
export async function putFile(
  store: Store,
  nameOf: (digest: string) => string,
  path: string,
  known: FileProof | null = null,
): Promise<StoredFile> {
  const ours = known ?? (await digestOfFile(path));
  const name = nameOf(ours.digest.slice(0, 16));
  await store.putIfAbsent(name, { path });
  // Whoever wrote to it now would write into the store, which may hold the same file under its name.
  await rm(path);
  const kept = await store.get(name);
  if (kept === null) throw new Error(`the store took ${name} and does not have it`);
  const theirs = await digestOfFile(kept);
  if (theirs.digest !== ours.digest) throw new Error(`the store holds other bytes under ${name}`);
  return { name, digest: ours.digest, bytes: ours.bytes };
}

type FileProof = Pick<StoredFile, 'digest' | 'bytes'>;

/**
 * Compresses a file of lines and counts them. Level 1: half a gigabyte a second, and answers shrink to a sixth all
 * the same.
 */
async function pack(from: string, to: string): Promise<number> {
  const packer = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  const [lines] = await named(to, () =>
    Promise.all([feed(from, packer), pipeline(packer, createWriteStream(to))]),
  );
  return lines;
}

const PIECE_BYTES = 1 << 19;

/** Gives the lines of the file. One buffer for all of it: the packer is done with it when it says so. */
async function feed(path: string, packer: ZstdCompress): Promise<number> {
  const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  const file = await open(path, 'r');
  try {
    let lines = 0;
    for (let last = LINE_FEED; ; ) {
      const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, null);
      if (bytesRead === 0) {
        packer.end();
        return last === LINE_FEED ? lines : lines + 1;
      }
      const piece = buffer.subarray(0, bytesRead);
      lines += lineFeedsIn(piece);
      last = piece[bytesRead - 1] ?? last;
      await written(packer, piece);
    }
  } catch (error) {
    packer.destroy(error as Error);
    throw error;
  } finally {
    await file.close();
  }
}

function written(packer: ZstdCompress, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    packer.write(piece, (error) => (error == null ? resolve() : reject(error)));
  });
}

const LINE_FEED = 0x0a;

function lineFeedsIn(block: Buffer): number {
  let count = 0;
  for (let at = block.indexOf(LINE_FEED); at >= 0; at = block.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}
