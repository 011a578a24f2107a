import type { BatchView } from '../journal/batch.ts';
import { isRefusal } from './call-errors.ts';
import type { Call, CreateResult, Provider } from './port.ts';

/** What a call means for the port, alike at every provider whose errors have the usual statuses. */

/** A create that failed otherwise than by a refusal may have happened. */
export function createResult(call: Call<BatchView>): CreateResult {
  if (call.kind === 'ok') return { kind: 'accepted', batch: call.value };
  return { kind: isRefusal(call.error) ? 'refused' : 'ambiguous', error: call.error };
}

/** "Not found" is kept apart: it is no proof that the batch is gone. */
export function pollResult(call: Call<BatchView>): Awaited<ReturnType<Provider['poll']>> {
  return isNotFound(call) ? { kind: 'not_found', message: call.error.message } : call;
}

/** What is gone already counts as deleted. */
export function discardResult(call: Call<unknown>): Awaited<ReturnType<Provider['discard']>> {
  return call.kind === 'failed' && !isNotFound(call) ? call : { kind: 'ok', value: { deleted: true } };
}

export function isNotFound<Value>(call: Call<Value>): call is Extract<Call<Value>, { kind: 'failed' }> {
  return call.kind === 'failed' && call.error.status === 404;
}
