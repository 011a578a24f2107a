import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError } from '../../runner/errors.ts';
import type { DraftManifest } from '../../runner/manifest/manifest.ts';
import { openSource } from '../../runner/manifest/source.ts';
import type { SourceRow } from '../../runner/manifest/source-row.ts';
import { placeOf } from '../../runner/manifest/source-row.ts';
import type { InputSpec } from '../../runner/spec/job.ts';
import { testFolder } from './folder.ts';
import { type Files, type FreezeCase, type FrozenRow, freezeIn, inputOf } from './freeze.ts';

/** A folder with these files in it, by path. */
export async function folderWith(files: Files): Promise<string> {
  const root = await testFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

/** What a test sees of a row: its place and either its text or the problem's code. */
export interface SeenRow {
  readonly place: string;
  readonly text?: string;
  readonly value?: Record<string, unknown>;
  readonly code?: string;
  readonly detail?: string;
}

/** All rows of an input, read from a real folder. */
export async function readAll(files: Files, more: Partial<InputSpec> = {}): Promise<SeenRow[]> {
  const root = await folderWith(files);
  const input = inputOf({ files: Object.keys(files), ...more });
  const source = await openSource(input, {
    root,
    allowedRoots: [],
    work: join(root, '.work'),
    digests: null,
  });
  const rows: SeenRow[] = [];
  for (const part of source.parts) for (const row of part.rows()) rows.push(seen(row, placeOf(part, row.at)));
  return rows;
}

function seen(row: SourceRow, place: string): SeenRow {
  return row.ok ? { place, text: row.text, value: row.value } : { place, code: row.code, detail: row.detail };
}

/** The texts of rows that are all good. */
export async function textsOf(files: Files, more: Partial<InputSpec> = {}): Promise<string[]> {
  const rows = await readAll(files, more);
  return rows.map((row) => row.text ?? `${row.place}: ${row.code}`);
}

/** `code: message` of each finding with which `work` is refused. */
export async function findingsOf(work: Promise<unknown>): Promise<string[]> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof UserError)
    return error.findings.map((finding) => `${finding.code}: ${finding.message}`);
  throw new Error(`expected a UserError, found ${String(error)}`);
}

/** Freezes an input in a real folder and reads the parts back. */
export async function freeze(one: FreezeCase): Promise<{ manifest: DraftManifest; rows: FrozenRow[] }> {
  return freezeIn(await folderWith(one.files), one);
}
