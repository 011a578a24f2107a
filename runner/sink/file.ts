import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sqlText } from '../duck.ts';
import { effect } from '../effects.ts';
import { messageOf, userError } from '../errors.ts';
import { digestOfFile, isCode, moveInPlace, temporaryBeside } from '../files.ts';
import { knownDigest } from '../known-digest.ts';
import { checkContent } from './check.ts';
import { columnsOf } from './columns.ts';
import type { Sink, SinkContent, SinkProof } from './port.ts';
import { type Form, fileSelect } from './select.ts';

/** What tells one kind of file from another: how values stand in it, and DuckDB's COPY options. */
export interface FileForm {
  readonly kind: string;
  readonly form: Form;
  readonly copyOptions: string;
}

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
  const rows = await checkContent(content, columns);
  const temporary = temporaryBeside(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    await content.duck.run(
      `COPY (${fileSelect(content.relation, columns, file.form)}) TO ${sqlText(temporary)} (${file.copyOptions})`,
    );
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
  if (!UNWRITABLE.test(messageOf(error))) return error;
  return userError(
    'sink-not-writable',
    `the ${kind} sink ${path} cannot be written: ${messageOf(error)}`,
    'the answers are kept: mend the path, and the next pass writes the sink at no cost',
  );
}

/** By the words, since DuckDB's errors carry no code. */
const UNWRITABLE = /EACCES|EPERM|EROFS|ENOTDIR|ENOSPC|Permission denied|Read-only file|No space left/;
