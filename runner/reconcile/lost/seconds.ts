import { type Instant, later, secondIntentId } from '../../ids.ts';
import type { BatchView } from '../../journal/batch.ts';
import type { JournalEvent } from '../../journal/events.ts';
import type { IntentState, JournalState } from '../../journal/state.ts';

/** A create that was repeated on its way shows within minutes; whoever looks for days only pays for lists. */
const SEARCHED_FOR_MS = 3 * 86_400_000;
/** Longer than a create may take and a list may lag at any provider. */
const SETTLES_MS = 30 * 60_000;
/** Between two looks for a batch, or for files of one, that was given up. */
const AGAIN_AFTER_MS = 86_400_000;

/**
 * Pure: whether the list is worth a look for another batch of this intent. Once when no create can be on its way any
 * more; again, day by day, where the batch was given up, or ended without any file: what it did may turn up.
 */
export function isSearchDue(intent: IntentState, now: Instant): boolean {
  if (intent.secondOf !== null || intent.phase === 'intent' || intent.phase === 'refused') return false;
  const last = intent.secondsSearchedAt;
  if (!isRecent(intent, now) || (last !== null && !isGivenUp(intent))) return false;
  const from = intent.searches.at(-1) ?? intent.notAfter;
  return now >= (last === null ? later(from, SETTLES_MS) : later(last, AGAIN_AFTER_MS));
}

function isGivenUp(intent: IntentState): boolean {
  return intent.phase === 'absent' || endedUnseen(intent);
}

/** Pure: intents whose batches a listing may show, whatever it was made for. */
export function isRecent(intent: IntentState, now: Instant): boolean {
  return now < later(intent.settled?.at ?? intent.at, SEARCHED_FOR_MS);
}

/**
 * Pure: what a listing tells of batches of these intents that the journal does not follow yet. The first batch of an
 * intent that waits for its receipt is no second one; the caller takes it.
 */
export function secondsAmong(
  found: readonly BatchView[],
  intents: readonly IntentState[],
  state: JournalState,
): JournalEvent[] {
  const followed = new Set(Object.values(state.intents).map(({ batch }) => batch?.id));
  return found.flatMap((batch): JournalEvent[] => {
    const first = intents.find(({ intent }) => intent === batch.intent);
    const intent = secondIntentId(batch.id);
    if (first === undefined || state.intents[intent] !== undefined) return [];
    const isNews = !followed.has(batch.id) || (first.batch?.id === batch.id && isBack(first, batch));
    return isNews ? [{ type: 'second.found', intent, secondOf: first.intent, job: first.job, batch }] : [];
  });
}

/** Its rows were given up while the provider showed no file of it. */
function endedUnseen({ settled, collections, batch }: IntentState): boolean {
  if (settled === null || collections.some(({ files }) => files.length > 0)) return false;
  const { expired = 0, cancelled = 0, missing = 0, lost = 0 } = settled.summary.counts;
  // Files that it named and that are gone are no news when it names them again.
  const never = batch?.outputFileId === null && batch.errorFileId === null;
  return batch?.state !== 'failed' && expired + cancelled + missing + (never ? lost : 0) > 0;
}

/** A batch that was given up shows itself, or the files that it did not have. */
function isBack(first: IntentState, batch: BatchView): boolean {
  const isThere = first.lost !== null || batch.outputFileId !== null || batch.errorFileId !== null;
  return endedUnseen(first) && isThere;
}
