import { formatMinute, type Instant, instantOf } from '../ids.ts';
import { intentsOf } from '../journal/fold.ts';
import type { IntentState, RunState } from '../journal/state.ts';
import type { Plan, Rest, Submit } from './action.ts';
import { canaryVerdict } from './canary.ts';
import { PROBE_ROWS, type Room, readRoom } from './capacity.ts';
import type { RunObserved, Snapshot } from './snapshot.ts';
import { isOpen } from './spend.ts';
import { countLeft, countSendable, describeCancelled, findStop } from './stop.ts';

/** Pure: what of a frozen run is sent now, or why nothing is. Read downwards: the first reason not to ends it. */
export function planSubmits(run: RunState, observed: RunObserved, snapshot: Snapshot): Plan {
  const intents = intentsOf(snapshot.journal, run);
  const open = intents.filter(isOpen).length;
  const stop = findStop(snapshot.journal, run, observed);
  if (stop !== null) return rest(run, 'blocked', stop);
  const wanted = countSendable(observed);
  const room = readRoom(snapshot.journal, run, snapshot.pacing, snapshot.now);
  if (wanted === 0) return restUnsent(run, open, observed, room);
  const blocker =
    findBlocker(run, room) ?? (open >= run.spec.shard.maxInFlight ? restInFlight(run, open) : null);
  if (blocker !== null) return blocker;
  const sent = submitSome(run, open, observed, intents, snapshot);
  return room.kind === 'free' ? sent : { ...sent, actions: sent.actions.map(asProbe) };
}

const NOTHING: Plan = { actions: [], rests: [] };

function restUnsent(run: RunState, open: number, observed: RunObserved, room: Room): Plan {
  if (open > 0) return room.kind === 'stalled' ? restWithoutRoom(run, room) : restInFlight(run, open);
  const { cancelled: items } = observed.sendable;
  return items > 0 ? rest(run, 'blocked', describeCancelled(run, items)) : NOTHING;
}

function restInFlight(run: RunState, open: number): Plan {
  const message = `${open} ${open === 1 ? 'batch' : 'batches'} under way`;
  return rest(run, 'in_flight', { reason: 'ProviderRunning', message });
}

/** Null where something may be sent, be it a small batch that asks. */
function findBlocker(run: RunState, room: Room): Plan | null {
  switch (room.kind) {
    case 'free':
      return null;
    case 'paused':
      return room.about === 'account' ? restUnpaid(run, room.why, room.until) : restQueued(run, room);
    case 'probe':
      return room.isAsking ? restUnpaid(run, room.why, null) : null;
    case 'stalled':
      return room.isDue && !room.isAsking ? null : restWithoutRoom(run, room);
    default:
      return room satisfies never;
  }
}

function restUnpaid(run: RunState, why: string, until: Instant | null): Plan {
  const asks =
    until === null ? 'a small batch asks now' : `a small batch asks from ${formatMinute(until)} on`;
  return rest(run, 'blocked', {
    reason: 'AccountPaused',
    message: `${run.account} takes no new batch, ${asks}: ${why}`,
    next: `look at the provider's billing and limits pages. When it is in order, \`batchwright retry ${run.job}\` has it asked at once`,
    ...(until === null ? {} : { until }),
  });
}

function restQueued(run: RunState, { until, why }: Extract<Room, { kind: 'paused' }>): Plan {
  const message = `${run.account} takes no new batch until ${formatMinute(until)}: ${why}`;
  return rest(run, 'waiting', { reason: 'QueueFull', message, until });
}

/** Told as stalled, though it goes on by itself: after a day somebody may want more room. */
function restWithoutRoom(
  run: RunState,
  { since, until, why, isAsking }: Extract<Room, { kind: 'stalled' }>,
): Plan {
  const asks = isAsking ? 'a small batch asks now' : `a small batch asks from ${formatMinute(until)} on`;
  return rest(run, 'blocked', {
    reason: 'NoCapacity',
    message: `${run.account} has had no room for this job since ${formatMinute(since)}; ${asks}: ${why}`,
    next: `it goes on by itself once there is room; for more of it, see the provider's limits page. \`batchwright retry ${run.job}\` has it asked at once`,
    ...(isAsking ? {} : { until }),
  });
}

