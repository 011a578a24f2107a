import { type AccountId, type Instant, type JobName, later } from '../ids.ts';
import type { IntentState, JournalState } from '../journal/state.ts';
import { mergeFlights, waitedMs } from './flights.ts';
import type { Pacing } from './snapshot.ts';
import { isOpen } from './spend.ts';

/** Whether an account takes new batches of a job now. */
export type Room =
  | { readonly kind: 'free' }
  /** It has just turned us away. */
  | {
      readonly kind: 'paused';
      readonly about: 'account' | 'capacity';
      readonly until: Instant;
      readonly why: string;
    }
  /** It would not let us spend when it was last asked: one small batch tells whether that is over. */
  | { readonly kind: 'probe'; readonly why: string; readonly isAsking: boolean }
  /** It has had no room for the job for a day of asking. From `until` on one small batch asks again. */
  | {
      readonly kind: 'stalled';
      readonly since: Instant;
      readonly until: Instant;
      readonly why: string;
      readonly isDue: boolean;
      /** Such a batch is under way. */
      readonly isAsking: boolean;
    };

/**
 * Rows of a batch that only asks whether there is room again. Few enough for any queue; but not one alone, since a row
 * that is turned away for ever would then hide that there is room for all others.
 */
export const PROBE_ROWS = 10;

export type RoomPacing = Pick<Pacing, 'capacityMs' | 'accountMs' | 'stalledAfterMs' | 'mostProbeMs'>;

interface Payer {
  readonly job: JobName;
  readonly account: AccountId;
}

/** Pure: what the journal says of the room that an account has for a job, at a time. */
export function readRoom(
  state: JournalState,
  { job, account }: Payer,
  pacing: RoomPacing,
  now: Instant,
): Room {
  const intents = Object.values(state.intents).filter((intent) => intent.account === account);
  const own = intents.filter((intent) => intent.job === job);
  const asked = findLastRetry(state, account);
  const refusals = intents.flatMap((intent) => readRefusal(intent) ?? []).filter(({ seq }) => seq > asked);
  const spending = countAccountRefusals(intents, asked);
  const pause = findLongestPause(refusals, spending, pacing);
  if (pause !== null && pause.about === 'account' && now < pause.until) return pause;
  const wants = refusals.filter((refusal) => refusal.job === job && refusal.about === 'capacity');
  const stall = findStall(intents, wants, findLastAnswer(own), pacing);
  if (stall !== null) {
    const until = findLongestWait(refusals, stall.until);
    return { ...stall, until, isDue: now >= until, isAsking: isAsking(own, wants) };
  }
  if (pause !== null && now < pause.until) return pause;
  if (spending === 0) return { kind: 'free' };
  const moneys = refusals.filter(({ about }) => about === 'account').sort(compareSeq);
  return { kind: 'probe', why: moneys.at(-1)?.why ?? '', isAsking: isAsking(intents, moneys) };
}

/** What is under way and was sent after the last of these refusals will tell. */
function isAsking(intents: readonly IntentState[], refusals: readonly Refusal[]): boolean {
  const last = refusals
    .map(({ at }) => at)
    .sort()
    .at(-1);
  return intents.some((intent) => isOpen(intent) && (last === undefined || intent.at >= last));
}

/** The last time that a person asked for another round of a run that the account pays for: what it said before is past. */
function findLastRetry(state: JournalState, account: AccountId): number {
  const seqs = Object.values(state.jobs)
    .flatMap(({ runs }) => runs)
    .filter((run) => run.account === account)
    .flatMap(({ pardons }) => pardons.map(({ seq }) => seq));
  return Math.max(0, ...seqs);
}

interface Refusal {
  readonly job: JobName;
  readonly about: 'account' | 'capacity';
  readonly seq: number;
  readonly at: Instant;
  readonly why: string;
  readonly retryAfterMs: number;
}

