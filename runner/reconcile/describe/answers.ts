import type { JsonObject } from '../../ids.ts';
import { jobState } from '../../journal/fold.ts';
import type { JournalState, RunState } from '../../journal/state.ts';
import { type AnswerTally, answerTally, comparison } from '../../ledger/answer-counts.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { answerReport } from '../../report/answers.ts';
import type { AnswerReport } from '../../report/report.ts';

/** How the answers fall and what changed since the run before; null where the schema has nothing that can be counted. */
export async function describeAnswers(
  state: JournalState,
  run: RunState,
  ledger: Ledger,
  fields: readonly string[],
  { values: counts }: AnswerTally,
): Promise<AnswerReport | null> {
  if (counts.length === 0) return null;
  const before = previousRun(state, run);
  if (before === null) return answerReport({ fields, counts, before: null });
  return answerReport({
    fields,
    counts,
    before: {
      run: before,
      counts: (await answerTally(ledger.duck, before, fields)).values,
      ...(await comparison(ledger.duck, run.run, before, fields)),
    },
  });
}

/** Properties whose values are few: an enum or a boolean. */
export function countableFields(schema: JsonObject | null): string[] {
  const properties = schema?.properties;
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return [];
  return Object.entries(properties as JsonObject).flatMap(([name, property]) => {
    if (typeof property !== 'object' || property === null) return [];
    const { enum: values, type } = property as JsonObject;
    return Array.isArray(values) || type === 'boolean' ? [name] : [];
  });
}

/** The newest earlier run that has answers in a sink. */
function previousRun(state: JournalState, run: RunState): number | null {
  const applied = jobState(state, run.job).runs.filter(
    (each) => each.dropped === undefined && each.run < run.run && Object.keys(each.applied).length > 0,
  );
  return applied.at(-1)?.run ?? null;
}
