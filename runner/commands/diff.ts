import { userError } from '../errors.ts';
import { isJobName } from '../ids.ts';
import { jobState } from '../journal/fold.ts';
import type { RunState } from '../journal/state.ts';
import type { PassContext } from '../reconcile/context.ts';
import { diffRuns } from '../reconcile/inspect/diff.ts';
import { diffJson } from '../report/diff-json.ts';
import { diffTerminal } from '../report/diff-terminal.ts';
import { plain } from '../report/escape.ts';
import { date } from '../report/text.ts';
import { type Common, EXIT } from './common.ts';
import { unknownJob, withContext } from './session.ts';

export interface DiffOptions extends Common {
  readonly job: string;
  /** Run numbers as a person wrote them. */
  readonly before: string;
  readonly after: string;
}

/** Two runs of a job side by side, from state alone. @throws UserError where the job has no such run. */
export async function runDiff(options: DiffOptions): Promise<number> {
  return withContext(options, async (ctx) => {
    const runs = runsOf(ctx, options.job);
    const [before, after] = [runNumbered(runs, options.before), runNumbered(runs, options.after)];
    const job = ctx.repository.jobs.find((each) => each.job.name === after.job)?.job ?? null;
    const ledger = await ctx.ledgers.of(after.job, job, ctx.journal.state);
    if (ledger === null) throw noRun(options.job);
    await ledger.prove();
    const view = await diffRuns(ctx.store, ledger, ctx.journal.state, before, after);
    options.out(
      options.json
        ? `${JSON.stringify(diffJson(view), null, 2)}\n`
        : diffTerminal(view, { color: options.color }),
    );
    return EXIT.ok;
  });
}

function runsOf(ctx: PassContext, name: string): readonly RunState[] {
  const { runs } = isJobName(name) ? jobState(ctx.journal.state, name) : { runs: [] };
  if (runs.length > 0) return runs;
  if (!ctx.repository.jobs.some((each) => each.job.name === name)) throw unknownJob(name, ctx.repository);
  throw noRun(name);
}

function noRun(name: string) {
  return userError('no-run', `job ${name} has no run yet`, 'run `batchwright reconcile` first');
}

function runNumbered(runs: readonly RunState[], written: string): RunState {
  const found = runs.find((each) => String(each.run) === written);
  if (found?.dropped !== undefined) {
    const what = `the files of run ${found.run} were dropped on ${date(found.dropped.at)}`;
    throw userError('run-dropped', what, 'its books stand in its page; git has its prompts');
  }
  if (found !== undefined) return found;
  const numbers = runs.map((each) => each.run);
  throw userError(
    'unknown-run',
    `${runs[0]?.job} has no run ${plain(JSON.stringify(written), 40)}`,
    numbers.length === 1 ? 'it has run 1 alone' : `its runs are 1 to ${numbers.at(-1)}`,
  );
}
