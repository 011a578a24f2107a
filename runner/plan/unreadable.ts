import { formatMinute, type Instant, later } from '../ids.ts';
import { intentsOf } from '../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../journal/state.ts';
import { judgeAbsent } from '../outcome/absent-rows.ts';
import { explainDoubt } from '../outcome/explain-doubt.ts';
import type { Profile } from '../spec/profiles.ts';
import type { Rest } from './action.ts';
import { nextDownload, resultsKeptUntil } from './downloads.ts';
import { countAwaited } from './spend.ts';

/** A batch of which rows wait for a result that can be read. */
export interface UnreadableBatch {
  readonly intent: IntentState;
  readonly rows: number;
  /** Of these, those that were not sent again. */
  readonly awaited: number;
  /** Why, in words. */
  readonly why: string;
  readonly nextDownload: Instant;
  readonly keptUntil: Instant;
  /** True while the looks of the first hour are not over: most outages are, by then, and nobody is needed yet. */
  readonly isYoung: boolean;
}

/** What time it is, and how long a quarter of an hour is by the pace of the pass. */
export interface Clock {
  readonly quarterMs: number;
  readonly now: Instant;
}

/** Pure: the batches of a run whose results cannot be read, in the order of their announcement. */
export function unreadableBatches(
  state: JournalState,
  run: RunState,
  profile: Profile,
  { quarterMs, now }: Clock,
): UnreadableBatch[] {
  return intentsOf(state, run).flatMap((intent) => {
    const next = nextDownload(intent, profile, quarterMs);
    if (next === null) return [];
    return [
      { ...describeBatch(intent, profile, next, { quarterMs, now }), awaited: countAwaited(intent, run) },
    ];
  });
}

function describeBatch(
  intent: IntentState,
  profile: Profile,
  next: Instant,
  { quarterMs, now }: Clock,
): Omit<UnreadableBatch, 'awaited'> {
  const { counts, lines } = intent.settled?.summary ?? NO_SUMMARY;
  const { doubt } = judgeAbsent(intent, profile.kind, lines, quarterMs);
  return {
    intent,
    rows: counts.unreadable ?? 0,
    why: doubt === null ? 'lines under their ids cannot be understood' : explainDoubt(doubt, intent),
    nextDownload: next,
    keptUntil: resultsKeptUntil(intent, profile),
    isYoung: intent.collections.length < YOUNG_LOOKS && now < later(next, OVERDUE * quarterMs),
  };
}

/** At once, a quarter of an hour later, and an hour later. */
const YOUNG_LOOKS = 3;
/** Quarters of an hour: so long after it was due, a look that has brought nothing is an outage that somebody should see. */
const OVERDUE = 4;

const NO_SUMMARY = { counts: { unreadable: 0 }, lines: { own: 0, foreign: 0, unparsed: 0 } };

/**
 * Pure: why a run rests whose results cannot be read; null where none waits. `holdsRest`: they are of a canary, so that
 * what is left of the run waits for them too.
 */
export function restUnreadable(
  run: RunState,
  batches: readonly UnreadableBatch[],
  { rows, holdsRest }: { readonly rows: number; readonly holdsRest: boolean },
): Rest | null {
  const [first] = batches;
  if (first === undefined || rows === 0) return null;
  const next = batches.map((batch) => batch.nextDownload).sort()[0] ?? first.nextDownload;
  const kept = batches.map(({ keptUntil }) => keptUntil).sort()[0] ?? first.keptUntil;
  const message = `${rows} ${rows === 1 ? 'row has' : 'rows have'} no readable result (${first.why}); ${holdsRest ? 'nothing more is sent' : 'nothing is sent for them'}, and the results are downloaded again`;
  const isYoung = batches.every((batch) => batch.isYoung);
  return {
    job: run.job,
    kind: isYoung ? 'waiting' : 'blocked',
    reason: 'ResultsUnreadable',
    message,
    until: next,
    next: isYoung
      ? null
      : `see what the provider delivers, which keeps them until ${formatMinute(kept)}; or pay for another try: batchwright retry ${run.job} --class unreadable`,
  };
}
