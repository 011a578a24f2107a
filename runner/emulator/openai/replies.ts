import type { AnyCallFault } from '../faults.ts';
import { json, type Reply } from '../http.ts';

interface ApiError {
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

/** `{"error":{message,type,param,code}}`, OpenAI's one shape for every refusal. */
export function refusal(status: number, error: ApiError): Reply {
  return json(status, errorBody(error));
}

export function errorBody({ message, type = 'invalid_request_error', param = null, code = null }: ApiError): {
  readonly error: Required<ApiError>;
} {
  return { error: { message, type, param, code } };
}

export function badParameter(param: string, message: string, code: string | null = 'invalid_value'): Reply {
  return refusal(400, { message, param, code });
}

export function missingParameter(param: string): Reply {
  return badParameter(param, `Missing required parameter: '${param}'.`, 'missing_required_parameter');
}

/** What OpenAI says with each status where a scenario does not say otherwise. */
const USUAL: Readonly<Record<number, ApiError>> = {
  400: { message: 'The request was refused.', code: 'invalid_request' },
  401: { message: 'Incorrect API key provided.', code: 'invalid_api_key' },
  403: { message: 'You do not have access to this.', code: null },
  404: { message: 'Not found.', code: null },
  409: { message: 'The resource is being changed by another request.', type: 'conflict' },
  429: { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' },
  500: { message: 'The server had an error while processing your request.', type: 'server_error' },
  503: {
    message: 'The server is overloaded. Please try again later.',
    type: 'service_unavailable_error',
    code: 'server_is_overloaded',
  },
};

/** Codes of a 429 that mean money: their type is `insufficient_quota`, and no retry helps. */
const MONEY_CODES: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'project_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
]);

/** The error that a fault asks for: its own words, and OpenAI's usual ones where it has none. */
export function errorOfFault(status: number, fault: AnyCallFault): ReturnType<typeof errorBody> {
  const usual = USUAL[status] ?? (status < 500 ? USUAL[400] : USUAL[500]);
  const isMoney = fault.code !== undefined && MONEY_CODES.has(fault.code);
  return errorBody({
    message: fault.message ?? (isMoney ? MONEY_MESSAGE : (usual?.message ?? '')),
    type: fault.type ?? (isMoney ? 'insufficient_quota' : (usual?.type ?? 'invalid_request_error')),
    code: fault.code ?? usual?.code ?? null,
  });
}

const MONEY_MESSAGE = 'You exceeded your current quota, please check your plan and billing details.';
