import { StateConflict } from '../errors.ts';
import type { PassContext } from '../reconcile/context.ts';
import { checkTripwire } from '../reconcile/tripwire.ts';
import type { Diagnosis } from '../report/doctor-view.ts';

/** The Node that runs, the files of the repository, and what git says. */
export function diagnoseRepository(ctx: PassContext): Diagnosis[] {
  const part = 'repository';
  const errors = ctx.repository.findings.filter(({ level }) => level === 'error').length;
  const jobs = ctx.repository.jobs.length;
  const files: Diagnosis =
    errors > 0
      ? {
          part,
          state: 'bad',
          message: `${errors} mistakes in jobs or settings`,
          next: '`batchwright validate` shows them',
        }
      : { part, state: 'good', message: `${jobs} ${jobs === 1 ? 'job' : 'jobs'}, no mistakes`, next: null };
  return [
    { part, state: 'good', message: `Node ${process.versions.node}`, next: null },
    files,
    gitDiagnosis(ctx, part),
  ];
}

function gitDiagnosis(ctx: PassContext, part: string): Diagnosis {
  if (ctx.readOnly !== null)
    return { part, state: 'doubtful', message: ctx.readOnly, next: 'check out the tip, or pull' };
  if (ctx.commit === null)
    return {
      part,
      state: 'doubtful',
      message: 'no commit: runs are recorded without one',
      next: 'git init, and commit',
    };
  const at = ctx.commit.slice(0, 7);
  return ctx.dirty
    ? {
        part,
        state: 'doubtful',
        message: `at ${at}, with changes that no commit holds`,
        next: 'commit them: a run should be what was merged',
      }
    : { part, state: 'good', message: `at ${at}, as committed`, next: null };
}

/** Whether the journal can be read, and is the one that git knows. */
export async function diagnoseStore(ctx: PassContext): Promise<Diagnosis[]> {
  const part = 'store';
  try {
    const { seq } = await ctx.journal.refresh();
    await checkTripwire(ctx.stateFolder, ctx.journal.state, ctx.store);
    const at = seq === 0 ? 'no journal yet' : `the journal is at ${seq}`;
    return [{ part, state: 'good', message: `${ctx.store.kind} at ${ctx.store.place}: ${at}`, next: null }];
  } catch (error) {
    if (!(error instanceof StateConflict)) throw error;
    return [{ part, state: 'bad', message: error.message, next: error.hint }];
  }
}
