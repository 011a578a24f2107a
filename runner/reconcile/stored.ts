import { DamagedFiles } from '../errors.ts';
import { isOsError, sizeOf } from '../files.ts';
import { knownDigest } from '../known-digest.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import { count } from '../report/text.ts';
import type { Store } from '../store/port.ts';

/**
 * Where a file that the journal names can be read. Its size is looked at and its bytes are not: enough for a file that
 * something else proves, or that nothing is done upon.
 * @throws DamagedFiles where the store has no such file, or one of another size
 */
export async function storedPath(store: Store, file: StoredFile): Promise<string> {
  const path = await presentPath(store, file);
  const bytes = (await sizeOf(path)) ?? 0;
  if (bytes === file.bytes) return path;
  const differ = `instead of ${count(file.bytes)} there are ${count(bytes)} bytes in`;
  throw damaged(file, bytes < file.bytes ? 'is cut' : 'was changed', differ);
}

/** The same whatever its bytes are, for whoever compares them by itself. @throws DamagedFiles where it is gone */
export async function presentPath(store: Store, file: StoredFile): Promise<string> {
  const path = await store.get(file.name);
  if (path === null) throw damaged(file, 'is missing', 'the store has no');
  return path;
}

/**
 * The same for a file upon which money is spent, or from which an answer is taken: it is read through first, once a
 * process as long as it stays untouched. A Parquet file with another bit in it may well be read without a word.
 * @throws DamagedFiles where it is not as it was written
 */
export async function provenPath(store: Store, file: StoredFile): Promise<string> {
  const path = await storedPath(store, file);
  const { digest } = await knownDigest(path).catch((error: unknown) => {
    if (!isOsError(error) || !OF_ONE_FILE.has(error.code ?? '')) throw error;
    throw damaged(file, 'cannot be read', `the system says ${error.code} of`);
  });
  if (digest === file.digest) return path;
  throw damaged(file, 'was changed', 'other bytes than were written stand in');
}

/** What is wrong with one file alone; a full table of open files, say, is wrong with the machine. */
const OF_ONE_FILE: ReadonlySet<string> = new Set(['EIO', 'EACCES', 'EPERM', 'EISDIR']);

/** All of them. @throws DamagedFiles that names each which is not as it was written */
export async function proveFiles(store: Store, files: readonly StoredFile[]): Promise<void> {
  const found: string[] = [];
  for (const file of files) {
    try {
      await provenPath(store, file);
    } catch (error) {
      if (!(error instanceof DamagedFiles)) throw error;
      found.push(error.message);
    }
  }
  if (found.length > 0) throw new DamagedFiles(listed(found));
}

/** A whole run may be gone: three say enough, and `verify` names all. */
const MOST_NAMED = 3;

function listed(found: readonly string[]): string {
  const more = found.length - MOST_NAMED;
  return `${found.slice(0, MOST_NAMED).join('; ')}${more > 0 ? `; and ${count(more)} more` : ''}`;
}

function damaged({ name }: StoredFile, fate: string, what: string): DamagedFiles {
  return new DamagedFiles(`${partOf(name)} ${fate}: ${what} ${name}`);
}

/** What a file is to a person, by the form of its name: `<job>/runs/<run>/<part>-<digest>…`. */
function partOf(name: string): string {
  const [, run, part] = /\/runs\/(\d+)\/(manifest|recipe|raw|outcomes)-/.exec(name) ?? [];
  return run === undefined ? 'a stored file' : `run ${run}: ${PARTS[part ?? ''] ?? 'a file'}`;
}

const PARTS: Readonly<Record<string, string>> = {
  manifest: 'its manifest (rows and requests)',
  recipe: 'its recipe (prompts and schema)',
  raw: 'a raw file (answers as they came)',
  outcomes: 'an outcomes file (answers, row by row)',
};
