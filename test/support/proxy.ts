import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** A forward proxy on loopback that tunnels to one server, whatever name is asked for. */
export interface TestProxy extends AsyncDisposable {
  readonly port: number;
  /** The hosts that tunnels were asked for, with the credentials they came with. */
  readonly asked: readonly { readonly host: string; readonly authorization: string | null }[];
}

/** @param to the port that `http:` tunnels lead to; all others are refused with 403, as a company's proxy may. */
export async function startProxy(to: number): Promise<TestProxy> {
  const asked: { host: string; authorization: string | null }[] = [];
  const server = createServer((_request, response) => void response.writeHead(405).end());
  // A tunnel is no connection of the server's any more, so closing the server would not end it.
  const tunnels = new Set<Duplex>();
  server.on('connect', (request, socket) => {
    tunnels.add(socket);
    const host = request.url ?? '';
    asked.push({ host, authorization: request.headers['proxy-authorization'] ?? null });
    if (!host.endsWith(':80')) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const onward = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const tunnel of tunnels) tunnel.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
