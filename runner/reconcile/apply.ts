import { findingsWithoutHint, UserError } from '../errors.ts';
import { isOsError } from '../files.ts';
import type { JobName } from '../ids.ts';
import type { Applied } from '../journal/events.ts';
import { jobState, runState } from '../journal/fold.ts';
import type { JournalState, RunState } from '../journal/state.ts';
import { answersPieces, answersSelect } from '../ledger/answers.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Apply, Rest } from '../plan/action.ts';
import { settledThrough, sinkId, sinkShape } from '../plan/apply.ts';
import type { SinkSpec } from '../spec/job.ts';
import { readRecipeInForce } from './checks.ts';
import type { PassContext } from './context.ts';
import { restOfFault } from './faults.ts';
import { answerForm } from './recipe.ts';
import { rowWidth } from './row-width.ts';

/**
 * Writes one sink whole from everything that is settled, then journals what stands there. Repeating it after a crash
 * writes the same file again.
 * @returns why it could not be written, or null.
 */
export async function applySink(ctx: PassContext, action: Apply, ledger: Ledger): Promise<Rest | null> {
  const run = runState(ctx.journal.state, action.job, action.run);
  const job = ctx.repository.jobs.find((each) => each.job.name === action.job)?.job;
  const spec = job?.sinks.find((each) => sinkId(each) === action.sink);
  if (run === undefined || job === undefined || spec === undefined) return null;
  const recipe = await readRecipeInForce(ctx, run);
  await ledger.prove();
  // Read before writing: what is settled while we write is for the next time.
  const throughSeq = settledThrough(run, ctx.journal.state);
  try {
    const sink = await ctx.sink(spec);
    const order = {
      run: run.run,
      key: run.spec.input.key,
      pass: job.input.pass,
      keepFrom: keepFrom(ctx.journal.state, run, spec),
      marks: spec.onRemoved === 'mark',
    };
    const proof = await sink.write({
      duck: ledger.duck,
      relation: answersSelect(order),
      pieces: answersPieces(order, (each) => itemsOf(ctx.journal.state, run.job, each)),
      key: run.spec.input.key,
      pass: job.input.pass,
      marks: order.marks,
      rowBytes: await rowWidth(ctx, ledger.duck, action.job, job.input.pass.length > 0),
      ...answerForm(run, recipe),
    });
    const applied: Applied = {
      type: 'applied',
      job: action.job,
      run: action.run,
      sink: action.sink,
      path: spec.path,
      ...proof,
      throughSeq,
      shape: sinkShape(job, spec),
    };
    await ctx.journal.append([applied]);
    ctx.say({ level: 'info', job: action.job, text: `applied ${proof.rows} rows to ${spec.path}` });
    return null;
  } catch (error) {
    const fault = restOfFault(action.job, error);
    if (fault !== null) return fault;
    if (!(error instanceof UserError) && !isOsError(error)) throw error;
    return notWritten(action, spec.path, error);
  }
}

function itemsOf(state: JournalState, job: JobName, run: number): number {
  return runState(state, job, run)?.manifest.items ?? 0;
}

/** Earlier runs with the same key columns; with other columns their rows would not be the same things. */
export function keepFrom(state: JournalState, run: RunState, sink: SinkSpec): number[] {
  if (sink.onRemoved === 'delete') return [];
  const key = JSON.stringify(run.spec.input.key);
  return jobState(state, run.job)
    .runs.filter(
      (each) =>
        each.dropped === undefined && each.run < run.run && JSON.stringify(each.spec.input.key) === key,
    )
    .map((each) => each.run)
    .reverse();
}

/** The answers are safe in the store; the sink is tried again in each pass. */
function notWritten(action: Apply, path: string, error: UserError | NodeJS.ErrnoException): Rest {
  const why = error instanceof UserError ? findingsWithoutHint(error.findings) : error.message;
  return {
    job: action.job,
    kind: 'blocked',
    reason: 'SinkFailed',
    message: `${path} could not be written: ${why}`,
    next:
      error instanceof UserError
        ? (error.findings[0]?.hint ?? null)
        : 'make the place writable; the answers are safe in the store',
  };
}
