import type { Answer } from '../contract.ts';
import type { Json } from '../json.ts';

const NAMES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** The body of an error with the name that belongs to a status. */
export function writeErrorBody(code: number, message: string): Json {
  return { error: { code, message, status: NAMES[code] ?? (code >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT') } };
}

/** An answer that says no. */
export function refuse(status: number, message: string): Answer {
  return { is: 'json', status, value: writeErrorBody(status, message) };
}
