import type { Json, JsonObject } from '../ids.ts';
import type { AnswerDiff, DiffedRun, DiffView, PartChange, TextChange } from './diff-view.ts';

/** What `diff --json` prints. Holds keys and answers: customer data. */
export function diffJson(view: DiffView): JsonObject {
  return {
    format: 'batchwright/diff/v1',
    job: view.job,
    before: runJson(view.before),
    after: runJson(view.after),
    recipe: view.recipe.map(partJson),
    answers: answersJson(view.answers),
  };
}

function runJson(run: DiffedRun): JsonObject {
  return {
    run: run.run,
    generation: run.generation,
    reason: run.reason,
    model: run.model,
    frozen_at: run.frozenAt,
    items: run.items,
    settled_usd: run.settledUsd,
  };
}

function partJson({ part, before, after, fields, texts }: PartChange): JsonObject {
  return {
    part,
    before,
    after,
    fields: fields.map((field) => ({
      path: field.path,
      before: side(field.before),
      after: side(field.after),
    })),
    texts: texts.map(textJson),
  };
}

/** A list of none or one: null is a value of its own. */
function side(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : [value];
}

function textJson({ role, before, after, linesGone, linesNew }: TextChange): JsonObject {
  const file = (one: TextChange['before']) => (one === null ? null : { path: one.path, digest: one.digest });
  return { role, before: file(before), after: file(after), lines_gone: linesGone, lines_new: linesNew };
}

function answersJson(answers: AnswerDiff): JsonObject {
  return {
    both: answers.both,
    changed: answers.changed,
    only_before: answers.onlyBefore,
    only_before_gone: answers.onlyBeforeGone,
    only_after: answers.onlyAfter,
    only_after_gone: answers.onlyAfterGone,
    properties: answers.properties.map(({ property, changed, moves }) => ({
      property,
      changed,
      moves: moves.map(({ before, after, count }) => ({ before, after, count })),
    })),
    rows: answers.rows.map(({ key, before, after }) => ({ key, before, after })),
  };
}