/** How a batch was turned away, as a whole or in some of its rows; null where it was not. */
function readRefusal(intent: IntentState): Refusal | null {
  const { job, error, refusedAt, settled, batch } = intent;
  if (intent.phase === 'refused' && error !== null && error.about !== 'request') {
    const about = error.about === 'account' ? 'account' : 'capacity';
    const { seq, at } = refusedAt ?? { seq: 0, at: intent.at };
    return { job, about, seq, at, why: error.message, retryAfterMs: error.retryAfterMs ?? 0 };
  }
  if (settled === null) return null;
  const { account = 0, rate_or_capacity: capacity = 0 } = settled.summary.counts;
  if (account + capacity === 0) return null;
  const why = batch?.errors[0]?.message ?? 'lines of the batch were turned away';
  return {
    job,
    about: account > 0 ? 'account' : 'capacity',
    seq: settled.seq,
    at: settled.at,
    why,
    retryAfterMs: 0,
  };
}

/**
 * How often in a row the account would not let us spend. By the order in which batches were sent: an answer to what was
 * sent before the refusal says nothing about it, and what was under way when it came has not asked again.
 */
function countAccountRefusals(intents: readonly IntentState[], asked: number): number {
  const sent = intents.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  let refusals = 0;
  let last: Instant | null = null;
  for (const intent of sent.slice(Math.max(0, sent.findLastIndex(isAnswered)))) {
    const refusal = readRefusal(intent);
    if (refusal?.about !== 'account' || refusal.seq <= asked) continue;
    if (last !== null && intent.at < last) continue;
    refusals += 1;
    last = refusal.at;
  }
  return refusals;
}

/** Some row of it came back as something else than turned away. */
function isAnswered({ settled }: IntentState): boolean {
  return Object.keys(settled?.summary.counts ?? {}).some(
    (of) => of !== 'account' && of !== 'rate_or_capacity',
  );
}

function findLongestPause(
  refusals: readonly Refusal[],
  spending: number,
  pacing: RoomPacing,
): Extract<Room, { kind: 'paused' }> | null {
  const accountMs = Math.min(pacing.mostProbeMs, pacing.accountMs * 2 ** Math.max(0, spending - 1));
  const pauses = refusals.map(({ about, at, why, retryAfterMs }) => {
    const ms = about === 'account' ? accountMs : Math.max(retryAfterMs, pacing.capacityMs);
    return { kind: 'paused', about, until: later(at, ms), why } as const;
  });
  return pauses.sort((a, b) => (a.until < b.until ? -1 : 1)).at(-1) ?? null;
}

/** How long the account asked any job to wait holds for all. Our own pauses for others do not: they would starve this one. */
function findLongestWait(refusals: readonly Refusal[], least: Instant): Instant {
  const told = refusals.map(({ at, retryAfterMs }) => later(at, retryAfterMs));
  return [least, ...told].sort().at(-1) ?? least;
}

function findLastAnswer(own: readonly IntentState[]): number {
  return Math.max(0, ...own.filter(isAnswered).map(({ settled }) => settled?.seq ?? 0));
}

/**
 * The clock runs from the first refusal since the last answer to the last one, and stands still while a batch of the
 * account is in flight: a slow window, or a queue that our own jobs fill, is no want of room. What nobody asked is not
 * counted either: a reconciler that was off for days has learned nothing.
 */
function findStall(
  intents: readonly IntentState[],
  refusals: readonly Refusal[],
  answered: number,
  pacing: RoomPacing,
): Omit<Extract<Room, { kind: 'stalled' }>, 'isDue' | 'isAsking'> | null {
  const since = refusals.filter(({ seq }) => seq > answered).sort(compareSeq);
  const [first] = since;
  const last = since.at(-1);
  if (first === undefined || last === undefined) return null;
  const flights = mergeFlights(intents);
  const probes = since.filter(({ at }) => waitedMs(first.at, at, flights) >= pacing.stalledAfterMs).length;
  if (probes === 0) return null;
  const pauseMs = Math.min(pacing.mostProbeMs, pacing.capacityMs * 2 ** Math.min(probes, 10));
  return { kind: 'stalled', since: first.at, until: later(last.at, pauseMs), why: last.why };
}

function compareSeq(a: Refusal, b: Refusal): number {
  return a.seq - b.seq;
}
