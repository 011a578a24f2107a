import { type AnsweredError, callError, retryAfterMs, short } from '../call-errors.ts';
import { fieldsOf, readFields } from '../fields.ts';
import type { ProviderError } from '../port.ts';

/** What an error is about; `content` only occurs for single requests. */
export type ErrorAbout = 'request' | 'account' | 'capacity' | 'content' | 'server';

/** An error as OpenAI writes one, in a call's answer, in a line of a result file, or in a batch's `errors`. */
export interface ErrorFacts {
  /** HTTP status; null where there was none. */
  readonly status: number | null;
  readonly code: string | null;
  readonly type: string | null;
  readonly message: string;
}

/**
 * What the error is about. Code and type are asked before the status, since 400 and 429 are used for money,
 * for policy and for plain mistakes alike (OpenAI error code guide; openai SDK 7.59.0, `ResponseError.code`).
 */
export function aboutOf(facts: ErrorFacts): ErrorAbout {
  if (isContent(facts)) return 'content';
  if (isAccount(facts)) return 'account';
  if (isCapacity(facts)) return 'capacity';
  if (isServer(facts)) return 'server';
  if (isRequest(facts)) return 'request';
  // A status of 2xx or none, and a code that nobody documents: trying once more is bounded, giving up is not.
  return 'server';
}

/** The same for an entry of a failed batch's `errors`: what is not known there is the file's fault, not the server's. */
export function aboutOfBatchError(code: string | null, message: string): Exclude<ErrorAbout, 'content'> {
  const about = aboutOf({ status: null, code, type: 'invalid_request_error', message });
  return about === 'content' ? 'request' : about;
}

/** Codes for what the model or a filter would not do; Azure puts the last one in `innererror`. */
const CONTENT_CODE =
  /content_filter|content_policy|moderation_blocked|_policy(_violation)?$|^ResponsibleAIPolicyViolation$/;

function isContent({ code, message }: ErrorFacts): boolean {
  if (code === null) return false;
  // `invalid_prompt` means a prompt flagged by the usage policy, but also one that is malformed.
  return CONTENT_CODE.test(code) || (code === 'invalid_prompt' && /polic|flagged/i.test(message));
}

/** All of these were seen with status 429, where waiting changes nothing. */
const MONEY_CODES: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'project_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
]);
/** Whole phrases: a refusal may quote what a customer wrote about a balance. */
const MONEY_WORDS =
  /your credit balance is|you exceeded your current quota|billing hard limit has been|check your plan and billing details/i;

function isAccount({ status, code, type, message }: ErrorFacts): boolean {
  if (status === 401 || status === 402 || status === 403) return true;
  if (type === 'insufficient_quota' || (code !== null && MONEY_CODES.has(code))) return true;
  return (status === null || status < 500) && MONEY_WORDS.test(message);
}

const CAPACITY_CODES: ReadonlySet<string> = new Set([
  'token_limit_exceeded',
  'rate_limit_exceeded',
  'slow_down',
]);

function isCapacity({ status, code, message }: ErrorFacts): boolean {
  if (status === 429 || status === 529) return true;
  return (code !== null && CAPACITY_CODES.has(code)) || /enqueued (token|request)s? limit/i.test(message);
}

/** A file just uploaded is now and then reported as absent (openai-python#2084 and kin): it is there a little later. */
const FILE_NOT_THERE_YET = /cannot find file|input file (was )?not found|file .{0,80} being processed/i;
const SERVER_CODES: ReadonlySet<string> = new Set([
  'server_error',
  'request_timeout',
  'vector_store_timeout',
]);

function isServer({ status, code, type, message }: ErrorFacts): boolean {
  if (status !== null && (status >= 500 || status === 408 || status === 409)) return true;
  if (type === 'server_error' || (code !== null && SERVER_CODES.has(code))) return true;
  return FILE_NOT_THERE_YET.test(message);
}

const REQUEST_CODE =
  /^(invalid_|missing_|unsupported_|context_length|string_above|image_|empty_|failed_to_download|data_residency)/;

function isRequest({ status, code, type }: ErrorFacts): boolean {
  if (status !== null && status >= 400) return true;
  return type === 'invalid_request_error' || (code !== null && REQUEST_CODE.test(code));
}

/**
 * What a failed call says, or null where the error is not one of a call: a full disk or a mistake of ours
 * must not pass for a provider's answer.
 */
export function providerErrorOf(error: unknown, nowMs: number): ProviderError | null {
  return callError(error, (answered) => answeredError(answered, nowMs));
}

function answeredError(error: AnsweredError, nowMs: number): ProviderError {
  const facts = { status: error.status, ...bodyFacts(error.error, error.message) };
  const about = aboutOf(facts);
  return {
    status: error.status,
    code: facts.code ?? facts.type,
    message: short(facts.message),
    about: about === 'content' ? 'request' : about,
    retryAfterMs: retryAfterMs(error.headers ?? new Headers(), nowMs),
  };
}

/** Code, type and words of an error object; Azure's inner code comes first, since the outer one says only "bad request". */
export function bodyFacts(error: unknown, otherwise: string): Omit<ErrorFacts, 'status'> {
  const fields = readFields(error);
  if (fields === null)
    return { code: null, type: null, message: typeof error === 'string' && error !== '' ? error : otherwise };
  const { code, type, message, innererror } = fields;
  return {
    code: textOrNull(fieldsOf(innererror)?.code) ?? textOrNull(code),
    type: textOrNull(type),
    message: textOrNull(message) ?? otherwise,
  };
}

function textOrNull(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
