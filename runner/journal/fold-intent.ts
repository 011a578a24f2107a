import { isTerminal } from './batch.ts';
import type { SecondFound, SegmentHeader, SubmitIntent } from './events.ts';
import type { IntentState } from './state.ts';

/** An intent without its number within the run. */
type Unnumbered = Omit<IntentState, 'shard'>;

/** Pure: an announcement as the fold keeps it before anything has come of it. */
export function announcedIntent(event: SubmitIntent, header: SegmentHeader): Unnumbered {
  const { type: _, ...announced } = event;
  return { ...announced, ...FRESH, at: header.at };
}

/** Pure: a second batch is like its first in all that was announced, since it may cost as much again. */
export function secondIntent(first: IntentState, event: SecondFound, header: SegmentHeader): Unnumbered {
  const { batch } = event;
  return {
    ...first,
    ...FRESH,
    intent: event.intent,
    secondOf: first.intent,
    // The file that both were made from is the first's to delete.
    fileId: batch.inputFileId === first.fileId ? null : batch.inputFileId,
    at: header.at,
    phase: isTerminal(batch.state) ? 'ended' : 'live',
    batch,
  };
}

const FRESH = {
  secondOf: null,
  phase: 'intent',
  batch: null,
  error: null,
  searches: [],
  inputGone: false,
  secondsSearchedAt: null,
  candidates: null,
  clockSkewMs: 0,
  unseenSince: null,
  lost: null,
  collections: [],
  downloadFailed: null,
  resultsLost: null,
  released: [],
  settled: null,
  cancel: null,
  discarded: false,
} satisfies Partial<IntentState>;
