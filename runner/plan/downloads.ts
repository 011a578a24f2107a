import { epochMs, type Instant, instantOf, later } from '../ids.ts';
import type { IntentState } from '../journal/state.ts';
import type { Profile } from '../spec/profiles.ts';

/** In quarters of an hour, which `pacing.missingMs` is: an hour, six hours, a day. */
const HOUR = 4;
const SIX_HOURS = 24;
const DAY = 96;

/** Pure: true where rows of the batch have no readable result yet, and the provider may still have one. */
export function awaitsResults(intent: IntentState): boolean {
  const { settled, resultsLost, lost, via } = intent;
  if (settled === null || resultsLost !== null || lost !== null || via === 'live') return false;
  return (settled.summary.counts.unreadable ?? 0) > 0;
}

/** Pure: a look at its files was journaled, and nobody has read what it brought: a pass died in between. */
export function hasUnreadLook({ settled, collections }: IntentState): boolean {
  return settled !== null && collections.length > settled.collections;
}

/** Until when the provider keeps the results of an ended batch. */
export function resultsKeptUntil({ batch, at, collections }: IntentState, profile: Profile): Instant {
  const ended = batch?.endedAt ?? collections[0]?.at ?? batch?.createdAt ?? at;
  const from = profile.resultsKeptFrom === 'end' ? ended : (batch?.createdAt ?? ended);
  return later(from, profile.resultsKeptMs);
}

/**
 * Pure: when the results of a batch with unreadable rows are downloaded again: a quarter of an hour after the first look,
 * an hour after it, then every six hours; in the last quarter of the time for which the provider keeps them at least four
 * times; and once more at its end. Null where nothing is awaited.
 * @param quarterMs a quarter of an hour, by the pace of the pass
 */
export function nextDownload(intent: IntentState, profile: Profile, quarterMs: number): Instant | null {
  if (!awaitsResults(intent)) return null;
  const looks = intent.collections.map(({ at }) => epochMs(at));
  const settledAt = epochMs(intent.settled?.at ?? intent.at);
  const first = looks[0] ?? settledAt;
  const last = looks.at(-1) ?? settledAt;
  const end = epochMs(resultsKeptUntil(intent, profile));
  const usual = usualLook(first, last, quarterMs);
  return instantOf(Math.min(usual, lastQuarterLook(last, end, profile.resultsKeptMs), Math.max(end, last)));
}

function usualLook(first: number, last: number, quarterMs: number): number {
  if (last < first + quarterMs) return first + quarterMs;
  return last < first + HOUR * quarterMs ? first + HOUR * quarterMs : last + SIX_HOURS * quarterMs;
}

function lastQuarterLook(last: number, end: number, keptMs: number): number {
  const begins = end - keptMs / 4;
  return last < begins ? begins : last + keptMs / 16;
}

/**
 * Pure: true where the provider has gone on saying for a day that it does not have a file which it names. Providers say it
 * of files that they do have, so one answer proves nothing.
 */
export function isDeleted({ collections }: IntentState, now: Instant, quarterMs: number): boolean {
  const streak = collections.slice(collections.findLastIndex(({ gone }) => gone.length === 0) + 1);
  const since = streak[0]?.at;
  return since !== undefined && epochMs(now) - epochMs(since) >= DAY * quarterMs;
}
