import { intentsOf, jobState } from '../journal/fold.ts';
import type { IntentState, JobState, JournalState, RunState } from '../journal/state.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';
import { recipeDigest } from './generation.ts';
import { countAwaited, isOpen } from './spend.ts';

/** Where a run stands with its canary. */
export type CanaryVerdict =
  | { readonly kind: 'not_needed' }
  /** So many items are to be tried (again). `tries`: how many canaries came to nothing before. */
  | { readonly kind: 'send'; readonly items: number; readonly tries: number }
  | { readonly kind: 'waiting'; readonly items: number }
  /** The results of so many rows cannot be read, and they could decide it. */
  | { readonly kind: 'unreadable'; readonly rows: number }
  /** A person has cancelled so many rows of it. */
  | { readonly kind: 'cancelled'; readonly rows: number }
  | { readonly kind: 'passed'; readonly ok: number; readonly judged: number }
  | {
      readonly kind: 'failed';
      readonly ok: number;
      readonly judged: number;
      readonly minValid: number;
      readonly tries: number;
    };

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

/** Neither uses an attempt of a row: the provider has not let it in. Such refusals have a clock of their own. */
const TURNED_AWAY: ReadonlySet<string> = new Set<OutcomeClass>(['rate_or_capacity', 'account']);

/** After so many that came back, what was answered is judged, be it nothing. */
const MAX_TRIES = 3;

/** What of the run is left, as its ledger says. */
export interface Left {
  /** How many could be tried now, first tries and others. */
  readonly requests: number;
  /** Rows that wait for their results: none of those of a canary may do so any more. */
  readonly unreadable: number;
}

/**
 * Pure. A recipe that an earlier run of the job has sent needs no canary. Only answers are judged: a queue that was full, an outage or an empty account say nothing. But each
 * canary that came back counts as a try, so that the third without an answer ends it. A person's retry begins anew.
 */
export function canaryVerdict(state: JournalState, run: RunState, left: Left): CanaryVerdict {
  const { canary } = run.spec;
  if (canary === null || isProven(state, jobState(state, run.job), run)) return { kind: 'not_needed' };
  const shards = readCanaries(state, run);
  if (shards.some(isOpen)) return { kind: 'waiting', items: canary.items };
  const verdict = judgeCanaries(run, shards, canary, left);
  const stands = verdict.kind === 'passed' || verdict.kind === 'send' || verdict.kind === 'not_needed';
  const since = run.pardons.at(-1)?.seq ?? 0;
  const fresh = shards.filter(({ settled }) => (settled?.seq ?? 0) > since);
  return stands || fresh.length === shards.length ? verdict : judgeCanaries(run, fresh, canary, left);
}

function readCanaries(state: JournalState, run: RunState): IntentState[] {
  return intentsOf(state, run).filter(
    ({ kind, phase, secondOf }) =>
      kind === 'canary' && secondOf === null && phase !== 'refused' && phase !== 'absent',
  );
}

type Wanted = NonNullable<RunState['spec']['canary']>;

function judgeCanaries(
  run: RunState,
  shards: readonly IntentState[],
  canary: Wanted,
  left: Left,
): CanaryVerdict {
  const ok = countRows(shards, ['ok']);
  const judged = countRows(shards, TELLING);
  const isEnough = (good: number, of: number) => good / of >= canary.minValid;
  const awaited = shards.reduce((sum, shard) => sum + countAwaited(shard, run), 0);
  const unreadable = Math.min(awaited, left.unreadable);
  if (unreadable > 0) {
    const most = judged + unreadable;
    // As if none of them were valid: then it does not matter what they are.
    if (most < canary.items || !isEnough(ok, most)) return { kind: 'unreadable', rows: unreadable };
    return { kind: 'passed', ok, judged };
  }
  const cancelled = countRows(shards.filter(isPersonsCancel), ['cancelled']);
  if (cancelled > 0) return { kind: 'cancelled', rows: cancelled };
  const missing = Math.min(canary.items - judged, left.requests);
  const tries = shards.filter(wasLetIn).length;
  // A few rows short of the wanted number is enough, once it has been tried often enough.
  const limited = judged === 0 ? tries : shards.filter(wasRead).length;
  if (missing > 0 && limited < MAX_TRIES) return { kind: 'send', items: missing, tries };
  if (judged === 0 && missing <= 0) return { kind: 'not_needed' };
  if (judged > 0 && isEnough(ok, judged)) return { kind: 'passed', ok, judged };
  return { kind: 'failed', ok, judged, minValid: canary.minValid, tries };
}

function countRows(shards: readonly IntentState[], classes: readonly OutcomeClass[]): number {
  const counts = shards.map((shard) => shard.settled?.summary.counts ?? {});
  return counts.reduce(
    (total, each) => total + classes.reduce((part, name) => part + (each[name] ?? 0), 0),
    0,
  );
}

/** At the provider's console, or by the command. A batch that failed as a whole nobody has cancelled. */
function isPersonsCancel({ batch, cancel }: IntentState): boolean {
  return batch?.state !== 'failed' && (cancel === null || cancel.why === 'person');
}

/** Lines of it came back, be it that each says there is no room. */
function wasRead({ batch }: IntentState): boolean {
  return batch?.state !== 'failed';
}

/** Some row of it came back as something else than turned away. */
function wasLetIn({ settled }: IntentState): boolean {
  return Object.keys(settled?.summary.counts ?? {}).some((name) => !TURNED_AWAY.has(name));
}

/** An earlier run of the same recipe that sent more than a canary, and was answered. */
function isProven(state: JournalState, job: JobState, run: RunState): boolean {
  const recipeOf = (each: RunState) => {
    const generation = job.generations.find((known) => known.generation === each.generation);
    return generation === undefined ? null : recipeDigest(generation.defines);
  };
  const recipe = recipeOf(run);
  return job.runs
    .filter((each) => each.run < run.run && each.account === run.account && recipeOf(each) === recipe)
    .some((each) =>
      intentsOf(state, each).some(({ kind, settled }) => kind !== 'canary' && hasAnswer(settled)),
    );
}

function hasAnswer(settled: IntentState['settled']): boolean {
  return (settled?.summary.counts.ok ?? 0) > 0;
}
