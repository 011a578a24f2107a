import type { AnyCallFault } from '../faults.ts';
import { json, type Reply } from '../http.ts';

/** `google.rpc.Code`: number and the HTTP status that it goes out with. */
const CODES = {
  CANCELLED: [1, 499],
  INVALID_ARGUMENT: [3, 400],
  DEADLINE_EXCEEDED: [4, 504],
  NOT_FOUND: [5, 404],
  ALREADY_EXISTS: [6, 409],
  PERMISSION_DENIED: [7, 403],
  RESOURCE_EXHAUSTED: [8, 429],
  FAILED_PRECONDITION: [9, 400],
  INTERNAL: [13, 500],
  UNAVAILABLE: [14, 503],
  UNAUTHENTICATED: [16, 401],
} as const;
export type Word = keyof typeof CODES;

/** A refused call: `{"error":{code,message,status,details}}`, where the code is that of HTTP. */
export function refusal(word: Word, message: string, details: readonly unknown[] = []): Reply {
  const [, status] = CODES[word];
  return json(status, { error: { code: status, message, status: word, ...withDetails(details) } });
}

/** A `google.rpc.Status`, as a line of a result file and a failed batch have it. */
export function rpcStatus(word: Word, message: string): { readonly code: number; readonly message: string } {
  return { code: CODES[word][0], message };
}

function withDetails(details: readonly unknown[]): { readonly details?: readonly unknown[] } {
  return details.length === 0 ? {} : { details };
}

/** How long a client shall wait, where Google says it: in the details and not in a header. */
export function retryInfo(seconds: number): unknown {
  return { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` };
}

/** What Gemini says with each word where a scenario does not say otherwise. */
const USUAL: Readonly<Record<Word, string>> = {
  CANCELLED: 'The operation was cancelled.',
  INVALID_ARGUMENT: 'Request contains an invalid argument.',
  DEADLINE_EXCEEDED: 'Deadline expired before operation could complete.',
  NOT_FOUND: 'Requested entity was not found.',
  ALREADY_EXISTS: 'Requested entity already exists.',
  PERMISSION_DENIED: 'The caller does not have permission.',
  RESOURCE_EXHAUSTED: 'Resource has been exhausted (e.g. check quota).',
  FAILED_PRECONDITION: 'Precondition check failed.',
  INTERNAL: 'An internal error has occurred. Please retry.',
  UNAVAILABLE: 'The service is currently unavailable.',
  UNAUTHENTICATED: 'Request had invalid authentication credentials.',
};

const BY_STATUS: ReadonlyMap<number, Word> = new Map<number, Word>([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ALREADY_EXISTS'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

export function wordOf(status: number): Word {
  return BY_STATUS.get(status) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
}

/** A word of Google's as it stands; for a code of another provider's the word that says the same. */
export function wordOfCode(code: string): Word {
  if (Object.hasOwn(CODES, code)) return code as Word;
  if (/limit|quota/.test(code)) return 'RESOURCE_EXHAUSTED';
  return /timeout/.test(code) ? 'DEADLINE_EXCEEDED' : 'INVALID_ARGUMENT';
}

/** Codes of other providers that mean money. Google has no code for it, only words. */
const MONEY_CODE = /spend_limit|usage_limit|insufficient_quota|credit_balance|billing/;
const MONEY_WORDS =
  'Your project has exceeded its monthly spending cap. Please go to AI Studio to manage it.';

/** @param code that a scenario gives; it may be another provider's */
export function usualWords(word: Word, code?: string): string {
  return code !== undefined && MONEY_CODE.test(code) ? MONEY_WORDS : USUAL[word];
}

/** The error that a fault asks for. A time to wait stands in the details, as Google has it. */
export function errorOfFault(status: number, fault: AnyCallFault): Reply {
  const isWord = fault.code !== undefined && Object.hasOwn(CODES, fault.code);
  const word = isWord ? (fault.code as Word) : wordOf(status);
  const seconds = Number(fault.retry_after);
  const details = fault.retry_after !== undefined && Number.isFinite(seconds) ? [retryInfo(seconds)] : [];
  const message = fault.message ?? usualWords(word, fault.code);
  return json(status, { error: { code: status, message, status: word, ...withDetails(details) } });
}
