import { DamagedFiles } from '../errors.ts';
import type { Digest } from '../ids.ts';
import type { CheckChanged, JournalEvent } from '../journal/events.ts';
import { currentRun, runState } from '../journal/fold.ts';
import type { IntentState, RunState } from '../journal/state.ts';
import {
  answersIn,
  type Check,
  checkableIntents,
  checkInForce,
  frozenCheck,
  type StaleAnswers,
  wantedCheck,
} from '../plan/checks.ts';
import type { LoadedJob } from '../spec/job.ts';
import type { Store } from '../store/port.ts';
import type { PassContext } from './context.ts';
import { putRecipe, type Recipe, readRecipe, recipeCheck, runFolder, withCheck } from './recipe.ts';

/**
 * Tells the journal of schemas and sinks that were edited without changing a request, before anything is collected:
 * answers that come from here on are held against them at once.
 */
export async function noteCheckChanges(ctx: PassContext): Promise<void> {
  if (ctx.readOnly !== null) return;
  const changes: JournalEvent[] = [];
  for (const loaded of ctx.repository.jobs) {
    if (ctx.only !== null && !ctx.only.has(loaded.job.name)) continue;
    const change = await checkChange(ctx, loaded).catch(unlessDamaged);
    if (change !== null) changes.push(change);
  }
  if (changes.length > 0) await ctx.journal.append(changes);
}

/** The job is left alone for it, as the plan says. */
function unlessDamaged(error: unknown): null {
  if (!(error instanceof DamagedFiles)) throw error;
  return null;
}

async function checkChange(ctx: PassContext, loaded: LoadedJob): Promise<CheckChanged | null> {
  const run = currentRun(ctx.journal.state, loaded.job.name);
  if (run === undefined || loaded.schema === null) return null;
  const wanted = wantedCheck(ctx.journal.state, run, loaded);
  if (wanted === null || wanted === (await digestOf(ctx.store, checkInForce(ctx.journal.state, run))))
    return null;
  const frozen = await readRecipe(ctx.store, run);
  const stored = await putRecipe(ctx.store, withCheck(frozen, loaded.schema, loaded.job), runFolder(run));
  return { type: 'check.changed', job: run.job, run: run.run, check: wanted, recipe: stored };
}

/** Which answers of the job were judged by another check than the one that git wants, or that is in force. */
export async function staleAnswers(ctx: PassContext, loaded: LoadedJob): Promise<StaleAnswers> {
  const { state } = ctx.journal;
  const run = currentRun(state, loaded.job.name);
  if (run === undefined) return NONE;
  const wanted = wantedCheck(state, run, loaded) ?? (await digestOf(ctx.store, checkInForce(state, run)));
  const stale: IntentState[] = [];
  for (const intent of checkableIntents(state, run)) {
    if ((await readJudge(ctx, intent)) !== wanted) stale.push(intent);
  }
  return {
    intents: stale.map(({ intent }) => intent),
    answers: stale.reduce((sum, intent) => sum + answersIn(intent), 0),
  };
}

const NONE: StaleAnswers = { intents: [], answers: 0 };

/** The check that the outcomes of a settled intent were last held against. */
export async function readJudge(
  ctx: PassContext,
  { job, run, settled }: IntentState,
): Promise<Digest | null> {
  if (settled?.check !== undefined) return settled.check;
  const own = runState(ctx.journal.state, job, run);
  return own === undefined ? null : digestOf(ctx.store, frozenCheck(own));
}

/** Journals of before say nothing of checks; the recipe of the run does. */
async function digestOf(store: Store, of: Check): Promise<Digest | null> {
  if (of.check !== undefined) return of.check;
  const known = readBefore.get(of.recipe.digest) ?? readDigest(store, of);
  readBefore.set(of.recipe.digest, known);
  known.catch(() => readBefore.delete(of.recipe.digest));
  return known;
}

/** By the digest of the recipe, which never changes: a pass asks for it with each of its plans. */
const readBefore = new Map<Digest, Promise<Digest | null>>();

async function readDigest(store: Store, of: Check): Promise<Digest | null> {
  return recipeCheck(await readRecipe(store, of));
}

/** The check that answers to a run's requests are held against now: its digest, and the recipe that has it. */
export async function checkOf(
  ctx: PassContext,
  run: RunState,
): Promise<{ readonly check: Digest | null; readonly recipe: Recipe }> {
  const recipe = await readRecipeInForce(ctx, run);
  return { check: recipeCheck(recipe), recipe };
}

/** The recipe whose schema a run's answers are held against now: the columns of its sinks follow the same one. */
export function readRecipeInForce(ctx: PassContext, run: RunState): Promise<Recipe> {
  return readRecipe(ctx.store, checkInForce(ctx.journal.state, run));
}
