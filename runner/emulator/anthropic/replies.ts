import type { AnyCallFault } from '../faults.ts';
import { json, type Reply } from '../http.ts';

export interface ApiError {
  readonly message: string;
  readonly type?: string;
  /** `details.error_code`. */
  readonly code?: string | null;
}

export interface ErrorBody {
  readonly type: 'error';
  readonly error: { readonly type: string; readonly message: string; readonly details?: object };
  readonly request_id: string;
}

/** `{"type":"error","error":{type,message,details?},"request_id"}`, Anthropic's one shape for every refusal. */
export function refusal(status: number, error: ApiError): Reply {
  return json(status, errorBody(status, error));
}

export function errorBody(status: number, { message, type, code = null }: ApiError): ErrorBody {
  const details = code === null ? {} : { details: { error_code: code } };
  return {
    type: 'error',
    error: { type: type ?? typeOf(status), message, ...details },
    request_id: 'req_emulator',
  };
}

export function notFound(id: string): Reply {
  return refusal(404, { message: `There is no message batch ${id}.` });
}

export function badRequest(message: string): Reply {
  return refusal(400, { message });
}

/** Anthropic's guide to errors. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function typeOf(status: number): string {
  return TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

const USUAL: Readonly<Record<string, string>> = {
  invalid_request_error: 'The request was refused.',
  authentication_error: 'The key is not valid.',
  billing_error: 'There is an issue with the billing of this organization.',
  permission_error: 'The key may not do this.',
  not_found_error: 'Not found.',
  request_too_large: 'The request has more bytes than are allowed.',
  rate_limit_error: "This request would exceed the organization's rate limit.",
  api_error: 'Internal server error.',
  timeout_error: 'The request timed out while processing.',
  overloaded_error: 'Overloaded.',
};

/** Scenarios are written for any provider: a type that only another one has says nothing here. */
export function knownType(type: string | undefined): string | null {
  return type !== undefined && Object.values(TYPES).includes(type) ? type : null;
}

/** Codes of a 429 that waiting does not end; OpenAI's word for the same becomes the first. */
const SPEND_LIMITS: readonly string[] = ['enforced_spend_limit_reached', 'contract_spend_limit_reached'];
const OPENAI_MONEY = 'insufficient_quota';
const SPEND_LIMIT_MESSAGE = 'The organization has reached a limit of what it may spend.';

/** The error that a fault asks for: its own words, and Anthropic's usual ones where it has none. */
export function errorOfFault(status: number, fault: AnyCallFault): ErrorBody {
  const type = knownType(fault.type) ?? typeOf(status);
  const code = fault.code === OPENAI_MONEY ? (SPEND_LIMITS[0] ?? null) : (fault.code ?? null);
  const usual = code !== null && SPEND_LIMITS.includes(code) ? SPEND_LIMIT_MESSAGE : USUAL[type];
  return errorBody(status, { type, message: fault.message ?? usual ?? 'Something went wrong.', code });
}
