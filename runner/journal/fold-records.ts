import type {
  Applied,
  GenerationObserved,
  OutcomesRevised,
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

/** Money and time of the purchase stay: only what the answers are worth was judged anew. */
export function revisedBy(
  settled: SettledState,
  event: OutcomesRevised,
  header: SegmentHeader,
): SettledState {
  const { check, outcomes, summary, wastedUsd } = event;
  if (outcomes.name === settled.outcomes.name) return { ...settled, check };
  const first = settled.revised?.first ?? settled.outcomes;
  const revised = { seq: header.seq, at: header.at, first };
  return { ...settled, check, outcomes, summary, wastedUsd, revised };
}

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
