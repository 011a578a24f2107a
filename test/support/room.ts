import type { JournalEvent } from '../../runner/journal/events.ts';
import type { JournalState } from '../../runner/journal/state.ts';
import { readRoom } from '../../runner/plan/capacity.ts';
import { PATIENT } from '../../runner/plan/snapshot.ts';
import {
  ACCOUNT,
  accepted,
  frozen,
  generation,
  intent,
  intentId,
  JOB,
  settled,
  stateAtMinutes,
} from './journal.ts';
import { inMinutes } from './plan.ts';

/** Journals in which batches of an account are refused and answered, by minutes; what `readRoom` makes of them. */

export const HOUR = 60;
export const DAY = 24 * HOUR;
export type Timed = readonly [minutes: number, events: readonly JournalEvent[]];
const RUN: Timed = [0, [generation(), frozen()]];
export const OTHER = 'invoices' as typeof JOB.name;

/** What became of a batch, and when. */
export interface Life {
  readonly from: number;
  /** A create that was refused, or what was settled when; null: still open. */
  readonly to:
    | { readonly refused: Refusal }
    | { readonly at: number; readonly counts: Record<string, number> }
    | null;
  readonly job?: typeof JOB.name;
  readonly account?: typeof ACCOUNT;
}

export interface Refusal {
  readonly about: 'account' | 'capacity' | 'server' | 'network' | 'request';
  readonly retryAfterMs?: number;
}

function timedOf(life: Life, n: number): Timed[] {
  const { from, to, job = JOB.name, account = ACCOUNT } = life;
  const announced = { ...intent(n, { job, account }) };
  const of = <Event extends JournalEvent>(event: Event) => ({ ...event, job });
  if (to === null) return [[from, [announced, of(accepted(n))]]];
  if ('refused' in to) {
    const error = { status: 429, code: 'x', message: `no room ${n}`, retryAfterMs: null, ...to.refused };
    return [[from, [announced, { type: 'submit.refused', intent: intentId(n), job, error }]]];
  }
  return [
    [from, [announced, of(accepted(n))]],
    [to.at, [of(settled(n, to.counts))]],
  ];
}

function journal(lives: readonly Life[], more: readonly Timed[] = []): JournalState {
  const timed = [RUN, ...lives.flatMap((life, at) => timedOf(life, at + 1)), ...more];
  return stateAtMinutes(...timed.toSorted(([a], [b]) => a - b));
}

export const refused = (
  from: number,
  about: Refusal['about'] = 'capacity',
  more: Partial<Life> = {},
): Life => ({
  from,
  to: { refused: { about } },
  ...more,
});
/** A batch that runs for a minute, and then each of its rows was turned away. */
export const turnedAway = (from: number, more: Partial<Life> = {}): Life => ({
  from,
  to: { at: from + 1, counts: { rate_or_capacity: 100 } },
  ...more,
});
export const answered = (from: number, to: number, more: Partial<Life> = {}): Life => ({
  from,
  to: { at: to, counts: { ok: 100 } },
  ...more,
});
export const every = (minutes: number, until: number, life: (from: number) => Life, from = 0): Life[] =>
  Array.from({ length: Math.floor((until - from) / minutes) + 1 }, (_, n) => life(from + n * minutes));

export function room(lives: readonly Life[], minutes: number, more: readonly Timed[] = []) {
  return readRoom(journal(lives, more), { job: JOB.name, account: ACCOUNT }, PATIENT, inMinutes(minutes));
}
