import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** An answer as a value, so that a fault can be put in its place before anything is sent. */
export type Reply = JsonReply | FileReply | TextReply;

interface Head {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface JsonReply extends Head {
  readonly kind: 'json';
  readonly json: unknown;
}

export interface TextReply extends Head {
  readonly kind: 'text';
  readonly type: string;
  readonly text: string | AsyncIterable<string>;
}

export interface FileReply extends Head {
  readonly kind: 'file';
  readonly path: string;
  /** The length of the content, which may be less than that of the file. */
  readonly bytes: number;
  /** The body ends after so many bytes, with or without having announced more. */
  readonly cut?: { readonly after: number; readonly announced: boolean };
}

export function json(status: number, value: unknown): JsonReply {
  return { kind: 'json', status, json: value };
}

export async function send(response: ServerResponse, reply: Reply): Promise<void> {
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  response.statusCode = reply.status;
  switch (reply.kind) {
    case 'json':
      return sendText(response, 'application/json', JSON.stringify(reply.json));
    case 'text':
      return typeof reply.text === 'string'
        ? sendText(response, reply.type, reply.text)
        : sendPieces(response, reply.type, reply.text);
    case 'file':
      return sendFile(response, reply);
    default:
      reply satisfies never;
  }
}

function sendText(response: ServerResponse, type: string, text: string): void {
  response.setHeader('content-type', type);
  response.setHeader('content-length', Buffer.byteLength(text));
  response.end(text);
}

async function sendPieces(
  response: ServerResponse,
  type: string,
  pieces: AsyncIterable<string>,
): Promise<void> {
  response.setHeader('content-type', type);
  await pipeline(Readable.from(pieces), response);
}

async function sendFile(response: ServerResponse, { path, bytes, cut }: FileReply): Promise<void> {
  response.setHeader('content-type', 'application/octet-stream');
  if (cut?.announced !== false) response.setHeader('content-length', bytes);
  const length = Math.min(bytes, cut?.after ?? bytes);
  if (length > 0) {
    const stream = createReadStream(path, { end: length - 1, highWaterMark: 1 << 18 });
    await pipeline(stream, response, { end: false });
  }
  if (cut?.announced) response.destroy();
  else response.end();
}

/** The whole of a small body; null where it is longer than `most` bytes. The rest is read and dropped. */
export async function readSmallBody(request: IncomingMessage, most = 1 << 20): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes <= most) pieces.push(piece);
  }
  return bytes <= most ? Buffer.concat(pieces).toString('utf8') : null;
}

/** Reads the rest of a body and drops it: a client that still sends does not listen for an answer. */
export async function drain(request: IncomingMessage): Promise<void> {
  try {
    for await (const _ of request) {
      // Dropped.
    }
  } catch {
    // The client went away; nobody is left to answer.
  }
}
