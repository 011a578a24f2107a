import { later } from '../ids.ts';
import { intentsOf } from '../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../journal/state.ts';
import type { Rest } from '../plan/action.ts';
import type { Pacing } from '../plan/snapshot.ts';
import type { Wait } from '../report/report.ts';

/** Pure: what is not done yet, what each waits for, and what a person can do about it. */
export function waitsOf(
  state: JournalState,
  run: RunState | undefined,
  rests: readonly Rest[],
  pacing: Pacing,
): Wait[] {
  const intents = run === undefined ? [] : intentsOf(state, run);
  return [
    ...rests.filter((rest) => rest.kind !== 'idle' && rest.kind !== 'in_flight').map(restWait),
    ...intents.filter((intent) => intent.phase === 'intent').map((intent) => ambiguousWait(intent, pacing)),
    ...intents.filter((intent) => intent.lookAgainAt !== null).map(missingWait),
  ];
}

function restWait(rest: Rest): Wait {
  return { what: rest.job, waitsFor: rest.message, until: null, command: rest.next };
}

function ambiguousWait(intent: IntentState, pacing: Pacing): Wait {
  return {
    what: `shard ${intent.shard} (${intent.count} rows), announced as ${intent.intent}`,
    waitsFor: `proof whether the provider has it; found by its tag, or absent from ${LISTINGS} complete listings`,
    until: later(intent.notAfter, pacing.absenceMs),
    command: null,
  };
}

const LISTINGS = 3;

function missingWait(intent: IntentState): Wait {
  return {
    what: `shard ${intent.shard}, batch ${intent.batch?.id ?? 'unknown'}`,
    waitsFor: 'a second download: rows are in neither of its files',
    until: intent.lookAgainAt,
    command: null,
  };
}
