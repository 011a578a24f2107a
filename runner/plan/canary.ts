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
  'invalid_request',
  'refused',
  'conflict',
];

/** More canaries than this without a verdict mean that something else is wrong. */
const MOST_CANARIES = 3;

/** Pure. A recipe that an earlier run of the job has tried with success needs no canary. */
export function canaryVerdict(state: JournalState, run: RunState, requests: number): CanaryVerdict {
  const canary = run.spec.canary;
  if (canary === null) return { kind: 'not_needed' };
  const job = jobState(state, run.job);
  if (isProven(state, job, run)) return { kind: 'not_needed' };
  const shards = intentsOf(state, run).filter(
    (intent) => intent.kind === 'canary' && intent.phase !== 'refused' && intent.phase !== 'absent',
  );
  const verdict = judge(shards, canary.items, canary.minValid);
  if (verdict !== null) return verdict;
  if (shards.some(isOpen)) return { kind: 'waiting', items: canary.items };
  const missing = canary.items - tellingOf(shards).judged;
  if (requests === 0 || shards.length >= MOST_CANARIES) return judged(shards, canary.minValid);
  return { kind: 'send', items: Math.min(missing, requests) };
}

function judge(shards: readonly IntentState[], items: number, minValid: number): CanaryVerdict | null {
  return shards.length > 0 && !shards.some(isOpen) && tellingOf(shards).judged >= items
    ? judged(shards, minValid)
    : null;
}

/** Nothing judged counts as failed: what nobody could try must not be sent a hundred thousand times. */
function judged(shards: readonly IntentState[], minValid: number): CanaryVerdict {
  const { ok, judged: count } = tellingOf(shards);
  if (shards.length === 0) return { kind: 'not_needed' };
  return count > 0 && ok / count >= minValid
    ? { kind: 'passed', ok, judged: count }
    : { kind: 'failed', ok, judged: count, minValid };
}

function tellingOf(shards: readonly IntentState[]): { readonly ok: number; readonly judged: number } {
  const counts = shards.map((shard) => shard.settled?.summary.counts ?? {});
  const sum = (classes: readonly OutcomeClass[]) =>
    counts.reduce((total, each) => total + classes.reduce((part, name) => part + (each[name] ?? 0), 0), 0);
  return { ok: sum(['ok']), judged: sum(TELLING) };
}

/** An earlier run of the same recipe whose canary passed, or that sent more than a canary. */
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
