import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { Call } from './contract.ts';

/** No test needs more; a runaway client is cut off. */
const MOST_BYTES = 300 * 1024 * 1024;

/** Reads a request to its end; throws where it breaks off or is too large. */
export async function readCall(request: IncomingMessage): Promise<Call> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MOST_BYTES) throw new Error('the request is too large for the fake');
    pieces.push(piece);
  }
  const url = new URL(request.url ?? '/', 'http://fake');
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
  const body = Buffer.concat(pieces);
  return {
    method: request.method ?? 'GET',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers,
    body: headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body,
  };
}
