import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { isCode } from '../files.ts';
import type { Note } from './source-text.ts';

/** Where a job may read and write: the repository, and folders that the settings allow besides. */
export interface Roots {
  readonly root: string;
  readonly allowedRoots: readonly string[];
}

/**
 * Null where a path of a spec may be used, else why not. Links count as what they point at; of a glob, the part
 * before the first wildcard counts (the source layer checks each file that it matches).
 */
export async function pathNote(path: string, roots: Roots): Promise<Note | null> {
  const form = formNote(path);
  if (form !== null) return form;
  const absolute = resolve(roots.root, fixedPart(path));
  const real = await realOf(absolute);
  for (const folder of [roots.root, ...roots.allowedRoots]) {
    if (isWithin(real, await realOf(folder)))
      return hiddenNote(path, relative(await realOf(roots.root), real));
  }
  return outside(path, absolute === real ? null : real);
}

function formNote(path: string): Note | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(path)) return CONTROL;
  if (path.includes('\\')) return BACKSLASH;
  return path.startsWith('~') ? { ...outside(path, null), hint: 'Write the path from the root.' } : null;
}

const CONTROL: Note = {
  code: 'wrong-path',
  message: 'The path holds a control character; in double quotes `\\t` is a tab.',
  hint: 'Use single quotes, or forward slashes.',
};

const BACKSLASH: Note = {
  code: 'wrong-path',
  message: 'Paths have forward slashes on every machine.',
  hint: 'Write `data/tickets.csv`.',
};

/** The folder or file that stands before the first wildcard. */
function fixedPart(path: string): string {
  const wild = path.search(/[*?[{]/);
  return wild < 0 ? path : path.slice(0, path.lastIndexOf('/', wild) + 1) || '.';
}

/** The real path of what is there, and of the nearest folder above for what is not there yet. */
async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const above = dirname(path);
    if (!isCode(error, 'ENOENT') && !isCode(error, 'ENOTDIR')) throw error;
    return above === path ? path : resolve(await realOf(above), relative(above, path));
  }
}

function isWithin(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from === '' || (from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from));
}

/** What git and secrets live in is no data, wherever it stands. */
function hiddenNote(path: string, real: string): Note | null {
  const steps = [...path.split('/'), ...real.split(sep)];
  if (!steps.some((step) => step === '.git' || /^\.env($|\.)/.test(step))) return null;
  return { code: 'wrong-path', message: `\`${path}\` is not for jobs: .git and .env hold no rows.` };
}

function outside(path: string, real: string | null): Note {
  return {
    code: 'outside-repository',
    message: `\`${path}\` ${real === null ? 'is' : `is a link to ${real},`} outside of the repository.`,
    hint: 'Move the file into it, or list its folder under `policy.allowed_roots` in batchwright.yaml.',
  };
}
