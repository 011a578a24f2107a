import { DAY, MINUTE } from './clock.ts';

/** How a batch ends by itself. `ran` is how many of its lines run, in the order of the input. */
export type End =
  | { as: 'completed' }
  | { as: 'failed'; code: string; message: string; line?: number; param?: string }
  | { as: 'expired'; ran: number }
  | { as: 'cancelled'; ran: number };

/** The life that a batch will have. All times are milliseconds of virtual time. */
export type Plan = {
  validateMs: number;
  runMs: number;
  /** From the wish to cancel to the end. */
  cancelMs: number;
  /** After this long it expires, done or not. */
  windowMs: number;
  end: End;
};

export const USUAL_PLAN: Plan = {
  validateMs: MINUTE,
  runMs: 10 * MINUTE,
  cancelMs: 2 * MINUTE,
  windowMs: DAY,
  end: { as: 'completed' },
};

export type LastPhase = 'completed' | 'failed' | 'expired' | 'cancelled';
export type Phase = 'validating' | 'running' | 'finalizing' | 'cancelling' | LastPhase;

/** The moments of a life, all settled by the plan and by the wish to cancel. */
export type Timeline = {
  createdAt: number;
  startedAt: number;
  finalizingAt: number;
  cancellingAt: number | null;
  endedAt: number;
  last: LastPhase;
  plan: Plan;
};

/** Works out the moments of a batch; `cancelAskedAt` is when its owner asked to cancel it. */
export function drawTimeline(createdAt: number, plan: Plan, cancelAskedAt: number | null): Timeline {
  const startedAt = createdAt + plan.validateMs;
  const base = { createdAt, startedAt, finalizingAt: startedAt + plan.runMs * RUN_SHARE, plan };
  const natural = drawEnd(createdAt, plan);
  const cancellingAt = Math.min(cancelAskedAt ?? Infinity, plan.end.as === 'cancelled' ? natural : Infinity);
  if (cancellingAt < natural || plan.end.as === 'cancelled')
    return { ...base, cancellingAt, endedAt: cancellingAt + plan.cancelMs, last: 'cancelled' };
  const windowEnd = createdAt + plan.windowMs;
  const expires = plan.end.as === 'expired' || natural > windowEnd;
  if (expires) return { ...base, cancellingAt: null, endedAt: windowEnd, last: 'expired' };
  const last = plan.end.as === 'failed' ? 'failed' : 'completed';
  return { ...base, cancellingAt: null, endedAt: natural, last };
}

/** The phase of a batch at a moment. */
export function readPhase(line: Timeline, at: number): Phase {
  if (at >= line.endedAt) return line.last;
  if (line.cancellingAt !== null && at >= line.cancellingAt) return 'cancelling';
  if (at < line.startedAt) return 'validating';
  return at < line.finalizingAt || line.plan.end.as === 'expired' ? 'running' : 'finalizing';
}

/** When the line at an index of so many runs; null where it never does. */
export function findRunTime(line: Timeline, index: number, size: number): number | null {
  const { end, runMs } = line.plan;
  if (end.as === 'failed' || ('ran' in end && index >= end.ran)) return null;
  const at = line.startedAt + (RUN_SHARE * runMs * (index + 1)) / size;
  return at <= (line.cancellingAt ?? line.endedAt) ? at : null;
}

/** The last tenth of a run is spent on writing the files. */
const RUN_SHARE = 0.9;

function drawEnd(createdAt: number, plan: Plan): number {
  if (plan.end.as === 'failed') return createdAt + plan.validateMs;
  if (plan.end.as === 'expired') return createdAt + plan.windowMs;
  return createdAt + plan.validateMs + plan.runMs;
}
