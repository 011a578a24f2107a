import type { GoogleGenAI } from '@google/genai';
import type { Instant } from '../../ids.ts';
import { type Calls, callsOf, serverTime, type Transport, timeoutOf } from '../calls.ts';
import type { Account } from '../port.ts';
import { providerErrorOf } from './errors.ts';

export interface Credentials {
  readonly account: Account;
  readonly apiKey: string;
}

/** One request: a path below the API's version, or a whole address on the account's host. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path?: string;
  readonly url?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For the answer with its body; a minute where nothing is said. */
  readonly timeoutMs?: number;
}

export interface Answered {
  /** The parsed body. */
  readonly value: unknown;
  readonly headers: Headers;
  /** The server's clock. */
  readonly serverNow: Instant | null;
}

/** The SDK's client, and how its calls become values. */
export interface Wire extends Calls {
  /** How long to wait between looks at a file that is not ready yet. */
  readonly readyDelaysMs: readonly number[];
  /** @throws RefusedCall, or what fetch throws; SyntaxError where the body is no JSON */
  ask(ask: Ask): Promise<Answered>;
  /** The answer as soon as its headers are there; its body may take its time. */
  open(ask: Ask): Promise<Response>;
  /** An address that the server gave, on the account's own host: rows go nowhere else. */
  onHost(address: string): string;
}

/**
 * The API version that every batch example is written for, and the one that has all fields used here. The SDK's own
 * default is `v1`, and GOOGLE_GENAI_API_VERSION would change it unseen.
 */
const VERSION = 'v1beta';

/** Loads the SDK: 150 ms that `--help` and `validate` need not pay. */
export async function openWire(credentials: Credentials, transport: Transport = {}): Promise<Wire> {
  const sdk = await import('@google/genai');
  const timeoutMs = timeoutOf(transport);
  const { baseUrl } = credentials.account;
  const send = senderOf(sdk.GoogleGenAI, credentials);
  // The SDK's own fetch would go past the proxy that this process uses.
  const fetchOf = transport.fetch ?? ((url: string, init?: RequestInit) => fetch(url, init));
  return {
    readyDelaysMs: transport.retryDelaysMs ?? READY_DELAYS_MS,
    async ask(ask) {
      const response = await send(ask, bounded(fetchOf, ask.body, ask.timeoutMs ?? timeoutMs, 'whole'));
      return { value: jsonIn(await response.text()), ...circumstances(response) };
    },
    open: (ask) => send(ask, bounded(fetchOf, ask.body, ask.timeoutMs ?? timeoutMs, 'headers')),
    onHost(address) {
      const { pathname, search } = new URL(address, baseUrl);
      return new URL(pathname + search, baseUrl).href;
    },
    ...callsOf(credentials.apiKey, transport, providerErrorOf),
  };
}

/** Half a minute in all: larger files take longer to be looked through. */
const READY_DELAYS_MS = [500, 1000, 2000, 4000, 8000, 16_000];

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * The SDK's client for authentication, headers and addresses, and its own raw request. Not its `batches` and `files`:
 * those drop a batch's `error` and `batchStats`, the server's clock, and the headers and details of a refusal
 * (3.3.0). The raw request is open to subclasses only.
 */
function senderOf(
  Client: typeof GoogleGenAI,
  { account, apiKey }: Credentials,
): (ask: Ask, fetch: Fetch) => Promise<Response> {
  class RawClient extends Client {
    async send({ method, path = '', url, query, headers, body }: Ask, fetch: Fetch): Promise<Response> {
      const place = url === undefined ? {} : { baseUrl: url, apiVersion: '' };
      const { responseInternal } = await this.apiClient.request({
        httpMethod: method,
        path,
        ...(query === undefined ? {} : { queryParams: { ...query } }),
        ...(typeof body === 'string' ? { body } : {}),
        httpOptions: { ...place, headers: { ...headers }, fetch: (to, init) => fetch(String(to), init) },
      });
      return responseInternal;
    }
  }
  // Everything that the SDK would else look up in the environment is given: who pays is for the settings to say.
  const client = new RawClient({
    apiKey,
    vertexai: false,
    apiVersion: VERSION,
    httpOptions: { baseUrl: account.baseUrl },
  });
  return (ask, fetch) => client.send(ask, fetch);
}

/**
 * A fetch that gives up after a time, follows no redirect (the key would go along: fetch takes away only headers that
 * it knows), and throws a refusal with all that it says, before the SDK makes an error of its first words. Bytes are
 * sent from here, since the SDK takes them only as a Blob, which fetch reads in pieces of 64 KB.
 */
function bounded(fetch: Fetch, body: Ask['body'], timeoutMs: number, until: 'headers' | 'whole'): Fetch {
  return async (url, init) => {
    const giveUp = new AbortController();
    const timer = setTimeout(
      () => giveUp.abort(new DOMException(noAnswer(timeoutMs), 'TimeoutError')),
      timeoutMs,
    );
    const bytes = body instanceof Uint8Array ? { body } : {};
    try {
      const response = await fetch(url, { ...init, ...bytes, redirect: 'error', signal: giveUp.signal });
      if (!response.ok) throw await refusalOf(response);
      return until === 'headers' ? response : await buffered(response);
    } finally {
      clearTimeout(timer);
    }
  };
}

function noAnswer(timeoutMs: number): string {
  return `no answer within ${timeoutMs / 1000} s`;
}

async function buffered(response: Response): Promise<Response> {
  const { status, headers } = response;
  return new Response(await response.arrayBuffer(), { status: status === 204 ? 200 : status, headers });
}

/** An answer with a status of 400 or more. */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall';
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body. */
  readonly error: unknown;

  constructor(status: number, headers: Headers, error: unknown) {
    super(typeof error === 'string' && error !== '' ? error : `HTTP ${status}`);
    this.status = status;
    this.headers = headers;
    this.error = error;
  }
}

async function refusalOf(response: Response): Promise<RefusedCall> {
  // What cannot be read any more changes nothing about the status.
  const text = await response.text().catch(() => '');
  return new RefusedCall(response.status, response.headers, parsed(text) ?? text);
}

function jsonIn(text: string): unknown {
  // A deletion's answer may be empty.
  return text.trim() === '' ? {} : JSON.parse(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function circumstances(response: Response): Omit<Answered, 'value'> {
  return { headers: response.headers, serverNow: serverTime(response) };
}
