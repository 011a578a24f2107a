import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Duck, sqlText } from '../duck.ts';
import { effect } from '../effects.ts';
import { messageOf, userError } from '../errors.ts';
import { digestOfFile, isCode, moveInPlace, temporaryBeside } from '../files.ts';
import { knownDigest } from '../known-digest.ts';
import { checkContent } from './check.ts';
import { type Column, columnsOf } from './columns.ts';
import { joinedSelect, piecesOf, rowsAtOnce } from './pieces.ts';
import type { Sink, SinkContent, SinkProof } from './port.ts';
import { type Form, fileSelect } from './select.ts';

/** What tells one kind of file from another: how values stand in it, and DuckDB's COPY options. */
export interface FileForm {
  readonly kind: string;
  readonly form: Form;
  copyOptions(rowGroup: number): string;
}

/** Rows of a row group where they are short: the default of 122,880 costs 490 MB while writing, which no limit covers. */
const ROW_GROUP = 10_000;

/** A sink of one file that DuckDB writes. */
export function fileSink(path: string, file: FileForm): Sink {
  return {
    path,
    write: (content) => writeFile(path, file, content),
    observe: () => observeFile(path),
  };
}

async function writeFile(path: string, file: FileForm, content: SinkContent): Promise<SinkProof> {
  const columns = columnsOf(content.key, content.pass, content.schema);
  const temporary = temporaryBeside(path);
  try {
    const rows = await checkContent(content, columns);
    await mkdir(dirname(path), { recursive: true });
    await copyAll(temporary, file, content, columns);
    const proof = await digestOfFile(temporary);
    effect('sink.write', path);
    await moveInPlace(temporary, path);
    return { ...proof, rows };
  } catch (error) {
    throw sinkError(path, file.kind, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** In one statement, or where the rows are long in pieces that are sorted each for itself and then joined. */
async function copyAll(
  to: string,
  file: FileForm,
  content: SinkContent,
  columns: readonly Column[],
): Promise<void> {
  const { duck } = content;
  const rows = rowsAtOnce(content.rowBytes ?? 0);
  const options = file.copyOptions(rows ?? ROW_GROUP);
  const selects = (await piecesOf(duck, content.relation, rows)).map((piece) =>
    fileSelect(piece, columns, file.form),
  );
  const [only] = selects;
  if (only !== undefined && selects.length === 1) return copy(duck, only, to, options);
  const paths = selects.map((_, at) => `${to}.${at}`);
  try {
    for (const [at, select] of selects.entries())
      await copy(duck, select, paths[at] ?? '', `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rows}`);
    await copy(duck, joinedSelect(paths), to, options);
  } finally {
    for (const path of paths) await rm(path, { force: true });
  }
}

function copy(duck: Duck, select: string, to: string, options: string): Promise<void> {
  return duck.run(`COPY (${select}) TO ${sqlText(to)} (${options})`);
}

async function observeFile(path: string): ReturnType<Sink['observe']> {
  try {
    return await knownDigest(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw sinkError(path, 'file', error);
  }
}

/** Translates what a person can mend; the rest goes on as it is. */
function sinkError(path: string, kind: string, error: unknown): unknown {
  if (isCode(error, 'EISDIR')) {
    return userError(
      'sink-is-a-folder',
      `a ${kind} sink is one file, but ${path} is a folder`,
      'give the path of a file',
    );
  }
  if (NO_MEMORY.test(messageOf(error))) {
    return userError(
      'sink-rows-too-long',
      `the ${kind} sink ${path} cannot be written within the memory that the ledger may take: ${messageOf(error).split('\n')[0]}`,
      'the answers are kept, and `batchwright results` can print them; ask for shorter ones, or for fewer properties',
    );
  }
  if (!UNWRITABLE.test(messageOf(error))) return error;
  return userError(
    'sink-not-writable',
    `the ${kind} sink ${path} cannot be written: ${messageOf(error)}`,
    'the answers are kept: mend the path, and the next pass writes the sink at no cost',
  );
}

/** By the words, since DuckDB's errors carry no code. */
const NO_MEMORY = /Out of Memory/;
const UNWRITABLE = /EACCES|EPERM|EROFS|ENOTDIR|ENOSPC|Permission denied|Read-only file|No space left/;
