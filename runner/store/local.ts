import { copyFile, link, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { effect } from '../effects.ts';
import { createExclusively, isCode, writeSynced } from '../files.ts';
import type { PutSource, Store } from './port.ts';

/**
 * The store as a folder. Exclusive creation by hard link is its put-if-absent: atomic on every local file system
 * and on NFS, which an exclusive `open` is not.
 */
export function localStore(folder: string): Store {
  function putIfAbsent(name: string, source: PutSource): Promise<'put' | 'exists'> {
    effect('store.put', name);
    return createExclusively(join(folder, name), (temporary) => fill(temporary, source));
  }

  return {
    kind: 'local',
    place: folder,
    async list(prefix) {
      const names = await namesBelow(folder, folderOf(prefix));
      return names.filter((name) => name.startsWith(prefix)).sort();
    },
    async get(name) {
      const path = join(folder, name);
      return (await isFile(path)) ? path : null;
    },
    putIfAbsent,
    async putInOrder(files) {
      for (const { name, source } of files) await putIfAbsent(name, source);
    },
    async dropRun(run) {
      effect('store.drop', run);
      // The run's page, which git has, lies beside its files.
      const names = (await namesBelow(folder, run)).filter((name) => !name.endsWith('.md'));
      for (const name of names) await rm(join(folder, name));
    },
  };
}

async function fill(temporary: string, source: PutSource): Promise<void> {
  if ('bytes' in source) return writeSynced(temporary, source.bytes);
  effect('file.write', temporary);
  await linkOrCopy(source.path, temporary);
}

/** A manifest of a million rows has 330 MB: on the file system of the store it is taken as it is. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    // Another file system, or one without links.
    await copyFile(from, to);
  }
}

/** `a/b/c-` lists the folder `a/b`: walking more than the prefix can hold would cost on large states. */
function folderOf(prefix: string): string {
  const end = prefix.lastIndexOf('/');
  return end < 0 ? '' : prefix.slice(0, end);
}

async function namesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await entriesOf(join(root, folder));
  const names: string[] = [];
  for (const entry of entries) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) names.push(...(await namesBelow(root, name)));
    // A name that begins with a dot is a file being written, or not ours.
    else if (!entry.name.startsWith('.')) names.push(name);
  }
  return names;
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return false;
    throw error;
  }
}
