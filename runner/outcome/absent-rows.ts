import { epochMs } from '../ids.ts';
import type { IntentState } from '../journal/state.ts';
import type { ProviderKind } from '../spec/profiles.ts';
import { type AbsenceDoubt, doubtAbsence, hasNoResults } from './absence.ts';
import { type Classified, MISSING } from './classify.ts';
import { failedBatch } from './failed-batch.ts';
import type { LinesRead } from './outcome.ts';

/** What becomes of the items of a batch that no line names. */
export interface AbsentRows {
  readonly rowOf: (ordinal: number) => Classified;
  /** Why it is not proved that they have no answer; null where it is, or where nobody will look any more. */
  readonly doubt: AbsenceDoubt | null;
}

/**
 * Pure. A row without a line is missing, and may be bought again, only where that is proved; else it is unreadable, and
 * waits.
 */
export function judgeAbsent(
  intent: IntentState,
  kind: ProviderKind,
  read: LinesRead,
  apartMs: number,
): AbsentRows {
  if (intent.lost !== null) return settledAs(GIVEN_UP);
  // What was asked row by row has no file at a provider that could be read again.
  if (intent.via === 'live') return settledAs(MISSING);
  const known = endOf(intent, kind, read, apartMs);
  if (known !== null) return known;
  if (intent.resultsLost !== null) return settledAs(LOST[intent.resultsLost.why]);
  const doubt = doubtOf(intent, kind, read, apartMs);
  return doubt === null ? settledAs(provedRow(intent)) : { rowOf: () => UNREADABLE_ROW, doubt };
}

function settledAs(row: Classified): AbsentRows {
  return { rowOf: () => row, doubt: null };
}

/** What the provider's contract says of batches that ended so; null where it says nothing. */
function endOf(
  { batch, collections, ordinals }: IntentState,
  kind: ProviderKind,
  { own }: LinesRead,
  apartMs: number,
): AbsentRows | null {
  if (batch === null || own > 0 || collections.some(({ files, gone }) => files.length + gone.length > 0))
    return null;
  if (!hasNoResults(kind, batch)) return null;
  if (batch.state === 'failed') return { rowOf: failedBatch(batch, ordinals), doubt: null };
  // Files have turned up some minutes after the end.
  return wasAskedTwice(collections, apartMs)
    ? settledAs(unrunRow(batch.state))
    : { rowOf: () => UNREADABLE_ROW, doubt: 'seen_once' };
}

/** A look that could not ask the batch brings no counts where the first has brought some: it confirms nothing. */
function wasAskedTwice([first, ...others]: IntentState['collections'], apartMs: number): boolean {
  if (first === undefined) return false;
  return others.some(
    ({ at, counts }) =>
      epochMs(at) - epochMs(first.at) >= apartMs && (counts !== null || first.counts === null),
  );
}

function doubtOf(
  { batch, collections, count }: IntentState,
  kind: ProviderKind,
  read: LinesRead,
  apartMs: number,
): AbsenceDoubt | null {
  if (batch === null) return 'no_look';
  // There every request has a line, whatever ended the batch (`hasNoResults` has the source).
  const state = kind === 'anthropic' ? 'completed' : batch.state;
  return doubtAbsence({ state, sent: count, looks: collections, read, apartMs });
}

/** Where there is no file at all nothing has run; and what a person has ended goes again only by a person. */
function provedRow({ batch, collections, cancel }: IntentState): Classified {
  const hasFiles = collections.at(-1)?.files.length !== 0;
  const isByPerson = cancel?.why === 'person' || (cancel === null && batch?.state === 'cancelled');
  if (batch === null || (hasFiles && !isByPerson)) return MISSING;
  return unrunRow(batch.state === 'expired' && !isByPerson ? 'expired' : 'cancelled');
}

function unrunRow(state: string): Classified {
  const of = state === 'expired' ? 'expired' : 'cancelled';
  return { ...MISSING, class: of, cause: `the batch was ${of} before it ran` };
}

/** What it may have cost is assumed, as for any row that is missing. */
const GIVEN_UP: Classified = { ...MISSING, cause: 'a person has given its batch up' };

const UNREADABLE_ROW: Classified = { ...MISSING, class: 'unreadable', cause: 'its result cannot be read' };

/** Held and not missing: another try is a second payment, which only a person may order. */
const LOST: Readonly<Record<'deleted' | 'expired', Classified>> = {
  deleted: { ...MISSING, class: 'lost', cause: 'its result is gone at the provider' },
  expired: { ...MISSING, class: 'lost', cause: 'the provider keeps its result no longer' },
};
