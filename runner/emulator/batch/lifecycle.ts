import type { BatchRow } from './row.ts';

/** OpenAI's words, which tell the most; a face with fewer has its own for some of them together. */
export const STATUSES = [
  'validating',
  'in_progress',
  'finalizing',
  'completed',
  'failed',
  'expired',
  'cancelling',
  'cancelled',
] as const;
export type Status = (typeof STATUSES)[number];

/** Where a batch is at a moment; times in milliseconds, those that have not come are absent. */
export interface Stage {
  readonly status: Status;
  /** Of the requests, how much has run: 0 to 1. */
  readonly share: number;
  readonly at: Partial<Record<Exclude<Status, 'validating'>, number>>;
}

/** When validation is over, by the plan. Infinite where the batch is stuck there. */
export function validatedAt(batch: BatchRow): number {
  return batch.verdict?.at ?? batch.createdAt + batch.phases.validating_ms + stuckMs(batch, 'validating');
}

/**
 * The whole life cycle as a function of the clock; nothing happens by timers.
 *
 *   validating → in_progress → finalizing → completed      failed: from validating
 *   expired: from in_progress, at the window's end         cancelling → cancelled: from any of the first three
 */
export function stageAt(batch: BatchRow, now: number): Stage {
  const cancelAt = cancelledFrom(batch);
  if (cancelAt === null || now < cancelAt) return courseAt(batch, now);
  const before = courseAt(batch, cancelAt);
  // A poller must be able to see that it is being cancelled, however far the clock has jumped.
  const cancelled = cancelAt + batch.phases.cancelling_ms;
  if (now < cancelled || !batch.cancelSeen) {
    return { ...before, status: 'cancelling', at: { ...before.at, cancelling: cancelAt } };
  }
  return { ...before, status: 'cancelled', at: { ...before.at, cancelling: cancelAt, cancelled } };
}

/** A batch as somebody would have seen it so long ago, and the time of that: not before it was made. */
export interface Past<Row> {
  readonly row: Row;
  readonly stage: Stage;
  readonly at: number;
}

export function pastOf<Row extends BatchRow>(batch: Row, now: number, lagMs: number): Past<Row> {
  const at = Math.max(batch.createdAt, now - lagMs);
  const stage = stageAt({ ...batch, cancelAt: upTo(batch.cancelAt, at) }, at);
  return { row: isTerminal(stage.status) ? batch : { ...batch, end: null }, stage, at };
}

function upTo(time: number | null, at: number): number | null {
  return time !== null && time <= at ? time : null;
}

/** When somebody cancels it: over the API, or, as a scenario has it, a stranger at the provider's console. */
function cancelledFrom(batch: BatchRow): number | null {
  const share = batch.fault.cancel_with;
  if (batch.cancelAt !== null || share === undefined) return batch.cancelAt;
  return batch.verdict?.kind === 'valid' ? validatedAt(batch) + runMs(batch) * share : null;
}

/** The same if nobody cancels. */
function courseAt(batch: BatchRow, now: number): Stage {
  const started = validatedAt(batch);
  if (now < started) return { status: 'validating', share: 0, at: {} };
  if (batch.verdict?.kind === 'invalid') return { status: 'failed', share: 0, at: { failed: started } };
  const run = runMs(batch);
  const ended = started + run + stuckMs(batch, 'in_progress');
  const expires = expiryOf(batch, ended);
  const share = Math.min(
    1,
    run === 0 ? 1 : (Math.min(now, expires) - started) / run,
    batch.fault.expire_with ?? 1,
  );
  const at = { in_progress: started };
  if (now >= expires)
    return { status: 'expired', share: Math.max(0, share), at: { ...at, expired: expires } };
  if (now < ended || expires < Number.POSITIVE_INFINITY) return { status: 'in_progress', share, at };
  return endingAt(batch, now, ended, at);
}

function endingAt(batch: BatchRow, now: number, ended: number, at: Stage['at']): Stage {
  const completed = ended + batch.phases.finalizing_ms + stuckMs(batch, 'finalizing');
  const times = { ...at, finalizing: ended };
  if (now < completed) return { status: 'finalizing', share: 1, at: times };
  return { status: 'completed', share: 1, at: { ...times, completed } };
}

/** When it expires if nothing else comes first; infinite where it ends within its window. */
function expiryOf(batch: BatchRow, ended: number): number {
  const windowEnd = Math.max(batch.createdAt + batch.windowMs, validatedAt(batch));
  if (batch.fault.expire_with !== undefined) return windowEnd;
  // A batch that a scenario keeps running is the case of a provider that does not keep its word on time.
  return ended > windowEnd && batch.fault.stuck !== 'in_progress' ? windowEnd : Number.POSITIVE_INFINITY;
}

function runMs({ phases, verdict }: BatchRow): number {
  const requests = verdict?.kind === 'valid' ? verdict.run.requests : 0;
  return phases.running_ms + (phases.running_ms_per_1000 * requests) / 1000;
}

function stuckMs({ fault }: BatchRow, state: 'validating' | 'in_progress' | 'finalizing'): number {
  if (fault.stuck !== state) return 0;
  return fault.stuck_for_ms ?? Number.POSITIVE_INFINITY;
}

export function isTerminal(status: Status): boolean {
  return status === 'completed' || status === 'failed' || status === 'expired' || status === 'cancelled';
}
