import { findingsWithoutHint, UserError } from '../errors.ts';
import type { PassContext } from '../reconcile/context.ts';
import { tryRows } from '../reconcile/try/try.ts';
import type { Diagnosis } from '../report/doctor-view.ts';
import type { TryResult } from '../report/try-view.ts';
import type { LoadedJob } from '../spec/job.ts';

/** One row at the synchronous price; more would be no better proof. */
const MAX_USD = 0.1;

/**
 * One real request for each model that a job names, announced and paid for like any `try`: a wrong model name, parameter
 * or schema shows here and not after hours.
 */
export async function diagnoseModels(ctx: PassContext, by: string): Promise<Diagnosis[]> {
  const { jobs } = ctx.repository;
  const models = new Map(
    jobs.map((loaded) => [`${loaded.job.model.provider}/${loaded.job.model.name}`, loaded]),
  );
  const found: Diagnosis[] = [];
  for (const [model, loaded] of models) found.push(await diagnoseModel(ctx, model, loaded, by));
  return found;
}

async function diagnoseModel(
  ctx: PassContext,
  model: string,
  loaded: LoadedJob,
  by: string,
): Promise<Diagnosis> {
  const part = `provider ${loaded.job.model.provider}`;
  try {
    const { rows } = await tryRows(ctx, { loaded, choice: { rows: 1 }, maxUsd: MAX_USD, by });
    const [row] = rows;
    if (row === undefined)
      return {
        part,
        state: 'skipped',
        message: `${model} was not asked: ${loaded.job.name} has no row`,
        next: null,
      };
    return { part, ...verdictOf(model, row.result) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const next = error.findings[0]?.hint ?? null;
    return { part, state: 'bad', message: `${model}: ${findingsWithoutHint(error.findings)}`, next };
  }
}

/** Pure. */
export function verdictOf(model: string, result: TryResult): Omit<Diagnosis, 'part'> {
  switch (result.kind) {
    case 'answered':
      if (result.class === 'ok')
        return { state: 'good', message: `${model} answers one row as asked`, next: null };
      return {
        state: 'bad',
        message: `${model} answers, but not as asked: ${result.class}, ${result.cause}`,
        next: '`batchwright try` shows what it says',
      };
    case 'lost':
    case 'not_sent':
      return { state: 'bad', message: `${model} was not answered: ${result.message}`, next: null };
    case 'not_asked':
      return { state: 'skipped', message: `${model} was not asked`, next: null };
    default:
      return result satisfies never;
  }
}
