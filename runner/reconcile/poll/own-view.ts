import type { BatchView } from '../../journal/batch.ts';
import type { IntentState } from '../../journal/state.ts';

/**
 * Pure: what a look at the batch of an intent has shown, under the id by which it is known; null where the answer is about
 * another batch, as a gateway's cache may have it. A tag decides, since a gateway may wrap ids anew in each answer; where
 * there is none, the id.
 */
export function ownView({ intent, secondOf, batch }: IntentState, seen: BatchView): BatchView | null {
  if (batch === null) return null;
  const isOwn = seen.intent === null ? seen.id === batch.id : seen.intent === (secondOf ?? intent);
  return isOwn ? { ...seen, id: batch.id } : null;
}
