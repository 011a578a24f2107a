import type { Digest, IntentId } from '../ids.ts';
import { currentRun, intentsOf, jobState } from '../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../journal/state.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import { checkDigest } from '../spec/check-digest.ts';
import type { LoadedJob } from '../spec/job.ts';
import { typedKinds } from '../spec/storage.ts';

/** What answers are held against: a digest of the check, and the recipe that has the schema. */
export interface Check {
  /** Null for free text; undefined where the journal is older than such digests: then the recipe's file tells. */
  readonly check: Digest | null | undefined;
  readonly recipe: StoredFile;
}

/**
 * Pure: what the journal says that answers to a run's requests are held against. An older run whose requests have the
 * schema of the current one is read as the current one is, since its answers serve there.
 */
export function checkInForce(state: JournalState, run: RunState): Check {
  const current = currentRun(state, run.job);
  const by = current !== undefined && sendsSameSchema(state, current, run) ? current : run;
  return by.recheck ?? frozenCheck(by);
}

/** What a run's answers were held against before anything was edited. */
export function frozenCheck({ check, recipe }: RunState): Check {
  return { check, recipe };
}

/** What git wants the current run's answers to be held against; null where it wants another schema to be sent, or none. */
export function wantedCheck(
  state: JournalState,
  run: RunState,
  { job, schema, defines }: LoadedJob,
): Digest | null {
  const sent = sentSchemaOf(state, run);
  return schema === null || sent === null || sent !== defines.schema
    ? null
    : checkDigest(schema.value, typedKinds(job.sinks));
}

/** Settled intents that have answers, of every run whose requests have the schema of the current one. */
export function checkableIntents(state: JournalState, current: RunState): IntentState[] {
  return jobState(state, current.job)
    .runs.filter((run) => run.dropped === undefined && sendsSameSchema(state, current, run))
    .flatMap((run) => intentsOf(state, run))
    .filter((intent) => answersIn(intent) > 0);
}

/** Answers of an intent that a schema can be held against, whatever came of it before. */
export function answersIn({ settled }: IntentState): number {
  const { ok = 0, invalid_output = 0, late = 0 } = settled?.summary.counts ?? {};
  return ok + invalid_output + late;
}

/** Intents whose outcomes were judged by another check than the one that is wanted now. */
export interface StaleAnswers {
  readonly intents: readonly IntentId[];
  readonly answers: number;
}

function sendsSameSchema(state: JournalState, one: RunState, other: RunState): boolean {
  const sent = sentSchemaOf(state, one);
  return sent !== null && sent === sentSchemaOf(state, other);
}

/** The digest of the schema in the requests of a run; null where there is none. */
function sentSchemaOf(state: JournalState, run: RunState): Digest | null {
  const { generations } = jobState(state, run.job);
  return generations.find((each) => each.generation === run.generation)?.defines.schema ?? null;
}
