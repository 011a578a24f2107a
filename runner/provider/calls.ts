import { setTimeout as pause } from 'node:timers/promises';
import { effect } from '../effects.ts';
import { type Instant, instantOf } from '../ids.ts';
import type { Call, ProviderError } from './port.ts';

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

/** How calls of an SDK become values. */
export interface Calls {
  readonly timeoutMs: number;
  /** Exactly one request, whatever comes of it. */
  once<Value>(what: string, send: () => Promise<Value>): Promise<Call<Value>>;
  /**
   * For calls that may be repeated: again after a lost connection or a server's error. Where the server has named a
   * time, calls of that kind (the first word of `what`) fail without being sent until then.
   */
  safely<Value>(what: string, send: () => Promise<Value>): Promise<Call<Value>>;
  /** What a server said, without the key, should it repeat what it was sent. */
  withoutKey(text: string): string;
}

/** What a thrown value says of a call; null where it is not about the call. */
type ErrorOf = (thrown: unknown, nowMs: number) => ProviderError | null;

/** @param secret never to be repeated in a message */
export function callsOf(secret: string, transport: Transport, errorOf: ErrorOf): Calls {
  const now = transport.now ?? Date.now;
  const once = onceWith(secret, transport.networkHint ?? null, now, errorOf);
  const patient = withRetryAfter(once, now);
  const safely = safelyWith(patient, transport.retryDelaysMs ?? [500, 2000]);
  const withoutKey = (text: string) => hidden(text, secret);
  return { timeoutMs: timeoutOf(transport), once, safely, withoutKey };
}

export function timeoutOf({ timeoutMs = 60_000 }: Transport): number {
  return timeoutMs;
}

/** What a call of the SDKs of OpenAI and Anthropic gives. */
export interface SdkAnswer {
  withResponse(): Promise<{ data: unknown; response: Response }>;
}

/** What `read` makes of the answer, with the server's clock. */
export async function answered<Value>(
  answer: SdkAnswer,
  read: (data: unknown, serverNow: Instant | null) => Value,
): Promise<Value> {
  const { data, response } = await answer.withResponse();
  return read(data, serverTime(response));
}

/** The server's clock, where it told the time. */
export function serverTime(response: Response): Instant | null {
  const ms = Date.parse(response.headers.get('date') ?? '');
  return Number.isNaN(ms) ? null : instantOf(ms);
}

function onceWith(
  secret: string,
  networkHint: string | null,
  now: () => number,
  errorOf: ErrorOf,
): Calls['once'] {
  return async (what, send) => {
    effect('http.send', what);
    try {
      const value = await send();
      effect('http.answered', what);
      return { kind: 'ok', value };
    } catch (thrown) {
      const error = errorOf(thrown, now());
      if (error === null) throw thrown;
      if (error.status !== null) effect('http.answered', what);
      return { kind: 'failed', error: { ...error, message: saidOf(error, secret, networkHint) } };
    }
  };
}

/** Servers repeat what they were sent; a key must not reach a log by that way. Shorter ones are words of rehearsals. */
function hidden(text: string, secret: string): string {
  return secret.length < 16 ? text : text.replaceAll(secret, '[key]');
}

function saidOf(error: ProviderError, secret: string, networkHint: string | null): string {
  const message = hidden(error.message, secret);
  return error.about === 'network' && networkHint !== null ? `${message} (${networkHint})` : message;
}

/**
 * Keeps to `Retry-After`, whatever the status it came with. By kind of call: a server that is asked too often for
 * batches may still give out files, and results must not wait for a limit on something else.
 */
function withRetryAfter(once: Calls['once'], now: () => number): Calls['once'] {
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

/** Without the status: a 404 was about another file, and this one would pass for gone. */
function notSent(error: ProviderError, until: number, now: number): ProviderError {
  const message = `${error.message} The server is left alone until ${instantOf(until)}, as it asked.`;
  return { ...error, status: null, message, retryAfterMs: until - now };
}

function safelyWith(once: Calls['once'], delaysMs: readonly number[]): Calls['safely'] {
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
