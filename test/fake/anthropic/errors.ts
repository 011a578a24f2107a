import type { Answer } from '../contract.ts';
import type { World } from '../world.ts';
import { writeErrorBody } from './answers.ts';

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** The type of an error of a status. */
export function nameType(status: number): string {
  return TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

/** An answer that says no. */
export function refuse(world: World, status: number, message: string): Answer {
  const requestId = world.ids.next('req_', 24);
  const value = writeErrorBody(nameType(status), message, requestId);
  return { is: 'json', status, value, headers: { 'request-id': requestId } };
}
