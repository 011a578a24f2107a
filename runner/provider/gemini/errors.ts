import { type AnsweredError, callError, limitedRetryMs, retryAfterMs, short } from '../call-errors.ts';
import { type Fields, fieldsOf, readFields, textOf } from '../fields.ts';
import type { ProviderError } from '../port.ts';

/** What an error is about. */
export type ErrorAbout = Exclude<ProviderError['about'], 'network'>;

/** A `google.rpc.Status`, in a call's answer, in a line of a result file, or as the end of a batch. */
export interface ErrorFacts {
  /** HTTP status, or what a `google.rpc.Code` stands for there; null where neither is known. */
  readonly status: number | null;
  /** `RESOURCE_EXHAUSTED` and kin. */
  readonly word: string | null;
  readonly message: string;
  /** `google.rpc.ErrorInfo.reason`: `API_KEY_INVALID` and kin. */
  readonly reason: string | null;
  /** `google.rpc.RetryInfo.retryDelay` in milliseconds. */
  readonly retryMs: number | null;
}

/** What it is about. Words come before the status, since 400 is used for keys, for regions and for plain mistakes alike. */
export function aboutOf(facts: ErrorFacts): ErrorAbout {
  if (isAccount(facts)) return 'account';
  if (facts.status === 429 || facts.word === 'RESOURCE_EXHAUSTED') return 'capacity';
  if (isServer(facts)) return 'server';
  return isRequest(facts) ? 'request' : 'server';
}

/** Reasons of `google.api.ErrorReason` that are about who asks. */
const ACCOUNT_REASON =
  /^(API_KEY_|SERVICE_DISABLED|BILLING_DISABLED|CONSUMER_|ACCESS_TOKEN_|USER_PROJECT_DENIED)/;
/** What was seen under 400 and 429. A quota of nothing is a model that the project's plan does not have. */
const ACCOUNT_WORDS =
  /api key (not valid|expired)|user location is not supported|enable billing|billing (account|is not)|prepay\w* credits? (are|is) depleted|spend(ing)? (cap|limit)|limit: 0\b/i;

/**
 * Not by "check your plan and billing details": Gemini says that of a limit per minute too (python-genai#1901), where
 * waiting does help.
 */
function isAccount({ status, word, reason, message }: ErrorFacts): boolean {
  if (status === 401 || status === 402 || status === 403) return true;
  if (word === 'UNAUTHENTICATED' || word === 'PERMISSION_DENIED') return true;
  if (reason !== null && ACCOUNT_REASON.test(reason)) return true;
  return (status === null || status < 500) && ACCOUNT_WORDS.test(message);
}

const SERVER_WORDS: ReadonlySet<string> = new Set([
  'INTERNAL',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'UNKNOWN',
  'ABORTED',
  'CANCELLED',
  'DATA_LOSS',
]);
/** A file is not usable in the moment in which its upload has ended. */
const FILE_NOT_THERE_YET = /not in an? ACTIVE state|file .{0,80} (is|still) (being )?process/i;

function isServer({ status, word, message }: ErrorFacts): boolean {
  if (status !== null && (status >= 500 || status === 408 || status === 409 || status === 499)) return true;
  return (word !== null && SERVER_WORDS.has(word)) || FILE_NOT_THERE_YET.test(message);
}

function isRequest({ status, word }: ErrorFacts): boolean {
  return (status !== null && status >= 400) || word !== null;
}

/** What a failed call says, or null where the error is not one of a call. */
export function providerErrorOf(error: unknown, nowMs: number): ProviderError | null {
  return callError(error, (answered) => answeredError(answered, nowMs));
}

function answeredError(error: AnsweredError, nowMs: number): ProviderError {
  const facts = errorFacts(bodyError(error.error), error.message);
  return {
    status: error.status,
    code: facts.word ?? facts.reason,
    message: short(facts.message),
    about: aboutOf({ ...facts, status: error.status }),
    retryAfterMs: retryAfterMs(error.headers ?? new Headers(), nowMs) ?? facts.retryMs,
  };
}

/** `{"error": {…}}`; some gateways of Google's wrap it into a list. */
export function bodyError(body: unknown): unknown {
  const fields = fieldsOf(Array.isArray(body) ? body[0] : body);
  return fields?.error ?? body;
}

/** The facts of a `google.rpc.Status` as JSON has it. Pure; anything is taken. */
export function errorFacts(value: unknown, otherwise: string): ErrorFacts {
  const error = readFields(value) ?? {};
  const code = typeof error.code === 'number' ? error.code : null;
  const details = Array.isArray(error.details) ? error.details.map(fieldsOf) : [];
  return {
    status: code === null ? null : (RPC[code]?.[1] ?? (code >= 100 ? code : null)),
    word: textOf(error.status) ?? (code === null ? null : (RPC[code]?.[0] ?? null)),
    message: textOf(error.message) ?? textOf(value) ?? otherwise,
    reason: textOf(detailOf(details, 'ErrorInfo')?.reason),
    retryMs: delayMs(detailOf(details, 'RetryInfo')?.retryDelay),
  };
}

/** `google/rpc/code.proto`: the number of each code is its place, and the HTTP status that it stands for. */
const RPC: readonly (readonly [string, number])[] = [
  ['OK', 200],
  ['CANCELLED', 499],
  ['UNKNOWN', 500],
  ['INVALID_ARGUMENT', 400],
  ['DEADLINE_EXCEEDED', 504],
  ['NOT_FOUND', 404],
  ['ALREADY_EXISTS', 409],
  ['PERMISSION_DENIED', 403],
  ['RESOURCE_EXHAUSTED', 429],
  ['FAILED_PRECONDITION', 400],
  ['ABORTED', 409],
  ['OUT_OF_RANGE', 400],
  ['UNIMPLEMENTED', 501],
  ['INTERNAL', 500],
  ['UNAVAILABLE', 503],
  ['DATA_LOSS', 500],
  ['UNAUTHENTICATED', 401],
];

function detailOf(details: readonly (Fields | null)[], type: string): Fields | null {
  return details.find((detail) => textOf(detail?.['@type'])?.endsWith(`google.rpc.${type}`)) ?? null;
}

/** A `google.protobuf.Duration` as JSON: seconds with up to nine decimals and an `s`. */
function delayMs(duration: unknown): number | null {
  const seconds = /^(\d{1,9}(?:\.\d+)?)s$/.exec(textOf(duration) ?? '')?.[1];
  return seconds === undefined ? null : limitedRetryMs(Math.ceil(Number(seconds) * 1000));
}
