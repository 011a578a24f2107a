import { intentsOf } from '../../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../../journal/state.ts';

/** So many batches that went well, and the next ones may be twice as large: the room may have been others' for a while. */
const WELL = 4;

/**
 * Pure: how many items a shard of the run may have, as its history shows; null where nothing speaks against the job's
 * own limit. Half of what was too much: a batch that did not end in its window, or one that the provider had no room for
 * although nothing else of ours was under way. Sent unchanged it would come back for ever (agentsview#1356).
 */
export function mostItems(state: JournalState, run: RunState): number | null {
  let most: number | null = null;
  let well = 0;
  for (const intent of settledOnes(state, run)) {
    if (didNotEnd(intent) || (foundNoRoom(intent) && wasAlone(intent, state))) {
      most = Math.max(1, Math.min(most ?? intent.count, intent.count) >> 1);
      well = 0;
    } else if (most !== null && !foundNoRoom(intent)) {
      well += 1;
      if (well % WELL === 0) most *= 2;
    }
  }
  return most;
}

function settledOnes(state: JournalState, run: RunState): IntentState[] {
  return intentsOf(state, run)
    .filter((intent) => intent.settled !== null)
    .sort((a, b) => (a.settled?.seq ?? 0) - (b.settled?.seq ?? 0));
}

function didNotEnd({ batch, settled }: IntentState): boolean {
  return batch?.state === 'expired' && (settled?.summary.counts.expired ?? 0) > 0;
}

/** Every item of it was turned away for room. */
function foundNoRoom({ settled, count }: IntentState): boolean {
  return settled?.summary.counts.rate_or_capacity === count;
}

/** True where no other batch of the account can have held the room: those that found none themselves held none. */
function wasAlone(intent: IntentState, state: JournalState): boolean {
  return !Object.values(state.intents).some(
    (other) =>
      other.intent !== intent.intent &&
      other.account === intent.account &&
      other.batch !== null &&
      !foundNoRoom(other) &&
      wereTogether(intent, other),
  );
}

function wereTogether(one: IntentState, other: IntentState): boolean {
  const isBefore = (a: IntentState, b: IntentState) => a.settled !== null && a.settled.at <= b.at;
  return !isBefore(one, other) && !isBefore(other, one);
}
