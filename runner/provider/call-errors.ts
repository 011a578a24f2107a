import { messageOf } from '../errors.ts';
import type { ProviderError } from './port.ts';

/** An answer that arrived with a good status and cannot be what was asked for. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/** The shape of an answered call's error in the SDKs, told by its fields so that no SDK need be loaded here. */
export interface AnsweredError extends Error {
  readonly status: number;
  readonly headers: Headers | undefined;
  /** The parsed body. */
  readonly error: unknown;
}

/**
 * What a failed call says, or null where the error is not one of a call: a full disk or a mistake of ours
 * must not pass for a provider's answer. `answered` reads a provider's own body.
 */
export function callError(
  error: unknown,
  answered: (error: AnsweredError) => ProviderError,
): ProviderError | null {
  if (!(error instanceof Error)) return null;
  if (hasStatus(error)) return answered(error);
  if (error instanceof UnreadableAnswer || error instanceof SyntaxError) return unreadable(error);
  return isConnectionError(error) ? networkError(error) : null;
}

/** True where an answer came, with a status of 400 or more. */
export function isAnswered(thrown: unknown): thrown is AnsweredError {
  return thrown instanceof Error && hasStatus(thrown);
}

function hasStatus(error: Error): error is AnsweredError {
  return 'status' in error && typeof error.status === 'number' && 'headers' in error;
}

function unreadable(error: Error): ProviderError {
  const message = short(`the answer cannot be read: ${messageOf(error)}`);
  return { status: null, code: 'unreadable', message, about: 'server', retryAfterMs: null };
}

/** What fetch throws where no answer came, and where a body stopped short of its length (undici 7). */
const FETCH_FAILED: ReadonlySet<string> = new Set(['fetch failed', 'terminated']);
const GIVEN_UP: ReadonlySet<string> = new Set(['AbortError', 'TimeoutError']);

/** The SDKs of OpenAI and Anthropic have `requestID`; that of Gemini hands on what fetch throws. */
function isConnectionError(error: Error): boolean {
  if ('status' in error && 'requestID' in error) return true;
  return GIVEN_UP.has(error.name) || (error instanceof TypeError && FETCH_FAILED.has(error.message));
}

function networkError(error: Error): ProviderError {
  const message = short(messageOf(error));
  return { status: null, code: causeCode(error), message, about: 'network', retryAfterMs: null };
}

/** The innermost code in the chain of causes: `ECONNREFUSED` and not merely "fetch failed". */
function causeCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const inner = error instanceof AggregateError ? causeCode(error.errors[0]) : causeCode(error.cause);
  // Numbers are the legacy codes of DOMException and say nothing.
  return inner ?? ('code' in error && typeof error.code === 'string' ? error.code : null);
}

/** Statuses behind which a create may have happened: a gateway gave up waiting, or an earlier request won. */
const DOUBTFUL: ReadonlySet<number> = new Set([408, 409, 499]);
/** No connection was made, so nothing was sent. A connection that broke says no such thing. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a failed create surely made nothing. */
export function isRefusal({ status, code }: ProviderError): boolean {
  if (status === null) return code !== null && NEVER_SENT.has(code);
  return status >= 400 && status < 500 && !DOUBTFUL.has(status);
}

/** A header that asks for more is a mistake of somebody's: meanwhile windows close and results expire. */
const MOST_RETRY_AFTER_MS = 3_600_000;

/**
 * Milliseconds from `retry-after-ms` or `retry-after`, in seconds or as a date by the server's own clock; an hour at
 * most. Null where the server does not say, or says nothing that can be understood.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const asked = askedMs(headers, nowMs);
  return asked === null ? null : limitedRetryMs(asked);
}

/** What a server asks for in its body is bounded as what it asks for in a header. */
export function limitedRetryMs(asked: number): number {
  return Math.min(asked, MOST_RETRY_AFTER_MS);
}

function askedMs(headers: Headers, nowMs: number): number | null {
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (exact >= 0) return exact;
  const text = headers.get('retry-after') ?? '';
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number.parseFloat(text) * 1000;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return null;
  const serverNow = Date.parse(headers.get('date') ?? '');
  return Math.max(0, until - (Number.isNaN(serverNow) ? nowMs : serverNow));
}

/** A gateway's error page is a whole document: its first words are enough. */
export function short(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ').trim();
  return oneLine.length <= 500 ? oneLine : `${oneLine.slice(0, 499)}…`;
}
