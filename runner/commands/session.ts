import { openSession, type Session } from '../context.ts';
import { UserError, userError } from '../errors.ts';
import { isJobName, type JobName } from '../ids.ts';
import { moveJob } from '../journal/fold.ts';
import { planMoves } from '../plan/moves.ts';
import { PATIENT } from '../plan/snapshot.ts';
import type { PassContext } from '../reconcile/context.ts';
import { checkTripwire } from '../reconcile/tripwire.ts';
import type { Repository } from '../spec/load.ts';
import { realPlace, rehearsalPlace } from './place.ts';

/** Whose state a verb looks at. */
export interface Whose {
  readonly root: string;
  /** True: what `rehearse` has left. */
  readonly rehearsal?: boolean;
  /** A checkout whose limits hold instead of those in `root`. */
  readonly policyRoot?: string | null;
}

export function sessionAt(whose: Whose, only: ReadonlySet<JobName> | null = null): Promise<Session> {
  const place = whose.rehearsal ? rehearsalPlace(whose.root) : realPlace(whose.root);
  return openSession({
    ...place,
    policyRoot: whose.policyRoot ?? null,
    pacing: PATIENT,
    only,
    say: () => {},
  });
}

/**
 * Runs with a context that has read the journal, and closes everything whatever happens.
 * @throws StateConflict where the reports know of a journal that is not there: looking at the rest would mislead.
 */
export async function withContext<Result>(
  whose: Whose,
  use: (ctx: PassContext) => Promise<Result>,
  moves: 'show' | 'append' = 'show',
): Promise<Result> {
  const session = await sessionAt(whose);
  try {
    const ctx = await session.context();
    await ctx.journal.refresh();
    await checkTripwire(ctx.stateFolder, ctx.journal.state, ctx.store);
    if (moves === 'append') await appendMoves(ctx);
    return await use(withMoves(ctx));
  } finally {
    await session.close();
  }
}

/** Whoever writes about a renamed job has to tell the journal of its name first. */
async function appendMoves(ctx: PassContext): Promise<void> {
  const moves = planMoves(
    ctx.repository.jobs.map((each) => each.job),
    ctx.journal.state,
  );
  if (moves.length > 0) await ctx.journal.append(moves);
}

/** A look shows renamed jobs as the next pass will make them, and writes nothing. */
export function withMoves(ctx: PassContext): PassContext {
  const jobs = ctx.repository.jobs.map((each) => each.job);
  const moved = planMoves(jobs, ctx.journal.state).reduce(
    (state, { from, job }) => moveJob(state, from, job),
    ctx.journal.state,
  );
  return moved === ctx.journal.state ? ctx : { ...ctx, journal: { ...ctx.journal, state: moved } };
}

/** The jobs that a person named; null: none named, so all. @throws UserError for a name that is no job. */
export function selected(names: readonly string[], repository: Repository): ReadonlySet<JobName> | null {
  if (names.length === 0) return null;
  for (const name of names)
    if (!repository.jobs.some((each) => each.job.name === name)) throw unknownJob(name, repository);
  return new Set(names.filter(isJobName));
}

export function unknownJob(name: string, repository: Repository): UserError {
  const known = repository.jobs.map((each) => each.job.name);
  const broken = repository.findings.filter((finding) => finding.level === 'error');
  if (broken.length > 0) return new UserError(broken);
  return userError(
    'unknown-job',
    `there is no job ${JSON.stringify(name)}`,
    known.length === 0
      ? 'jobs/ holds no job yet; `batchwright new` writes one'
      : `the jobs are: ${known.join(', ')}`,
  );
}
