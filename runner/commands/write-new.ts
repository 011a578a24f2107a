import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isCode, named } from '../files.ts';

/**
 * Writes a file that is not there yet, or nothing: half a job file would be a job that nobody can read.
 * @throws an error with code `EEXIST` where it is there: nothing is written over
 */
export async function writeNew(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await named(path, () => writeFile(path, text, { flag: 'wx' }));
  } catch (error) {
    if (!isCode(error, 'EEXIST')) await rm(path, { force: true });
    throw error;
  }
}

/** Writes several, or none: whoever tries again must not meet what the first try has left. @throws as `writeNew` */
export async function writeAllNew(files: readonly (readonly [path: string, text: string])[]): Promise<void> {
  const written: string[] = [];
  try {
    for (const [path, text] of files) {
      await writeNew(path, text);
      written.push(path);
    }
  } catch (error) {
    for (const path of written) await rm(path, { force: true });
    throw error;
  }
}
