import { stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { type UserError, userError } from '../errors.ts';
import { isJobName } from '../ids.ts';
import type { InputSpec } from '../spec/job.ts';
import { type NewJob, newFiles } from '../spec/new-files.ts';
import { JOB_DEFAULTS } from '../spec/normalise.ts';
import { didYouMean, listed } from '../spec/suggest.ts';
import { writeAllNew } from './write-new.ts';

/** As `sourceColumns` of the source layer: what can be known of an input cheaply. */
export type SourceColumns = (
  input: InputSpec,
  roots: { readonly root: string; readonly allowedRoots: readonly string[] },
) => Promise<{
  readonly columns: readonly string[];
  readonly sample: readonly Readonly<Record<string, unknown>>[];
}>;

export interface NewOptions {
  readonly root: string;
  readonly name: string;
  /** The data, from the root; an absolute path is written as one from the root. */
  readonly from: string;
  readonly key: string;
  readonly sourceColumns: SourceColumns;
  readonly out: (text: string) => void;
}

/**
 * Writes a job that validates as it stands: the job, prompts with the columns of the file in them, and an output
 * schema to edit. Nothing that is there is written over.
 * @throws UserError where the name, the file or the key cannot be used, or one of the files is there already
 */
export async function runNew(options: NewOptions): Promise<number> {
  const { root, name, key } = options;
  if (!isJobName(name)) throw badName(name);
  const from = isAbsolute(options.from) ? relative(root, options.from).split(sep).join('/') : options.from;
  const source = await options.sourceColumns(inputOf(from, key), { root, allowedRoots: [] });
  if (!source.columns.includes(key)) throw badKey(key, source.columns);
  const files = newFiles({ name, from, key, ...source } satisfies NewJob);
  await refuseExisting(root, Object.keys(files));
  await writeAllNew(Object.entries(files).map(([path, text]) => [join(root, path), text] as const));
  options.out(told(Object.keys(files), name));
  return 0;
}

function badName(name: string): UserError {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63);
  return userError(
    'wrong-name',
    `\`${name}\` cannot be a job's name: lower-case letters, digits and hyphens, at most 63.`,
    plain === '' ? undefined : `Write \`${plain}\`, for example.`,
  );
}

function inputOf(from: string, key: string): InputSpec {
  return {
    files: [from],
    sql: null,
    key: [key],
    itemType: JOB_DEFAULTS.itemType,
    pass: [],
    onBadRow: JOB_DEFAULTS.onBadRow,
    refresh: JOB_DEFAULTS.refresh,
    filenameColumn: null,
  };
}

function badKey(key: string, columns: readonly string[]): UserError {
  const hint = didYouMean(key, columns) ?? `The columns are ${listed(columns)}.`;
  return userError('unknown-column', `\`${key}\` is not a column of the file.`, hint);
}

async function refuseExisting(root: string, paths: readonly string[]): Promise<void> {
  const there = await Promise.all(
    paths.map((path) =>
      stat(join(root, path)).then(
        () => path,
        () => null,
      ),
    ),
  );
  const taken = there.filter((path) => path !== null);
  if (taken.length === 0) return;
  const hint = 'Choose another name, or delete what is no longer needed.';
  throw userError('file-exists', `${listed(taken)} is there already; nothing was written.`, hint);
}

function told(paths: readonly string[], name: string): string {
  const list = paths.map((path) => `  ${path}`).join('\n');
  return `Written:\n${list}\n\nSay in the prompt what you want, and in the schema what an answer is. Then:\n  batchwright validate\n  batchwright rehearse ${name}\n`;
}
