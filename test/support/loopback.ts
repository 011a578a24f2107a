import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server on loopback was asked. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (asked: Asked, response: ServerResponse) => void;

export interface Loopback extends AsyncDisposable {
  /** As OpenAI's SDK wants it, with a version. */
  readonly url: string;
  readonly origin: string;
  readonly asked: readonly Asked[];
  /** From now on requests are answered so; the answers of a list one after the other, the last one for ever. */
  answer(...answers: Answer[]): void;
}

/** A server that does what each test says, over real HTTP. */
export async function startLoopback(...answers: Answer[]): Promise<Loopback> {
  const asked: Asked[] = [];
  let queue = answers;
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const url = new URL(request.url ?? '/', 'http://loopback');
    const seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body,
    };
    asked.push(seen);
    const [next] = queue;
    if (queue.length > 1) queue = queue.slice(1);
    next?.(seen, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    origin: `http://127.0.0.1:${port}`,
    asked,
    answer(...next) {
      queue = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The client went away: what came is what was asked.
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** JSON with a status and headers; the `Date` header is the server's clock. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (_asked, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
}

export function text(body: string, status = 200, headers: Record<string, string> = {}): Answer {
  return (_asked, response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end(body);
  };
}

/** The connection breaks before a byte of the answer. */
export const hangUp: Answer = (_asked, response) => {
  response.socket?.destroy();
};

/** No answer ever comes. */
export const silence: Answer = () => {};
