import { type Digest, digestOf } from '../ids.ts';
import { jobState } from '../journal/fold.ts';
import type { IntentState, RunState } from '../journal/state.ts';
import type { ProjectionInput } from './input.ts';

/**
 * Pure: everything in a fold and a job file that the disposition of an item can depend on, as one text. While it is the
 * same, a ledger need not be projected again, and what was read from it still holds. What is known to have no bearing
 * is left out by name, so that a field that is added counts until somebody says that it does not.
 */
export function factsKey(input: ProjectionInput): string {
  const { retry, sinks, withdrawn, state } = input;
  const { runs } = jobState(state, input.job);
  const intents = runs.flatMap((run) => run.intents).flatMap((id) => state.intents[id] ?? []);
  return JSON.stringify([retry, sinks, withdrawn, runs.map(runFacts), intents.map(intentFacts)]);
}

export function factsDigest(input: ProjectionInput): Digest {
  return digestOf(factsKey(input));
}

/** Without what never changes once the run is frozen. */
function runFacts(run: RunState): unknown {
  const { spec: _1, manifest: _2, estimate: _3, price: _4, recipe: _5, intents: _6, ...facts } = run;
  return facts;
}

/** Without what the provider says of the batch, what was tried to get at it, and what never changes. */
function intentFacts(intent: IntentState): unknown {
  const { batch: _1, error: _2, searches: _3, collections: _4, resultsLost: _5, ...rest } = intent;
  const {
    discarded: _6,
    inputGone: _7,
    ordinals: _8,
    secondsSearchedAt: _9,
    unseenSince: _10,
    lost: _11,
    candidates: _12,
    clockSkewMs: _13,
    downloadFailed: _14,
    ...facts
  } = rest;
  return { ...facts, phase: UNDER_WAY.has(intent.phase) ? 'live' : intent.phase };
}

/** To the books an answer that waits to be fetched is as far away as one that the provider has yet to give. */
const UNDER_WAY: ReadonlySet<IntentState['phase']> = new Set(['live', 'ended', 'collected']);
