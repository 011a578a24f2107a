import { globSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Finding } from '../errors.ts';
import { UserError } from '../errors.ts';
import type { Digest } from '../ids.ts';
import { digestOf } from '../ids.ts';
import type { SourceFiles } from '../journal/events.ts';
import { knownDigest } from '../known-digest.ts';

/** Where a job's files may be: the repository, and the folders that the settings allow besides. */
export interface SourceRoots {
  readonly root: string;
  readonly allowedRoots: readonly string[];
}

export type SourceFormat = 'csv' | 'tsv' | 'json' | 'jsonl' | 'parquet';

export interface ResolvedFile {
  /** From the root with forward slashes; absolute where it is outside. */
  readonly path: string;
  readonly absolute: string;
  readonly format: SourceFormat;
  readonly compression: 'gz' | 'zst' | null;
}

/** The source files as they were at one moment. `digest` is over paths and digests, in the order of the paths. */
export interface SourceDigests extends SourceFiles {
  readonly list: readonly SourceFile[];
}

export interface SourceFile {
  readonly path: string;
  readonly digest: Digest;
  readonly bytes: number;
  /** Size, time of change and inode; tells cheaply whether the file is still the one that was digested. */
  readonly stamp: string;
}

/**
 * The files behind paths and globs: sorted by path, each once, all of one format, all inside the roots.
 * @throws UserError with every reason at once.
 */
export function resolveFiles(patterns: readonly string[], roots: SourceRoots): ResolvedFile[] {
  const findings: Finding[] = [];
  const paths = new Map<string, string>();
  const folders = realFolders(roots);
  for (const pattern of patterns) {
    const matches = matchesOf(pattern, roots.root);
    if (matches.length === 0) findings.push(nothingFound(pattern));
    for (const absolute of matches) {
      if (!isInside(absolute, folders)) findings.push(outside(pattern));
      else paths.set(pathFrom(roots.root, absolute), absolute);
    }
  }
  const sorted = [...paths].sort(([a], [b]) => (a < b ? -1 : 1));
  const files = sorted.map(([path, absolute]) => ({ path, absolute, ...formatOf(path) }));
  findings.push(...formatFindings(files));
  if (findings.length > 0) throw new UserError(findings);
  return files as ResolvedFile[];
}

/** @throws UserError as `resolveFiles`. */
export async function digestSources(
  input: { readonly files: readonly string[] },
  roots: SourceRoots,
): Promise<SourceDigests> {
  const list: SourceFile[] = [];
  for (const file of resolveFiles(input.files, roots)) {
    const stamp = stampOf(file.absolute);
    list.push({ path: file.path, ...(await knownDigest(file.absolute)), stamp });
  }
  const digest = digestOf(list.map((file) => `${file.path}\n${file.digest}\n`).join(''));
  const bytes = list.reduce((sum, file) => sum + file.bytes, 0);
  return { digest, files: list.length, bytes, list };
}

/**
 * Files that changed between digest and reading would give a run whose rows nobody can name again.
 * @throws UserError naming them.
 */
export function checkUnchanged(files: readonly ResolvedFile[], digests: SourceDigests): void {
  const now = files.map((file) => `${file.path} ${stampOf(file.absolute)}`);
  const then = digests.list.map((file) => `${file.path} ${file.stamp}`);
  const changed = now.find((line, index) => line !== then[index]) ?? then[now.length];
  if (changed === undefined) return;
  const message = `the input changed while it was being read: ${changed.slice(0, changed.lastIndexOf(' '))}`;
  const hint = 'Run the command again once whatever writes the file is done.';
  throw new UserError([{ level: 'error', code: 'input-changed', message, hint }]);
}

const GLOB_CHARACTERS = /[*?[\]{}]/;

function matchesOf(pattern: string, root: string): string[] {
  const found = GLOB_CHARACTERS.test(pattern) ? globSync(pattern, { cwd: root }) : [pattern];
  return found.map((path) => resolve(root, path)).filter(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function nothingFound(pattern: string): Finding {
  const message = `input.files: no file is at ${JSON.stringify(pattern)}`;
  const hint = 'Paths and globs count from the root of the repository.';
  return { level: 'error', code: 'input-not-found', message, hint };
}

/** Links count as what they point at: a link out of the repository is out of the repository. */
function isInside(absolute: string, folders: readonly string[]): boolean {
  // The native call is one system call; the other one looks at every folder on the way.
  const real = realpathSync.native(absolute);
  return folders.some((folder) => real.startsWith(folder));
}

/** Each with a separator at its end. */
function realFolders({ root, allowedRoots }: SourceRoots): string[] {
  return [root, ...allowedRoots.map((folder) => resolve(root, folder))].map((folder) => {
    const from = statSync(folder, { throwIfNoEntry: false }) ? realpathSync.native(folder) : folder;
    return from.endsWith(sep) ? from : from + sep;
  });
}

function outside(pattern: string): Finding {
  const message = `input.files: ${JSON.stringify(pattern)} leads out of the repository`;
  const hint =
    'Move the file into the repository, or list its folder under policy.allowed_roots in batchwright.yaml.';
  return { level: 'error', code: 'input-outside', message, hint };
}

function pathFrom(root: string, absolute: string): string {
  const path = relative(root, absolute);
  const inside = !path.startsWith('..') && !isAbsolute(path);
  return (inside ? path : absolute).replaceAll(sep, '/');
}

const EXTENSIONS: Readonly<Record<string, SourceFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  parquet: 'parquet',
};

function formatOf(path: string): { format: SourceFormat | null; compression: 'gz' | 'zst' | null } {
  const match = /\.([a-z]+)(?:\.(gz|zst))?$/.exec(path.toLowerCase());
  const format = EXTENSIONS[match?.[1] ?? ''] ?? null;
  return { format, compression: (match?.[2] ?? null) as 'gz' | 'zst' | null };
}

function formatFindings(files: readonly { path: string; format: SourceFormat | null }[]): Finding[] {
  const unknown = files.filter((file) => file.format === null);
  const formats = [...new Set(files.map((file) => file.format))];
  if (unknown.length > 0) return unknown.slice(0, 5).map((file) => unknownFormat(file.path));
  if (formats.length < 2) return [];
  const message = `input.files: all files of a job have one format, here are ${formats.join(' and ')}`;
  return [
    { level: 'error', code: 'input-mixed', message, hint: 'Make one job for each format, or convert one.' },
  ];
}

function unknownFormat(path: string): Finding {
  const message = `input.files: the format of ${path} is not known from its name`;
  const hint = 'Names end in .csv, .tsv, .json, .jsonl, .ndjson or .parquet; .gz and .zst may follow.';
  return { level: 'error', code: 'input-format', message, hint };
}

function stampOf(absolute: string): string {
  const { size, mtimeMs, ino } = statSync(absolute);
  return `${size}:${mtimeMs}:${ino}`;
}
