import { StateConflict, UserError } from '../../errors.ts';
import { isCode } from '../../files.ts';
import { intentsOf, jobState } from '../../journal/fold.ts';
import type { RunState } from '../../journal/state.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { parseExact } from '../../manifest/exact-json.ts';
import type { Messages } from '../../manifest/manifest.ts';
import { isOpen, spendOfRun } from '../../plan/spend.ts';
import type { RunBefore } from '../../report/plan-view.ts';
import { compilePrompts, PromptError } from '../../spec/prompt.ts';
import type { PassContext } from '../context.ts';
import { readRecipe } from '../recipe.ts';

/**
 * The run that a new one would follow: what it has cost, what of it is under way, and what it sent for these keys,
 * rendered again from its own prompts and rows. Null for a first run.
 */
export async function runBefore(
  ctx: PassContext,
  job: RunState['job'],
  keys: readonly string[],
): Promise<RunBefore | null> {
  const { state } = ctx.journal;
  const run = jobState(state, job).runs.at(-1);
  if (run === undefined) return null;
  const intents = intentsOf(state, run).filter(isOpen);
  const spent = spendOfRun(state, run);
  return {
    run: run.run,
    spentUsd: spent.settled,
    reservedUsd: spent.assumed + spent.reserved,
    inFlight: intents.reduce((sum, intent) => sum + intent.count, 0),
    sent: await sentFor(ctx, run, keys),
  };
}

/** Nothing where the rows are not here: a plan is read without them too. */
async function sentFor(ctx: PassContext, run: RunState, keys: readonly string[]): Promise<RunBefore['sent']> {
  try {
    const ledger = await ctx.ledgers.of(run.job, run.spec, ctx.journal.state);
    if (ledger === null || keys.length === 0) return {};
    const { prompts } = await readRecipe(ctx.store, run);
    const compiled = compilePrompts(prompts);
    const rows = await rowsOf(ledger, run.run, keys);
    const sent = rows.map(({ key, row }): readonly [string, Messages] => [
      key,
      compiled.render(parseExact(row) as Record<string, unknown>),
    ]);
    return Object.fromEntries(sent);
  } catch (error) {
    // A difference is a help to the reader; what is missing for it must not hide the plan.
    if (isMissing(error)) return {};
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof UserError ||
    error instanceof PromptError ||
    error instanceof StateConflict ||
    isCode(error, 'ENOENT')
  );
}

function rowsOf(ledger: Ledger, run: number, keys: readonly string[]) {
  const places = keys.map((_, at) => `$k${at}`).join(', ');
  const values = Object.fromEntries(keys.map((key, at) => [`k${at}`, key]));
  return ledger.duck.rows<{ key: string; row: string }>(
    `SELECT key, row_json AS row FROM manifest WHERE run = ${run} AND key IN (${places}) AND problem IS NULL`,
    values,
  );
}
