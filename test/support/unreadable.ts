import { digestOf, type Instant, instantOf } from '../../runner/ids.ts';
import type { RawFile } from '../../runner/journal/events.ts';
import type { IntentState } from '../../runner/journal/state.ts';
import type { OutcomeSummary } from '../../runner/outcome/outcome.ts';
import { accepted, frozen, intent, intentId, START, settled, stateOf } from './journal.ts';

export const QUARTER_MS = 900_000;

/** So many quarters of an hour after the start. */
export function quarter(n: number): Instant {
  return instantOf(Date.parse(START) + n * QUARTER_MS);
}

export function rawFile(changes: Partial<RawFile> = {}): RawFile {
  return {
    kind: 'output',
    remoteId: 'file-1',
    stored: { name: `raw-${changes.digest ?? 'a'}`, digest: digestOf('stored'), bytes: 50 },
    digest: digestOf('a'),
    bytes: 100,
    lines: 3,
    listedBytes: 100,
    endsWithLineFeed: true,
    ...changes,
  };
}

type Collection = IntentState['collections'][number];

/** A look at the whole file of an expired batch of four, of which two were answered. */
export function lookAt(n: number, changes: Partial<Collection> = {}): Collection {
  return {
    at: quarter(n),
    files: [rawFile()],
    gone: [],
    counts: { total: 4, done: 2, failed: 0 },
    ...changes,
  };
}

/** A settled batch of a hundred rows; by default all of them answered. */
export function settledIntent(
  changes: Partial<IntentState> = {},
  summary: Partial<OutcomeSummary> = {},
): IntentState {
  const state = stateOf(
    [frozen()],
    [intent(1)],
    [accepted(1, { endedAt: START })],
    [settled(1, { ok: 100 })],
  );
  const known = state.intents[intentId(1)];
  if (known?.settled == null) throw new Error('the fold has lost an intent');
  const settledState = { ...known.settled, summary: { ...known.settled.summary, ...summary } };
  return { ...known, settled: settledState, ...changes };
}
