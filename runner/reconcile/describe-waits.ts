import { type Instant, later } from '../ids.ts';
import { intentsOf } from '../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../journal/state.ts';
import type { Rest } from '../plan/action.ts';
import { isStuck } from '../plan/cancel.ts';
import type { Pacing } from '../plan/snapshot.ts';
import type { Wait } from '../report/report.ts';

/** Pure: what is not done yet, what each waits for, and what a person can do about it. */
export function waitsOf(
  state: JournalState,
  run: RunState | undefined,
  rests: readonly Rest[],
  pacing: Pacing,
  now: Instant,
): Wait[] {
  const intents = run === undefined ? [] : intentsOf(state, run);
  return [
    ...rests.filter((rest) => rest.kind !== 'idle' && rest.kind !== 'in_flight').map(restWait),
    ...intents.filter((intent) => intent.phase === 'intent').map((intent) => ambiguousWait(intent, pacing)),
    ...intents.filter((intent) => intent.lookAgainAt !== null).map(missingWait),
    ...intents.filter((intent) => run !== undefined && isStuck(intent, run.spec, now)).map(stuckWait),
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

function stuckWait(intent: IntentState): Wait {
  const state = intent.batch?.providerState ?? 'unknown';
  return {
    what: `shard ${intent.shard}, batch ${intent.batch?.id ?? 'unknown'}, ${intent.count} rows`,
    waitsFor: `its end: it has been ${state} since ${intent.batch?.createdAt ?? intent.at}, longer than \`sla.stuck_after\``,
    until: null,
    command: `batchwright cancel ${intent.job}`,
  };
}

function missingWait(intent: IntentState): Wait {
  return {
    what: `shard ${intent.shard}, batch ${intent.batch?.id ?? 'unknown'}`,
    waitsFor: 'a second download: rows are in neither of its files',
    until: intent.lookAgainAt,
    command: null,
  };
}
