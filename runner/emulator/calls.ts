import type { IncomingMessage } from 'node:http';
import type { Face, FoundCall, World } from './face.ts';
import type { AnyCallFault } from './faults.ts';
import { drain, type Reply } from './http.ts';
import type { CallName } from './scenario.ts';

/** What goes back to the client; `reset` is a connection that ends without an answer. */
export type Outcome = Reply | { readonly kind: 'reset' };

/** How often each operation was asked for. */
export type CallCounts = Partial<Record<CallName, number>>;

export interface Call {
  readonly face: Face;
  readonly found: FoundCall;
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
}

/** Answers one call of a provider's API, or lets it meet its fault before or after the emulator has done its part. */
export async function answerCall(call: Call, world: World, counts: CallCounts): Promise<Outcome> {
  const { face, found, request, query } = call;
  const unauthorized = face.refuse(request);
  if (unauthorized !== null) return readToEnd(unauthorized, request);
  const fault = faultOf(found, world, counts);
  const isLate = fault.when === 'after_commit';
  if (!isLate) {
    const instead = await met(face, fault, world);
    if (instead !== null) return readToEnd(instead, request);
  }
  const reply = withDownloadFault(await found.answer({ request, query, fault }), fault);
  return (isLate ? await met(face, fault, world) : null) ?? reply;
}

function faultOf({ on, batchNumber }: FoundCall, world: World, counts: CallCounts): AnyCallFault {
  const nth = (counts[on] ?? 0) + 1;
  counts[on] = nth;
  return world.faults().forCall({ on, nth, batch: batchNumber() }) ?? {};
}

/** What the fault has in the place of the answer; null where it only takes time. */
async function met(face: Face, fault: AnyCallFault, world: World): Promise<Outcome | null> {
  if (fault.delay_ms !== undefined) await world.clock.sleep(fault.delay_ms);
  if (fault.reset === true) return { kind: 'reset' };
  return fault.status === undefined ? null : errorReply(face, fault.status, fault);
}

function errorReply(face: Face, status: number, fault: AnyCallFault): Reply {
  const retryAfter = fault.retry_after === undefined ? {} : { 'retry-after': String(fault.retry_after) };
  const headers = { ...retryAfter, ...fault.headers };
  if (fault.body !== undefined)
    return { kind: 'text', status, type: 'text/plain', text: fault.body, headers };
  return { ...face.error(status, fault), headers };
}

/** A refused upload is read to its end, or the client would see a broken connection and not the refusal. */
async function readToEnd(outcome: Outcome, request: IncomingMessage): Promise<Outcome> {
  if (outcome.kind !== 'reset') await drain(request);
  return outcome;
}

function withDownloadFault(reply: Reply, { cut_at, content_length = true }: AnyCallFault): Reply {
  if (reply.kind !== 'file' || cut_at === undefined) return reply;
  return { ...reply, cut: { after: Math.floor(reply.bytes * cut_at), announced: content_length } };
}
