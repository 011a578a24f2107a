import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Json } from '../../ids.ts';
import type { World } from '../face.ts';
import { drain, json, type Reply, readSmallBody } from '../http.ts';
import { isObject, member } from '../json-value.ts';
import { lettersOf } from '../seed.ts';
import type { Table } from '../state-log.ts';
import { refusal } from './replies.ts';
import type { UploadRow } from './types.ts';

/** Gemini's published limit of a file. */
const MOST_BYTES = 2_000_000_000;
/** A chosen name: at most 40 lower-case letters, digits and dashes, a dash at neither end. */
const NAME = /^files\/[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;
/** All pieces but the last. */
const PIECE_UNIT = 1 << 18;

/** The protocol by which a file arrives in pieces. */
export interface Uploads {
  /** `start` begins one and says where the pieces go; `upload` takes a piece, `query` tells how many, `finalize` ends. */
  answer(request: IncomingMessage, query: URLSearchParams): Promise<Reply>;
}

/** @param isTaken whether a file has this name. @param done makes the file known that has arrived whole. */
export function createUploads(
  world: World,
  rows: Table<UploadRow>,
  isTaken: (id: string) => boolean,
  done: (upload: UploadRow) => unknown,
): Uploads {
  async function start(request: IncomingMessage): Promise<Reply> {
    const wanted = fileIn(await readSmallBody(request));
    const bytes = Number(request.headers['x-goog-upload-header-content-length']);
    const most = world.scenario().limits.file_bytes ?? MOST_BYTES;
    if (wanted === null || !Number.isSafeInteger(bytes) || bytes < 1)
      return refusal('INVALID_ARGUMENT', 'The upload says neither what it is nor how long.');
    if (bytes > most) return refusal('INVALID_ARGUMENT', `File is too large: ${bytes} bytes of ${most}.`);
    const text = `${world.scenario().seed} upload ${rows.size() + 1} ${world.clock.now()}`;
    const name = wanted.name ?? `files/${lettersOf('', text, 12).toLowerCase()}`;
    if (!NAME.test(name)) return refusal('INVALID_ARGUMENT', `Invalid file name: ${name}.`);
    const fileId = name.slice('files/'.length);
    if (isTaken(fileId)) return refusal('ALREADY_EXISTS', `Requested entity already exists: ${name}.`);
    const id = lettersOf('', text, 40);
    const path = join('files', `${id}.upload`);
    writeFileSync(join(world.dir, path), '');
    const { displayName, mimeType } = wanted;
    rows.put(id, { id, file: { id: fileId, displayName, mimeType, bytes, path }, received: 0 });
    const address = `http://${request.headers.host}${new URL(request.url ?? '/', 'http://emulator').pathname}`;
    const headers = {
      'x-goog-upload-url': `${address}?upload_id=${id}&upload_protocol=resumable`,
      'x-goog-upload-status': 'active',
    };
    return { ...json(200, {}), headers };
  }

  async function takePiece(request: IncomingMessage, row: UploadRow, isLast: boolean): Promise<Reply> {
    const offset = Number(request.headers['x-goog-upload-offset']);
    if (offset !== row.received) {
      await drain(request);
      return refusal(
        'INVALID_ARGUMENT',
        `The upload has ${row.received} bytes, and this piece begins at ${offset}.`,
      );
    }
    const received = offset + (await write(request, join(world.dir, row.file.path), offset));
    const now = rows.put(row.id, { ...row, received });
    if (!isLast) {
      if ((received - offset) % PIECE_UNIT !== 0)
        return refusal('INVALID_ARGUMENT', `Pieces are multiples of ${PIECE_UNIT} bytes.`);
      return { ...json(200, {}), headers: { 'x-goog-upload-status': 'active' } };
    }
    if (received !== row.file.bytes) {
      rmSync(join(world.dir, row.file.path), { force: true });
      return refusal('INVALID_ARGUMENT', `The upload has ${received} of ${row.file.bytes} bytes.`);
    }
    // Another one of the same name may have been quicker.
    if (isTaken(row.file.id))
      return refusal('ALREADY_EXISTS', `Requested entity already exists: files/${row.file.id}.`);
    return { ...json(200, { file: done(now) }), headers: { 'x-goog-upload-status': 'final' } };
  }

  return {
    async answer(request, query) {
      const commands = String(request.headers['x-goog-upload-command'] ?? '').split(/\s*,\s*/);
      if (commands.includes('start')) return start(request);
      const row = rows.get(query.get('upload_id') ?? '');
      if (row !== undefined && commands.includes('query')) return standing(row);
      if (row !== undefined && commands.includes('upload'))
        return takePiece(request, row, commands.includes('finalize'));
      await drain(request);
      return refusal('NOT_FOUND', 'There is no such upload.');
    },
  };
}

/** How far an upload has come. */
function standing({ file, received }: UploadRow): Reply {
  const isWhole = received === file.bytes;
  const headers = {
    'x-goog-upload-status': isWhole ? 'final' : 'active',
    ...(isWhole ? {} : { 'x-goog-upload-size-received': String(received) }),
  };
  return { ...json(200, {}), headers };
}

interface Wanted {
  readonly name: string | null;
  readonly displayName: string;
  readonly mimeType: string;
}

function fileIn(text: string | null): Wanted | null {
  const file = member(parsed(text), 'file');
  if (!isObject(file)) return null;
  const { name, displayName, mimeType } = file;
  return {
    name: typeof name === 'string' ? name : null,
    displayName: typeof displayName === 'string' ? displayName : '',
    mimeType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream',
  };
}

function parsed(text: string | null): Json | undefined {
  try {
    return JSON.parse(text ?? '') as Json;
  } catch {
    return undefined;
  }
}

/** At its place: what a broken connection has left behind the last whole piece is written over. */
async function write(request: IncomingMessage, path: string, offset: number): Promise<number> {
  const file = openSync(path, 'r+');
  let bytes = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      writeSync(file, piece, 0, piece.length, offset + bytes);
      bytes += piece.length;
    }
  } finally {
    closeSync(file);
  }
  return bytes;
}
