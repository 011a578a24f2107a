import { type Instant, later } from '../../ids.ts';
import type { BatchView } from '../../journal/batch.ts';
import type { Candidate } from '../../journal/events.ts';
import type { IntentState, JournalState } from '../../journal/state.ts';
import type { FindResult, Profile } from '../../provider/port.ts';
import type { Look } from './absence.ts';

/** Clocks of two machines that announce and judge may differ by so much, and no more is promised. */
const CLOCKS_MS = 3_600_000;

/**
 * Pure: which of these batches may be the intent's: made in its time, with as many requests, and unknown to the journal.
 */
export function candidatesFor(
  intent: IntentState,
  listed: readonly BatchView[],
  look: Look,
  profile: Profile,
  state: JournalState,
): BatchView[] {
  const from = later(intent.at, look.skewMs - CLOCKS_MS);
  const to = later(intent.notAfter, profile.createTimeoutMs + look.skewMs + CLOCKS_MS);
  const known = knownBatches(state);
  return listed.filter(
    ({ id, createdAt, progress }) =>
      !known.has(id) && createdAt >= from && createdAt <= to && mayHold(intent.count, progress),
  );
}

/**
 * Pure: batches that may have been the intent's, and that a list has no more: somebody has deleted them. What cannot be
 * read is not another's, and rows that it held may have been paid for.
 */
export function vanished(
  { phase, candidates }: IntentState,
  { untagged, complete }: FindResult,
  state: JournalState,
): Candidate[] {
  if (phase !== 'intent' || candidates === null) return [];
  const listed = new Set(untagged.map(({ id }) => id));
  const known = knownBatches(state);
  return undecided(candidates.batches)
    .filter(({ id }) => !listed.has(id) && !known.has(id))
    .map((each) => (complete ? { ...each, ids: 'unreadable' } : each));
}

/** Whatever has an id in the journal is somebody's already. */
function knownBatches(state: JournalState): ReadonlySet<string> {
  return new Set(Object.values(state.intents).flatMap(({ batch }) => batch?.id ?? []));
}

/** A batch that does not say how many it has may have any number. */
function mayHold(count: number, progress: BatchView['progress']): boolean {
  return progress === null || progress.total === 0 || progress.total === count;
}

/** Pure: what is to be remembered of a batch at this look. */
export function candidateOf({ id, createdAt, state }: BatchView, ids: Candidate['ids']): Candidate {
  return { id, createdAt, state, ids };
}

/** Pure: batches of which nobody has said yet that they are another's. */
export function undecided(batches: readonly Candidate[]): Candidate[] {
  return batches.filter(({ ids }) => ids !== 'foreign');
}

/** Pure: the only one that is left for this intent and for no other. */
export function presumedAmong(own: readonly Candidate[], others: readonly Candidate[]): string | null {
  const [sole, ...more] = undecided(own);
  if (sole === undefined || more.length > 0) return null;
  return others.some(({ id }) => id === sole.id) ? null : sole.id;
}

/** Pure: the latest time at which the results of all of them are there. */
export function readableBy(batches: readonly Candidate[], profile: Profile): Instant | null {
  const ends = undecided(batches).map(({ createdAt }) => later(createdAt, profile.windowMs));
  return ends.sort().at(-1) ?? null;
}
