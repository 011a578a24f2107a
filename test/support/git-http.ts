import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A git host on loopback: the repositories of a folder behind git's own HTTP backend, and a password in front. */
export interface GitHttp {
  readonly url: string;
  /** Every authorization that came, in order; null: none. */
  readonly seen: readonly (string | null)[];
  /** How many of the next pushes are carried out without their sender ever hearing of it. */
  loseAnswers: number;
  /** What the world does meanwhile. */
  afterLost?: () => Promise<void>;
}

/** `password`: what the header must hold after `basic`, decoded; null: everybody may do everything. */
export async function gitHttp(folder: string, password: string | null = null): Promise<GitHttp> {
  const seen: (string | null)[] = [];
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host: GitHttp = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    loseAnswers: 0,
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const authorization = decoded(request.headers.authorization);
    seen.push(authorization);
    if (password !== null && authorization !== password) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const output = await backend(folder, request);
    if (request.method === 'POST' && request.url?.endsWith('/git-receive-pack') && host.loseAnswers > 0) {
      host.loseAnswers -= 1;
      await host.afterLost?.();
      response.destroy();
      return;
    }
    const end = output.indexOf('\r\n\r\n');
    const headers = output
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(Number(status.slice(0, 3)), Object.fromEntries(headers)).end(output.subarray(end + 4));
  }

  return host;
}

async function backend(folder: string, request: IncomingMessage): Promise<Buffer> {
  const url = new URL(request.url ?? '/', 'http://host');
  const child = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
    },
  });
  request.pipe(child.stdin);
  const pieces: Buffer[] = [];
  for await (const piece of child.stdout) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function decoded(header: string | undefined): string | null {
  const [, encoded] = /^basic (.*)$/i.exec(header ?? '') ?? [];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64').toString();
}
