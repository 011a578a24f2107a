import type { Instant } from '../../ids.ts';
import type { IntentState } from '../../journal/state.ts';
import type { FindResult } from '../../provider/port.ts';

export interface Listing {
  readonly listed: FindResult;
  /** The walk through the list went back so far. */
  readonly since: Instant;
  /** A batch that was made after this time may not be in any list yet. */
  readonly shownUntil: Instant;
}

/**
 * Pure: which of these intents have a batch that ran at the last look at it, and that the list leaves out. Such a list is
 * not whole, whatever it says of itself (an empty page from a gateway is good JSON), and proves nothing of any batch.
 */
export function findLeftOut(
  intents: readonly IntentState[],
  { listed, since, shownUntil }: Listing,
): IntentState[] {
  const shown = new Set([...listed.found, ...listed.untagged].map(({ id }) => id));
  return intents.filter(
    ({ phase, batch, unseenSince }) =>
      phase === 'live' &&
      unseenSince === null &&
      batch !== null &&
      batch.createdAt >= since &&
      batch.createdAt <= shownUntil &&
      !shown.has(batch.id),
  );
}
