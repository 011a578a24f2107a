import { openSession, type Session } from '../context.ts';
import { UserError, userError } from '../errors.ts';
import { isJobName, type JobName } from '../ids.ts';
import { PATIENT } from '../plan/snapshot.ts';
import type { LogEntry, PassContext } from '../reconcile/context.ts';
import type { Repository } from '../spec/load.ts';

/** A session on the real state, as the verbs that only look use it. */
export async function realSession(
  root: string,
  only: ReadonlySet<JobName> | null,
  say: (entry: LogEntry) => void = () => {},
): Promise<Session> {
  return openSession({
    root,
    stateFolder: null,
    sinkRoot: root,
    env: process.env,
    pacing: PATIENT,
    only,
    say,
  });
}

/** Runs with a context that has read the journal, and closes everything whatever happens. */
export async function withContext<Result>(
  root: string,
  use: (ctx: PassContext) => Promise<Result>,
): Promise<Result> {
  const session = await realSession(root, null);
  try {
    const ctx = await session.context();
    await ctx.journal.refresh();
    return await use(ctx);
  } finally {
    await session.close();
  }
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