function submitSome(
  run: RunState,
  open: number,
  observed: RunObserved,
  intents: readonly IntentState[],
  snapshot: Snapshot,
): Plan {
  const canary = canaryVerdict(snapshot.journal, run, countLeft(observed));
  if (canary.kind === 'waiting')
    return rest(run, 'waiting', { reason: 'Canary', message: `its canary of ${canary.items}` });
  if (canary.kind === 'send') return submitCanary(run, canary, intents, snapshot);
  return submitShards(run, open, observed, intents, snapshot);
}

/** A canary that came back without an answer is tried again like any other failure: after a pause. */
function submitCanary(
  run: RunState,
  { items, tries }: { readonly items: number; readonly tries: number },
  intents: readonly IntentState[],
  snapshot: Snapshot,
): Plan {
  const due = tries === 0 ? snapshot.now : findRetryDue(intents, tries - 1, snapshot);
  if (snapshot.now < due) return restUntilRetry(run, 'the canary is', due);
  const isFirst = intents.every(({ kind, settled }) => kind !== 'canary' || settled === null);
  return submit(
    run,
    'canary',
    items,
    isFirst ? 'model, prompt or schema is new' : 'the last canary was not answered',
  );
}

/** First tries before retries; retries when nothing of the run is under way, so that they travel together. */
function submitShards(
  run: RunState,
  open: number,
  observed: RunObserved,
  intents: readonly IntentState[],
  snapshot: Snapshot,
): Plan {
  const { first, retry, stalled } = observed.sendable;
  if (first + stalled > 0) return submit(run, 'first', first + stalled, 'not sent yet');
  if (open > 0) return restInFlight(run, open);
  // Shards that were announced together are one round.
  const retries = intents.filter((intent) => intent.kind === 'retry' && intent.secondOf === null);
  const rounds = new Set(retries.map((intent) => intent.at)).size;
  const due = findRetryDue(intents, rounds, snapshot);
  if (snapshot.now < due) return restUntilRetry(run, `${retry} items are`, due);
  return submit(run, 'retry', retry, 'failed in a way that another try may mend');
}

function restUntilRetry(run: RunState, what: string, due: Instant): Plan {
  const message = `${what} tried again after a pause, from ${formatMinute(due)} on`;
  return rest(run, 'waiting', { reason: 'Retry', message, until: due });
}

/** Doubles with each round of retries: a provider in trouble gets room. */
function findRetryDue(intents: readonly IntentState[], rounds: number, snapshot: Snapshot): Instant {
  const settled = intents.flatMap((intent) => (intent.settled === null ? [] : [intent.settled.at])).sort();
  const last = settled.at(-1);
  if (last === undefined) return snapshot.now;
  return instantOf(Date.parse(last) + snapshot.pacing.retryMs * 2 ** Math.min(rounds, 5));
}

function submit(run: RunState, shard: Submit['shard'], items: number, reason: string): Plan {
  return { actions: [{ kind: 'submit', job: run.job, run: run.run, shard, items, reason }], rests: [] };
}

/** However much is left: it only asks. */
function asProbe(action: Plan['actions'][number]): Plan['actions'][number] {
  if (action.kind !== 'submit') return action;
  const items = Math.min(action.items, PROBE_ROWS);
  return { ...action, items, reason: 'asks whether there is room again', probe: true };
}

type Why = Pick<Rest, 'reason' | 'message' | 'until'> & { readonly next?: string };

function rest(run: RunState, kind: Rest['kind'], { reason, message, next, until }: Why): Plan {
  const due = until === undefined ? {} : { until };
  return { actions: [], rests: [{ job: run.job, kind, reason, message, next: next ?? null, ...due }] };
}
