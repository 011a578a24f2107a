import { setTimeout as pause } from 'node:timers/promises';
import type OpenAI from 'openai';
import { effect } from '../effects.ts';
import { type Instant, instantOf } from '../ids.ts';
import { providerErrorOf } from './openai-errors.ts';
import type { Account, Call, ProviderError } from './port.ts';

export interface Credentials {
  readonly account: Account;
  readonly apiKey: string;
  readonly organization: string | null;
  readonly project: string | null;
}

export interface Transport {
  /** Before the second, the third … try of a call that may be repeated. Default: 0.5 s and 2 s. */
  readonly retryDelaysMs?: readonly number[];
  /** For one call's answer; uploads get more, by their size. Default: a minute. */
  readonly timeoutMs?: number;
  /** Said with every network error; for what a person may not know, such as a proxy that Node does not use. */
  readonly networkHint?: string | null;
  readonly fetch?: typeof fetch;
  /** Milliseconds since 1970; the machine's clock by default. */
  now?(): number;
}

/** The SDK's client, and how its calls become values. */
export interface Wire {
  readonly client: OpenAI;
  readonly timeoutMs: number;
  /** Exactly one request, whatever comes of it. */
  once<Value>(what: string, send: () => Promise<Value>): Promise<Call<Value>>;
  /**
   * For calls that may be repeated: again after a lost connection or a server's error. Where the server has named a
   * time, calls of that kind (the first word of `what`) fail without being sent until then.
   */
  safely<Value>(what: string, send: () => Promise<Value>): Promise<Call<Value>>;
}

/** Loads the SDK: a quarter of a second that `--help` and `validate` need not pay. */
export async function openWire(credentials: Credentials, transport: Transport = {}): Promise<Wire> {
  const { default: Client } = await import('openai');
  const timeoutMs = transport.timeoutMs ?? 60_000;
  const client = new Client({
    // Everything that the SDK would else look up in the environment is given: who pays is for the settings to say.
    apiKey: credentials.apiKey,
    adminAPIKey: null,
    organization: credentials.organization,
    project: credentials.project,
    baseURL: credentials.account.baseUrl,
    webhookSecret: null,
    // OPENAI_CUSTOM_HEADERS cannot be switched off, but these come after it; null takes a header away.
    defaultHeaders: {
      Authorization: `Bearer ${credentials.apiKey}`,
      'OpenAI-Organization': credentials.organization,
      'OpenAI-Project': credentials.project,
    },
    logLevel: 'off',
    timeout: timeoutMs,
    // The SDK repeats a 429 at once where the server asks for more than a minute, and knows no idempotency.
    maxRetries: 0,
    // Rows must go where the settings say and nowhere else. And with any other mode fetch keeps a second copy of a
    // request's body for a redirect: 600 MB of memory for a file of 600 MB, against 150 MB (Node 24.21, measured).
    fetchOptions: { redirect: 'error' },
    ...(transport.fetch === undefined ? {} : { fetch: transport.fetch }),
  });
  const now = transport.now ?? Date.now;
  const once = onceWith(credentials.apiKey, transport.networkHint ?? null, now);
  const patient = withRetryAfter(once, now);
  return { client, timeoutMs, once, safely: safelyWith(patient, transport.retryDelaysMs ?? [500, 2000]) };
}

/** The server's clock, where it told the time. */
export function serverTime(response: Response): Instant | null {
  const ms = Date.parse(response.headers.get('date') ?? '');
  return Number.isNaN(ms) ? null : instantOf(ms);
}

function onceWith(apiKey: string, networkHint: string | null, now: () => number): Wire['once'] {
  return async (what, send) => {
    effect('http.send', what);
    try {
      const value = await send();
      effect('http.answered', what);
      return { kind: 'ok', value };
    } catch (thrown) {
      const error = providerErrorOf(thrown, now());
      if (error === null) throw thrown;
      if (error.status !== null) effect('http.answered', what);
      return { kind: 'failed', error: { ...error, message: saidOf(error, apiKey, networkHint) } };
    }
  };
}

/** Servers repeat what they were sent; a key must not reach a log by that way. Shorter ones are words of rehearsals. */
function saidOf(error: ProviderError, apiKey: string, networkHint: string | null): string {
  const message = apiKey.length < 16 ? error.message : error.message.replaceAll(apiKey, '[key]');
  return error.about === 'network' && networkHint !== null ? `${message} (${networkHint})` : message;
}

/**
 * Keeps to `Retry-After`, whatever the status it came with. By kind of call: a server that is asked too often for
 * batches may still give out files, and results must not wait for a limit on something else.
 */
function withRetryAfter(once: Wire['once'], now: () => number): Wire['once'] {
  const closed = new Map<string, { readonly until: number; readonly error: ProviderError }>();
  return async (what, send) => {
    const kind = what.split(' ', 1)[0] ?? what;
    const until = closed.get(kind)?.until ?? 0;
    const error = closed.get(kind)?.error;
    if (error !== undefined && now() < until) return { kind: 'failed', error: notSent(error, until, now()) };
    const call = await once(what, send);
    if (call.kind === 'failed' && call.error.retryAfterMs !== null)
      closed.set(kind, { until: now() + call.error.retryAfterMs, error: call.error });
    return call;
  };
}

function notSent(error: ProviderError, until: number, now: number): ProviderError {
  const message = `${error.message} The server is left alone until ${instantOf(until)}, as it asked.`;
  return { ...error, message, retryAfterMs: until - now };
}

function safelyWith(once: Wire['once'], delaysMs: readonly number[]): Wire['safely'] {
  return async (what, send) => {
    let call = await once(what, send);
    for (const delayMs of delaysMs) {
      if (call.kind === 'ok' || !isWorthAnother(call.error)) return call;
      await pause(delayMs);
      call = await once(what, send);
    }
    return call;
  };
}

/** A server that names a time is asked again by a later pass, and so is one that is full. */
function isWorthAnother({ about, retryAfterMs }: ProviderError): boolean {
  return (about === 'network' || about === 'server') && retryAfterMs === null;
}
