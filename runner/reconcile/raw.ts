import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { digestOfFile } from '../files.ts';
import type { Digest } from '../ids.ts';
import type { RawFile } from '../journal/events.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import type { Provider } from '../provider/port.ts';
import type { Store } from '../store/port.ts';

/**
 * Brings one remote file into the store as it is, compressed. A second download of the same bytes puts
 * nothing new.
 * @throws DownloadFailed where the bytes could not be had whole: the batch stays collectable.
 */
export async function keepRaw(
  provider: Provider,
  store: Store,
  remote: { readonly kind: RawFile['kind']; readonly id: string },
  folder: string,
  work: string,
): Promise<RawFile> {
  const path = join(work, `${remote.kind}.jsonl`);
  const got = await provider.download(remote.id, path);
  if (got.kind === 'failed') throw new DownloadFailed(remote.id, got.error.message);
  const lines = await countLines(path);
  const packed = `${path}.zst`;
  await compress(path, packed);
  const digest = got.value.digest as Digest;
  const stored = await putFile(store, (name) => `${folder}/raw-${remote.kind}-${name}.jsonl.zst`, packed);
  return { kind: remote.kind, remoteId: remote.id, stored, digest, bytes: got.value.bytes, lines };
}

export class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed';

  constructor(remoteId: string, why: string) {
    super(`${remoteId} could not be downloaded whole: ${why}`);
  }
}

/**
 * Puts a local file and proves that the store has these bytes under that name. The name holds their digest: a pass
 * that died before its journal entry may have left other bytes for the same purpose.
 */
export async function putFile(
  store: Store,
  nameOf: (digest: string) => string,
  path: string,
): Promise<StoredFile> {
  const ours = await digestOfFile(path);
  const name = nameOf(ours.digest.slice(0, 16));
  await store.putIfAbsent(name, { path });
  const kept = await store.get(name);
  if (kept === null) throw new Error(`the store took ${name} and does not have it`);
  const theirs = await digestOfFile(kept);
  if (theirs.digest !== ours.digest) throw new Error(`the store holds other bytes under ${name}`);
  return { name, ...ours };
}

/** Level 1: half a gigabyte a second, and answers shrink to a sixth all the same. */
async function compress(from: string, to: string): Promise<void> {
  const packer = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  await pipeline(createReadStream(from, { highWaterMark: 1 << 20 }), packer, createWriteStream(to));
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  let last = 0x0a;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const block = chunk as Buffer;
    for (let at = block.indexOf(0x0a); at >= 0; at = block.indexOf(0x0a, at + 1)) lines += 1;
    last = block.at(-1) ?? last;
  }
  return last === 0x0a ? lines : lines + 1;
}
