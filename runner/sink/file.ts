import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { effect } from '../effects.ts';
import { messageOf, userError } from '../errors.ts';
import { digestOfFile, isCode, moveInPlace, temporaryBeside } from '../files.ts';
import { knownDigest } from '../known-digest.ts';
import { isNoRoom } from '../machine-trouble.ts';
import { columnsOf } from './columns.ts';
import { copyContent, type Layout } from './copy.ts';
import type { Sink, SinkContent, SinkProof } from './port.ts';

/** What tells one kind of file from another. */
export interface FileForm extends Layout {
  readonly kind: string;
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
  const columns = columnsOf(content.key, content.pass, content.schema, content);
  const temporary = temporaryBeside(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    const rows = await copyContent(temporary, file, content, columns);
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
  // A full disk is not the sink's alone, and is told as what it is.
  if (isNoRoom(error)) return error;
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
const UNWRITABLE = /EACCES|EPERM|EROFS|ENOTDIR|Permission denied|Read-only file/;
