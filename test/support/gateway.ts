import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What went through a gateway. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

/** A gateway before `target`, on loopback. `bend` gives what it makes of each answer. */
export async function startGateway(
  target: string,
  bend: (passing: Passing) => { status?: number; text?: string },
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/' } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name]) => !/^(host|connection|content-length|transfer-encoding|expect)$/.test(name),
      ),
    ) as Record<string, string>;
    const answer = await fetch(`${target}${url}`, {
      method,
      headers,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    const bent = bend({ method, path: url, status: answer.status, text });
    const body = Buffer.from(bent.text ?? text);
    response.writeHead(bent.status ?? answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
      'content-length': body.length,
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
