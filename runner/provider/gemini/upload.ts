import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { IntentId } from '../../ids.ts';
import { UnreadableAnswer } from '../call-errors.ts';
import { fieldsOf, objectOf, textOf } from '../fields.ts';
import type { InputFile } from '../port.ts';
import { nameOf } from './batch.ts';
import { type Ask, RefusedCall, type Wire } from './client.ts';

/** The name of an intent's input file: the same for every try, so that a lost batch can be told by it. */
export function inputName(intent: IntentId): string {
  return `files/${intent}`;
}

/**
 * Sends a batch's input file in pieces from disk. A try that was cut may have left a file of this name: nothing was
 * announced with it yet, so it is deleted and sent again.
 * @throws RefusedCall, or what fetch throws; UnreadableAnswer where the server does not confirm what was sent
 */
export async function upload(wire: Wire, file: InputFile): Promise<{ fileId: string }> {
  const handle = await open(file.path, 'r');
  try {
    const remote = await send(wire, handle, file).catch(async (error: unknown) => {
      if (!isTaken(error)) throw error;
      // A name that is still taken after this is for the next upload to tell.
      await wire.once(`discard ${inputName(file.intent)}`, () =>
        wire.ask({ method: 'DELETE', path: inputName(file.intent) }),
      );
      return send(wire, handle, file);
    });
    return { fileId: await whenReady(wire, remote) };
  } finally {
    await handle.close();
  }
}

/** A file as far as it matters here. */
interface Remote {
  readonly name: string;
  readonly state: string | null;
}

/**
 * Larger files are looked through before a batch may name them (sourcelibrary-v2#2186). One that takes too long is used
 * all the same: the create then refuses it, and the next pass sends another.
 */
async function whenReady(wire: Wire, { name, state }: Remote): Promise<string> {
  let last = state;
  for (const delayMs of wire.readyDelaysMs) {
    if (last !== 'PROCESSING') break;
    await pause(delayMs);
    const look = await wire.once(`file ${name}`, () => wire.ask({ method: 'GET', path: name }));
    if (look.kind === 'ok') last = textOf(fieldsOf(look.value.value)?.state);
  }
  if (last === 'FAILED') throw new UnreadableAnswer('Gemini could not read the file that it was sent');
  return name;
}

function isTaken(error: unknown): boolean {
  return error instanceof RefusedCall && error.status === 409;
}

/** Where a piece breaks off the server is asked what it has, and the rest is sent from there. */
async function send(wire: Wire, handle: FileHandle, file: InputFile): Promise<Remote> {
  const address = await startSession(wire, file);
  let breaks = 0;
  for (let sent = 0; sent < file.bytes; ) {
    const piece = await pieceAt(handle, file, sent);
    const end = sent + piece.length;
    try {
      const answer = await sendPiece(wire, address, piece, sent, end === file.bytes);
      if (end === file.bytes) return confirmed(fieldsOf(objectOf(answer.value).file), file);
      sent = end;
    } catch (error) {
      breaks += 1;
      if (!isWorthResuming(error) || breaks > MOST_BREAKS) throw error;
      sent = await receivedBytes(wire, address, file, error);
    }
  }
  // All of it had arrived, and only the last answer was lost.
  return confirmed((await wire.ask({ method: 'GET', path: inputName(file.intent) })).value, file);
}

/** After so many in one upload it is begun anew, by a later try or a later pass. */
const MOST_BREAKS = 5;

function isWorthResuming(error: unknown): boolean {
  return !(error instanceof RefusedCall) || error.status >= 500 || error.status === 408;
}

/** @throws what had broken the upload off, where the server does not say what it has */
async function receivedBytes(wire: Wire, address: string, file: InputFile, broken: unknown): Promise<number> {
  const ask: Ask = { method: 'POST', url: address, headers: { 'X-Goog-Upload-Command': 'query' } };
  const call = await wire.once(`upload ${file.name}`, () => wire.ask(ask));
  if (call.kind === 'failed') throw broken;
  const { headers } = call.value;
  if (headers.get('x-goog-upload-status') === 'final') return file.bytes;
  const received = Number(headers.get('x-goog-upload-size-received') ?? Number.NaN);
  if (!Number.isSafeInteger(received) || received < 0 || received >= file.bytes) throw broken;
  return received;
}

/** Resumable upload, as @google/genai 3.3.0 does it (`fetchUploadUrl`). @returns where the pieces go */
async function startSession(wire: Wire, file: InputFile): Promise<string> {
  const { headers } = await wire.ask({
    method: 'POST',
    path: 'upload/{api_version}/files',
    body: JSON.stringify({
      file: {
        name: inputName(file.intent),
        displayName: file.name,
        mimeType: MIME_TYPE,
        sizeBytes: String(file.bytes),
      },
    }),
    headers: {
      'X-Goog-Upload-Protocol': 'resumable',
      'X-Goog-Upload-Command': 'start',
      'X-Goog-Upload-Header-Content-Length': String(file.bytes),
      'X-Goog-Upload-Header-Content-Type': MIME_TYPE,
    },
  });
  const address = headers.get('x-goog-upload-url');
  if (address === null || !URL.canParse(address))
    throw new UnreadableAnswer('it names no place for the upload');
  return wire.onHost(address);
}

/** Gemini batch guide. */
const MIME_TYPE = 'application/jsonl';
/** @google/genai 3.3.0, `MAX_CHUNK_SIZE`; all pieces but the last must be a multiple of 256 KiB. */
const PIECE_BYTES = 8 << 20;

async function pieceAt(handle: FileHandle, file: InputFile, at: number): Promise<Uint8Array> {
  const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, file.bytes - at));
  for (let filled = 0; filled < piece.length; ) {
    const { bytesRead } = await handle.read(piece, filled, piece.length - filled, at + filled);
    if (bytesRead === 0) throw new Error(`${file.path} ends after ${at + filled} of ${file.bytes} bytes`);
    filled += bytesRead;
  }
  return piece;
}

async function sendPiece(wire: Wire, address: string, piece: Uint8Array, offset: number, isLast: boolean) {
  const answer = await wire.ask({
    method: 'POST',
    url: address,
    body: piece,
    headers: {
      'X-Goog-Upload-Command': isLast ? 'upload, finalize' : 'upload',
      'X-Goog-Upload-Offset': String(offset),
    },
    // A line of 1 Mbit/s must do.
    timeoutMs: wire.timeoutMs + Math.ceil(piece.length / 125),
  });
  const status = answer.headers.get('x-goog-upload-status');
  if (status !== (isLast ? 'final' : 'active'))
    throw new UnreadableAnswer(
      `the upload is ${status ?? 'in no state'} after ${offset + piece.length} bytes`,
    );
  return answer;
}

function confirmed(value: unknown, file: InputFile): Remote {
  const remote = fieldsOf(value);
  const name = nameOf(remote?.name, 'files');
  if (name === null) throw new UnreadableAnswer('it is no file');
  if (Number(remote?.sizeBytes) !== file.bytes)
    throw new UnreadableAnswer(`the server has ${String(remote?.sizeBytes)} of ${file.bytes} bytes`);
  return { name, state: textOf(remote?.state) };
}
