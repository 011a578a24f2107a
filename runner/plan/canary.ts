import { intentsOf, jobState } from '../journal/fold.ts';
import type { IntentState, JobState, JournalState, RunState } from '../journal/state.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';
import { recipeDigest } from './generation.ts';
import { isOpen } from './spend.ts';

/** Where a run stands with its canary. `send`: how many items to try (again). */
export type CanaryVerdict =
  | { readonly kind: 'not_needed' }
  | { readonly kind: 'send'; readonly items: number }
  | { readonly kind: 'waiting'; readonly items: number }
  | { readonly kind: 'passed'; readonly ok: number; readonly judged: number }
  | { readonly kind: 'failed'; readonly ok: number; readonly judged: number; readonly minValid: number };

/** Classes that say something about prompt, model and schema. A queue that was full says nothing. */
const TELLING: readonly OutcomeClass[] = [
  'ok',
  'invalid_output',
  'truncated',
  'unknown_stop',
  'invalid_request',
  'refused',
  'conflict',
];

/** After this many the rows that were answered are judged, though some were not. */
const MOST_CANARIES = 3;

/**
 * Pure. A recipe that an earlier run of the job has sent needs no canary. `requests`: how many could be tried, first
 * tries and others. Only answers are judged: a queue that was full, an outage or an empty account say nothing.
 */
export function canaryVerdict(state: JournalState, run: RunState, requests: number): CanaryVerdict {
  const canary = run.spec.canary;
  if (canary === null || isProven(state, jobState(state, run.job), run)) return { kind: 'not_needed' };
  const shards = intentsOf(state, run).filter(
    ({ kind, phase, secondOf }) =>
      kind === 'canary' && secondOf === null && phase !== 'refused' && phase !== 'absent',
  );
  if (shards.some(isOpen)) return { kind: 'waiting', items: canary.items };
  const { ok, judged } = tellingOf(shards);
  const missing = Math.min(canary.items - judged, requests);
  // A few rows short of the wanted number is enough, once it has been tried often enough.
  if (missing > 0 && (judged === 0 || shards.length < MOST_CANARIES)) return { kind: 'send', items: missing };
  if (judged === 0) return { kind: 'not_needed' };
  return ok / judged >= canary.minValid
    ? { kind: 'passed', ok, judged }
    : { kind: 'failed', ok, judged, minValid: canary.minValid };
}

function tellingOf(shards: readonly IntentState[]): { readonly ok: number; readonly judged: number } {
  const counts = shards.map((shard) => shard.settled?.summary.counts ?? {});
  const sum = (classes: readonly OutcomeClass[]) =>
    counts.reduce((total, each) => total + classes.reduce((part, name) => part + (each[name] ?? 0), 0), 0);
  return { ok: sum(['ok']), judged: sum(TELLING) };
}

/** An earlier run of the same recipe that sent more than a canary. */
function isProven(state: JournalState, job: JobState, run: RunState): boolean {
  const recipeOf = (each: RunState) => {
    const generation = job.generations.find((known) => known.generation === each.generation);
    return generation === undefined ? null : recipeDigest(generation.defines);
  };
  const recipe = recipeOf(run);
  return job.runs
    .filter((each) => each.run < run.run && each.account === run.account && recipeOf(each) === recipe)
    .some((each) =>
      intentsOf(state, each).some((intent) => intent.kind !== 'canary' && intent.settled !== null),
    );
}
