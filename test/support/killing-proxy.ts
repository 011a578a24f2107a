import { request as call, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** The moment of a call at which something is to happen: before the server hears of it, or after it has answered. */
export interface Moment {
  /** From 1. */
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** A server on loopback that passes every call on to another, and strikes at one of them: nobody gets an answer then. */
export interface KillingProxy extends AsyncDisposable {
  readonly url: string;
  /** Counts from anew; null: never. */
  arm(moment: Moment | null, strike: () => void): void;
}

/** @param to the port on loopback that calls are passed on to */
export async function startKillingProxy(to: number): Promise<KillingProxy> {
  let armed: Moment | null = null;
  let strike = () => {};
  let calls = 0;
  const server = createServer((incoming, outgoing) => {
    calls += 1;
    const hit = armed?.call === calls ? armed.when : null;
    void passOn(incoming, outgoing, to, hit, strike).catch(() => outgoing.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    arm(moment, how) {
      [armed, strike, calls] = [moment, how, 0];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  port: number,
  hit: Moment['when'] | null,
  strike: () => void,
): Promise<void> {
  if (hit === 'before') {
    strike();
    return void outgoing.destroy();
  }
  const onward = call({
    host: '127.0.0.1',
    port,
    method: incoming.method,
    path: incoming.url,
    headers: incoming.headers,
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    onward.on('response', resolve);
    onward.on('error', reject);
  });
  await pipeline(incoming, onward);
  const answer = await answered;
  if (hit === 'after') {
    // What it was told is done: only the word of it is lost.
    answer.resume();
    await new Promise((done) => answer.on('end', done));
    strike();
    return void outgoing.destroy();
  }
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, outgoing);
}
