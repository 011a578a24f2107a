import { type AnsweredError, callError, retryAfterMs, short } from '../call-errors.ts';
import { fieldsOf, readFields, textOf } from '../fields.ts';
import type { ProviderError } from '../port.ts';

export type ErrorAbout = Exclude<ProviderError['about'], 'network'>;

/** What an error says of itself: `{"type":"error","error":{"type","message","details"?:{"error_code"}},"request_id"}`. */
export interface ErrorFacts {
  /** HTTP status; null for the error of a line, which has none. */
  readonly status: number | null;
  readonly type: string | null;
  /** `details.error_code`: the stable name of the cause, where there is one. */
  readonly code: string | null;
  readonly message: string;
}

/** @param error the whole body, or the `error` in it. @param otherwise for a body without words */
export function errorFacts(status: number | null, error: unknown, otherwise: string): ErrorFacts {
  const body = readFields(error);
  const inner = readFields(body?.error) ?? body;
  return {
    status,
    type: textOf(inner?.type),
    code: textOf(fieldsOf(inner?.details)?.error_code),
    message: textOf(inner?.message) ?? textOf(error) ?? otherwise,
  };
}

/**
 * What the error is about. The stable code is asked first, then the words for what has no code, then type and status:
 * a spend limit comes as 429 where Anthropic set it, as 400 where the customer did, and waiting ends neither.
 */
export function aboutOf(facts: ErrorFacts): ErrorAbout {
  if (isAccount(facts)) return 'account';
  const { type, status } = facts;
  const known = type === null ? undefined : ABOUT.get(type);
  if (known !== undefined) return known;
  // A type that nobody documents: the status, if there is one, says how to go on. Trying once more is bounded.
  if (status === 429 || status === 529) return 'capacity';
  return status !== null && status >= 400 && status < 500 && !PASSING.has(status) ? 'request' : 'server';
}

/** Anthropic's guide to errors, and `ErrorType` of @anthropic-ai/sdk 1.14.0. */
const ABOUT: ReadonlyMap<string, ErrorAbout> = new Map([
  ['invalid_request_error', 'request'],
  ['not_found_error', 'request'],
  ['request_too_large', 'request'],
  ['authentication_error', 'account'],
  ['permission_error', 'account'],
  ['billing_error', 'account'],
  ['rate_limit_error', 'capacity'],
  ['overloaded_error', 'capacity'],
  ['api_error', 'server'],
  ['timeout_error', 'server'],
  ['conflict_error', 'server'],
]);

/** About the moment and not about the request. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425]);

/**
 * Codes that only somebody with access to the console can end (@anthropic-ai/sdk 1.14.0, the error classes in
 * `resources/shared`). `ramp_limit_exceeded` is none of them: it ends by waiting.
 */
const ACCOUNT_CODES: ReadonlySet<string> = new Set([
  'enforced_spend_limit_reached',
  'contract_spend_limit_reached',
  'linked_organization_spend_limit_reached',
  'linked_organization_billing_unavailable',
  'organization_on_hold',
  'claude_code_key_creator_not_member',
  'cmek_key_disabled',
  'cmek_key_network_blocked',
  'workspace_human_review_disabled',
  'sandbox_egress_restricted',
]);

/**
 * Of 400s without a code: the spend limit that a customer set (claude-code#38035), no credit, a disabled organisation.
 * Whole phrases from the start of the message, since a refusal may quote what a customer wrote.
 */
const ACCOUNT_WORDS =
  /^(you have reached your specified (workspace )?api usage limits|your credit balance is too low|this organization has been disabled)/i;

function isAccount({ status, code, message }: ErrorFacts): boolean {
  if (status === 401 || status === 402 || status === 403) return true;
  if (code !== null && ACCOUNT_CODES.has(code)) return true;
  return (status === null || status < 500) && ACCOUNT_WORDS.test(message);
}

/** What a failed call says, or null where the error is not one of a call. */
export function providerErrorOf(error: unknown, nowMs: number): ProviderError | null {
  return callError(error, (answered) => answeredError(answered, nowMs));
}

function answeredError(error: AnsweredError, nowMs: number): ProviderError {
  const facts = errorFacts(error.status, error.error, error.message);
  return {
    status: facts.status,
    code: facts.code ?? facts.type,
    message: short(facts.message),
    about: aboutOf(facts),
    retryAfterMs: retryAfterMs(error.headers ?? new Headers(), nowMs),
  };
}
