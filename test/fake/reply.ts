import type { ServerResponse } from 'node:http';
import type { ResultFile } from './files.ts';
import type { Framing } from './lies.ts';

/** What goes over the wire. */
export type Reply = {
  /** 0 means that the connection breaks before a status. */
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  framing: Framing;
  /** The connection breaks after so many bytes of the body; null where all of it is sent. */
  breakAfter: number | null;
  /** The results whose whole content this is. */
  bears: ResultFile | null;
};

/** A whole answer with its length. */
export function writeReply(status: number, type: string, body: Buffer): Reply {
  return {
    status,
    headers: { 'content-type': type },
    body,
    framing: 'length',
    breakAfter: null,
    bears: null,
  };
}

/** A JSON answer. */
export function writeJson(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  const reply = writeReply(status, 'application/json', Buffer.from(JSON.stringify(value)));
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** No answer: the connection breaks. */
export const BROKEN: Reply = { ...writeReply(0, 'text/plain', Buffer.alloc(0)), breakAfter: 0 };

/** No answer, and the connection stays. */
export const SILENCE: Reply = { ...BROKEN, breakAfter: null };

/** Sends a reply at a moment of virtual time; resolves when it has left, or the connection is gone. */
export async function send(reply: Reply, response: ServerResponse, now: number): Promise<void> {
  if (reply.status === 0) return reply.breakAfter === null ? undefined : breakOff(response);
  response.sendDate = false;
  const length = reply.framing === 'length' ? { 'content-length': String(reply.body.length) } : {};
  response.writeHead(reply.status, { date: new Date(now).toUTCString(), ...reply.headers, ...length });
  if (reply.breakAfter === null) await sendWhole(reply, response);
  else await sendSome(reply.body.subarray(0, reply.breakAfter), response);
}

function breakOff(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function sendWhole({ body, framing, bears }: Reply, response: ServerResponse): Promise<void> {
  const left = new Promise<void>((resolve) => {
    response.on('finish', () => {
      if (bears !== null) bears.delivered = true;
    });
    response.on('close', resolve);
  });
  // Two chunks, so that no client gets by with a single read.
  if (framing === 'chunked') response.write(body.subarray(0, body.length >> 1));
  response.end(framing === 'chunked' ? body.subarray(body.length >> 1) : body);
  return left;
}

/** The bytes are given time to leave before the connection breaks, so that the client sees a part of the body. */
function sendSome(part: Buffer, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.on('close', resolve);
    response.write(part, () => setImmediate(() => response.socket?.destroy()));
  });
}
