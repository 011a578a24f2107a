import type {
  Applied,
  GenerationObserved,
  OutcomesRevised,
  RawCollected,
  RunDropped,
  RunFrozen,
  SegmentHeader,
} from './events.ts';
import type { DroppedState, GenerationState, IntentPhase, RunState, SettledState } from './state.ts';

const ORDER: readonly IntentPhase[] = ['intent', 'live', 'ended', 'collected', 'settled'];

/** A late look at a batch must not bring an intent back from where it has got to. */
export function furthest(now: IntentPhase, next: IntentPhase): IntentPhase {
  if (now === 'refused' || now === 'absent') return next;
  return ORDER.indexOf(next) > ORDER.indexOf(now) ? next : now;
}

/** One look at result files, as the fold keeps it. */
export function collectionOf({ files, gone, counts }: RawCollected, header: SegmentHeader) {
  return { at: header.at, files, gone, counts };
}

/** The time of the purchase stays: what became of its rows was read anew, and what the newly read ones cost. */
export function revisedBy(
  settled: SettledState,
  event: OutcomesRevised,
  header: SegmentHeader,
): SettledState {
  const { check, collections, outcomes, summary, usd, wastedUsd, duplicateUsd } = event;
  // Of the same outcomes too: what the lines of the last look were tells why rows have none.
  const same = { ...settled, check, collections, summary };
  if (outcomes.name === settled.outcomes.name) return same;
  const revised = { seq: header.seq, at: header.at, ...outcomesBefore(settled) };
  const duplicates = duplicateUsd === undefined ? {} : { duplicateUsd };
  return { ...same, outcomes, usd, wastedUsd, revised, ...duplicates };
}

/** The first, and those that stood between it and the ones that come now. */
function outcomesBefore({ revised, outcomes }: SettledState): Pick<Revised, 'first' | 'between'> {
  if (revised === undefined) return { first: outcomes };
  const { first, between = [] } = revised;
  const isKnown = [first, ...between].some(({ name }) => name === outcomes.name);
  const all = isKnown ? between : [...between, outcomes];
  return all.length === 0 ? { first } : { first, between: all };
}

type Revised = NonNullable<SettledState['revised']>;

export function generationOf(event: GenerationObserved, header: SegmentHeader): GenerationState {
  const { generation, digest, defines, source, commit } = event;
  return { generation, digest, defines, source, commit, at: header.at };
}

export function runOf(event: RunFrozen, header: SegmentHeader): RunState {
  const { type: _, ...frozen } = event;
  return { ...frozen, frozenAt: header.at, intents: [], applied: {}, pardons: [] };
}

export function droppedOf({ files, bytes, dispositions }: RunDropped, header: SegmentHeader): DroppedState {
  return { at: header.at, files, bytes, dispositions };
}

export function appliedOf(event: Applied, header: SegmentHeader) {
  const { path, digest, bytes, rows, throughSeq, shape } = event;
  return { path, digest, bytes, rows, throughSeq, shape, at: header.at };
}
