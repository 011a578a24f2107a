import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { effect } from './effects.ts';
import type { Digest } from './ids.ts';

/** Writes the file whole or not at all, durable when it returns; an older file of that name is replaced. */
export async function writeWhole(path: string, bytes: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = temporaryBeside(path);
  await writeSynced(temporary, bytes);
  await moveInPlace(temporary, path);
}

/** The same for a file that something else wrote: sync, rename, sync of the folder. */
export async function moveInPlace(from: string, path: string): Promise<void> {
  await syncFile(from);
  effect('file.rename', path);
  await rename(from, path);
  await syncFolder(dirname(path));
}

/** As `writeWhole`, but a file whose bytes would not change is left alone. True where it was written. */
export async function writeIfChanged(path: string, text: string): Promise<boolean> {
  if ((await readTextOrNull(path)) === text) return false;
  await writeWhole(path, text);
  return true;
}

/** Creates the file unless the name is taken; the name never shows part of the bytes. */
export async function createExclusively(
  path: string,
  write: (temporary: string) => Promise<void>,
): Promise<'put' | 'exists'> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = temporaryBeside(path);
  try {
    await write(temporary);
    await syncFile(temporary);
    effect('file.link', path);
    // `link` fails where the name exists; `rename` would replace it in silence.
    await link(temporary, path);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return 'exists';
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(path));
  return 'put';
}

export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
}

export async function writeSynced(path: string, bytes: string | Uint8Array): Promise<void> {
  effect('file.write', path);
  const handle = await open(path, 'w');
  try {
    await named(path, async () => {
      await handle.writeFile(bytes);
      await handle.sync();
    });
  } finally {
    await handle.close();
  }
}

/** A write to an open file does not say to which one it failed, and a full disk is looked for by a path. */
export async function named<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isOsError(error)) error.path ??= path;
    throw error;
  }
}

export async function syncFile(path: string): Promise<void> {
  effect('file.sync', path);
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A rename is only durable once its folder is. */
export async function syncFolder(path: string): Promise<void> {
  effect('folder.sync', path);
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Read into one buffer again and again: a fresh one for each piece would keep the garbage collector busy. */
export async function digestOfFile(
  path: string,
): Promise<{ readonly digest: Digest; readonly bytes: number }> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  const handle = await open(path, 'r');
  try {
    for (let bytes = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES, null);
      if (bytesRead === 0) return { digest: hash.digest('hex') as Digest, bytes };
      hash.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

const PIECE_BYTES = 1 << 19;

export async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Null where there is no such file. */
export async function readTextOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** The operating system said no: no right, no room, no such place. */
export function isOsError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
