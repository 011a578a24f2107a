import type { JobName } from '../../ids.ts';
import { jobState } from '../../journal/fold.ts';
import type { JournalState, RunState } from '../../journal/state.ts';
import {
  type Comparison,
  changedAnswers,
  changedProperties,
  keyCounts,
  propertyMoves,
} from '../../ledger/compare.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { spendOfRun } from '../../plan/spend.ts';
import type { AnswerDiff, DiffedRun, DiffView, PropertyDiff } from '../../report/diff-view.ts';
import type { Store } from '../../store/port.ts';
import { countableFields } from '../describe/answers.ts';
import { answerForm, readRecipe } from '../recipe.ts';
import { type MadeRun, recipeDiff } from './recipe-diff.ts';

/** How many changed rows and how many moves of a property are told one by one. */
const ROWS = 20;
const MOVES = 10;

/** Two runs of a job side by side, from the stored recipes and the ledger. */
export async function diffRuns(
  store: Store,
  ledger: Ledger,
  state: JournalState,
  before: RunState,
  after: RunState,
): Promise<DiffView> {
  const [from, to] = [await madeRun(store, state, before), await madeRun(store, state, after)];
  return {
    job: ledger.job,
    before: diffedRun(state, before),
    after: diffedRun(state, after),
    recipe: recipeDiff(from, to),
    answers: await answerDiff(ledger, from, to),
  };
}

async function madeRun(store: Store, state: JournalState, run: RunState): Promise<MadeRun> {
  const generation = generationOf(state, run.job, run.generation);
  return { run, generation, recipe: await readRecipe(store, run) };
}

function generationOf(state: JournalState, job: JobName, number: number) {
  const found = jobState(state, job).generations.find((each) => each.generation === number);
  if (found === undefined)
    throw new Error(`the journal has a run of generation ${number} of ${job} without it`);
  return found;
}

function diffedRun(state: JournalState, run: RunState): DiffedRun {
  return {
    run: run.run,
    generation: run.generation,
    reason: run.reason,
    model: `${run.spec.model.provider}/${run.spec.model.name}`,
    frozenAt: run.frozenAt,
    items: run.manifest.items,
    settledUsd: run.price === null ? null : spendOfRun(state, run).settled,
  };
}

async function answerDiff({ duck }: Ledger, before: MadeRun, after: MadeRun): Promise<AnswerDiff> {
  const of: Comparison = {
    before: before.run.run,
    after: after.run.run,
    properties: union(propertiesOf(before), propertiesOf(after)),
  };
  const countable = union(
    ...[before, after].map(({ run, recipe }) => countableFields(answerForm(run, recipe).schema)),
  );
  const properties: PropertyDiff[] = [];
  for (const { property, changed } of await changedProperties(duck, of)) {
    const moves = countable.includes(property) ? await propertyMoves(duck, of, property, MOVES) : [];
    properties.push({ property, changed, moves });
  }
  return { ...(await keyCounts(duck, of)), properties, rows: await changedAnswers(duck, of, ROWS) };
}

/** The top-level properties that the schema names, as in the sinks; none for text and embeddings. */
function propertiesOf({ run, recipe }: MadeRun): string[] {
  const properties = answerForm(run, recipe).schema?.properties;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function union(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}
