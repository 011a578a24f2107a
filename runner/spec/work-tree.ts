import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isCode } from '../files.ts';
import { digestOf } from '../ids.ts';
import type { TextFile } from './job.ts';
import { type ReadText, readSourceText, type SourceText } from './source-text.ts';

/** The text files of a repository: each is read once, however many jobs use it. */
export interface WorkTree {
  readonly root: string;
  /** Paths below a folder of the root, sorted, without hidden files; empty where the folder is absent. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  readonly read: (file: string) => Promise<ReadText>;
}

export function workTree(root: string): WorkTree {
  const texts = new Map<string, Promise<ReadText>>();
  const lists = new Map<string, Promise<readonly string[]>>();
  return {
    root,
    list: (folder) => remembered(lists, folder, () => filesIn(root, folder)),
    read: (file) => remembered(texts, file, () => readSourceText(root, file)),
  };
}

/**
 * A text as jobs carry it. The digest counts CRLF as LF: a checkout on Windows is the same prompt, and must not be
 * a new run.
 */
export function textFile(source: SourceText): TextFile {
  return { path: source.file, text: source.text, digest: digestOf(source.text.replaceAll('\r\n', '\n')) };
}

function remembered<Value>(
  known: Map<string, Promise<Value>>,
  name: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = known.get(name) ?? make();
  known.set(name, value);
  return value;
}

/** Folders that are links are not entered: they could lead anywhere, and round in circles. */
async function filesIn(root: string, folder: string): Promise<readonly string[]> {
  const from = join(root, folder);
  try {
    const entries = await readdir(from, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => relative(from, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .filter((path) => !path.split('/').some((step) => step.startsWith('.')))
      .sort();
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}
