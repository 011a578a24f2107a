import { join } from 'node:path';
import { writeIfChanged } from '../files.ts';
import { digestOfTree } from '../git.ts';
import { type Digest, epochMs, type Instant, instantOf } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import type { JournalState } from '../journal/state.ts';
import type { Rest } from '../plan/action.ts';
import { planDiscards } from '../plan/apply.ts';
import type { Job } from '../spec/job.ts';
import type { PassContext } from './context.ts';

/**
 * `state/pass.json`, a published contract: what the last pass saw, and when another one has something to do. It is
 * what lets a scheduled pass end in a second, before anything is installed: `bin/due.mjs` reads it.
 */
export interface PassNote {
  readonly format: 'batchwright/pass/v1';
  /** What jobs are made of, as the commit of the pass had it. Null: not all of it is in git, or not all was looked at. */
  readonly seen: { readonly paths: readonly string[]; readonly digest: Digest } | null;
  /** `now`: work is under way. A time: nothing happens before. Null: nothing happens until git changes. */
  readonly next_look: Instant | 'now' | null;
}

/** Writes the note of a pass that has just ended; its path where it changed. */
export async function writePassNote(ctx: PassContext, rests: readonly Rest[]): Promise<string | null> {
  const jobs = ctx.repository.jobs.map(({ job }) => job);
  const note: PassNote = {
    format: 'batchwright/pass/v1',
    seen: await seenBy(ctx, jobs),
    next_look: ctx.stopping() ? 'now' : nextLookAt(ctx.journal.state, rests, jobs, ctx.now()),
  };
  const path = join(ctx.stateFolder, 'pass.json');
  return (await writeIfChanged(path, `${JSON.stringify(note, null, 2)}\n`)) ? path : null;
}

/** Only a pass over all jobs, as the tip has them, may speak for that commit. */
async function seenBy(ctx: PassContext, jobs: readonly Job[]): Promise<PassNote['seen']> {
  const inputs = inputPaths(jobs);
  if (ctx.only !== null || ctx.readOnly !== null || ctx.dirty || ctx.commit === null || inputs === null)
    return null;
  const paths = [...new Set([...JOB_PATHS, ...inputs])].sort();
  const digest = await digestOfTree(ctx.root, ctx.commit, paths, inputs);
  return digest === null ? null : { paths, digest };
}

/** Where everything stands that people say about jobs. */
const JOB_PATHS = ['approvals', 'batchwright.yaml', 'jobs', 'prompts', 'reviews', 'schemas'];

/**
 * Pure: the files and folders that inputs are read from, a glob by the folder before its first special character.
 * Null where one is outside the repository, or could be anywhere in it.
 */
export function inputPaths(jobs: readonly Job[]): string[] | null {
  const paths = jobs.flatMap(({ input }) => input.files).map(beforeGlob);
  return paths.some((path) => path === '' || path.startsWith('/') || path.split('/').includes('..'))
    ? null
    : [...new Set(paths)].sort();
}

function beforeGlob(pattern: string): string {
  const steps = pattern.split('/').filter((step) => step !== '.');
  const glob = steps.findIndex((step) => /[*?[\]{}()!+@]/.test(step));
  return (glob === -1 ? steps : steps.slice(0, glob)).join('/');
}

/** Pure: when the next pass has something to do. */
export function nextLookAt(
  state: JournalState,
  rests: readonly Rest[],
  jobs: readonly Job[],
  now: Instant,
): PassNote['next_look'] {
  if (!isQuiet(state, rests) || isDiscardDue(state, rests, jobs, now)) return 'now';
  const looks = rests.map((rest) => lookOf(rest, jobs, now));
  if (looks.includes('now')) return 'now';
  return looks.filter((look) => look !== null).sort()[0] ?? null;
}

/**
 * What a pass has applied is deleted at the provider by the next one: customer data should not lie about. What was settled
 * more than an hour ago could not be deleted, or was applied late: no tick is spent on it, and the daily pass goes on
 * trying. By when it was settled: a fresh machine applies anew in each pass.
 */
function isDiscardDue(
  state: JournalState,
  rests: readonly Rest[],
  jobs: readonly Job[],
  now: Instant,
): boolean {
  const suspended = new Set(rests.filter(({ kind }) => kind === 'suspended').map(({ job }) => job));
  return jobs.some((job) => {
    const run = currentRun(state, job.name);
    if (run === undefined || suspended.has(job.name)) return false;
    return planDiscards({ ...run, spec: job }, state).some(({ intent }) => {
      const at = state.intents[intent]?.settled?.at;
      return at !== undefined && epochMs(now) - epochMs(at) < HOUR_MS;
    });
  });
}

const HOUR_MS = 3_600_000;

/** Nothing comes by itself any more: no batch is open, and no job waits for a time to pass. */
export function isQuiet(state: JournalState, rests: readonly Rest[]): boolean {
  const open = Object.values(state.intents).some((intent) =>
    ['intent', 'live', 'ended', 'collected'].includes(intent.phase),
  );
  return !open && !rests.some((rest) => rest.kind === 'waiting');
}

function lookOf(rest: Rest, jobs: readonly Job[], now: Instant): PassNote['next_look'] {
  switch (rest.kind) {
    case 'idle':
      return null;
    case 'suspended':
      return endOfSuspension(jobs.find(({ name }) => name === rest.job));
    case 'blocked':
      if (rest.until !== undefined) return rest.until;
      if (rest.reason === 'BudgetExceeded') return nextMonth(now);
      return GIT_ALONE.has(rest.reason) ? null : 'now';
    case 'in_flight':
    case 'waiting':
      return 'now';
    default:
      return rest.kind satisfies never;
  }
}

/** What holds a job back until somebody edits it. A missing key or an unreadable file may be mended without git. */
const GIT_ALONE: ReadonlySet<string> = new Set(['TooManyItems', 'PriceUnknown', 'AwaitingApproval']);

function endOfSuspension(job: Job | undefined): Instant | null {
  const until = job?.suspend?.until ?? null;
  return until === null ? null : instantOf(Date.parse(until));
}

/** Monthly budgets count by the UTC month. */
function nextMonth(now: Instant): Instant {
  const date = new Date(now);
  return instantOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1));
}
