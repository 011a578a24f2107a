import { DamagedFiles, findingsInShort, UserError } from '../errors.ts';
import { isOsError } from '../files.ts';
import type { Digest, JobName } from '../ids.ts';
import type { SourceFiles } from '../journal/events.ts';
import { currentRun, intentsOf, jobState } from '../journal/fold.ts';
import type { RunState } from '../journal/state.ts';
import { dispositionCounts, sendableCounts } from '../ledger/books.ts';
import { findRejections } from '../ledger/causes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { digestSources } from '../manifest/source.ts';
import type { Rest } from '../plan/action.ts';
import { sinkId } from '../plan/apply.ts';
import type { DesiredJob, Fleet, RejectedShard, RunObserved, Snapshot } from '../plan/snapshot.ts';
import { runFilesRead } from '../plan/stored.ts';
import type { LoadedJob, SinkSpec } from '../spec/job.ts';
import type { Repository } from '../spec/load.ts';
import { staleAnswers } from './checks.ts';
import type { PassContext } from './context.ts';
import { sourceRoots } from './draft.ts';
import { restOfFault } from './faults.ts';
import { proveFiles } from './stored.ts';

/** A job whose files cannot be read now: nothing is planned for it, and the report says why. */
export interface Unreadable {
  readonly job: JobName;
  readonly message: string;
}

/** What git wants, with the source files digested. Read once a pass: the plan is made several times from it. */
export async function observeDesired(
  ctx: PassContext,
): Promise<{ readonly jobs: readonly DesiredJob[]; readonly unreadable: readonly Unreadable[] }> {
  const jobs: DesiredJob[] = [];
  const unreadable: Unreadable[] = [];
  for (const loaded of ctx.repository.jobs) {
    if (ctx.only !== null && !ctx.only.has(loaded.job.name)) continue;
    try {
      const { digest, files, bytes } = await digestSources(loaded.job.input, sourceRoots(ctx));
      jobs.push({
        loaded,
        source: { digest, files, bytes },
        account: ctx.codec(loaded.job.model.provider).account.id,
      });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      unreadable.push({ job: loaded.job.name, message: findingsInShort(error.findings) });
      // A frozen run never reads its source again, so it goes on as if the source were as it was.
      const source = lastSource(ctx, loaded);
      if (source !== null)
        jobs.push({ loaded, source, account: ctx.codec(loaded.job.model.provider).account.id });
    }
  }
  return { jobs, unreadable };
}

function lastSource(ctx: PassContext, { job }: LoadedJob): SourceFiles | null {
  const run = currentRun(ctx.journal.state, job.name);
  const { generations } = jobState(ctx.journal.state, job.name);
  return generations.find((each) => each.generation === run?.generation)?.source ?? null;
}

/** The snapshot that a plan is made from: the fold, the ledgers of the current runs, the sinks as they stand. */
export async function takeSnapshot(ctx: PassContext, desired: readonly DesiredJob[]): Promise<Snapshot> {
  const runs: Record<JobName, RunObserved> = {};
  const damaged: Record<JobName, Rest> = {};
  for (const { loaded } of desired) {
    const observed = await observeUnlessDamaged(ctx, loaded);
    if (observed === null) continue;
    if ('reason' in observed) damaged[loaded.job.name] = observed;
    else runs[loaded.job.name] = observed;
  }
  return {
    now: ctx.now(),
    settings: ctx.settings,
    jobs: desired,
    fleet: ctx.only === null ? fleetOf(ctx) : null,
    journal: ctx.journal.state,
    runs,
    damaged,
    pacing: ctx.pacing,
    readOnly: ctx.readOnly,
  };
}

function fleetOf({ repository, commit, dirty }: PassContext): Fleet {
  return {
    jobs: repository.jobs.map(({ job }) => job.name),
    broken: repository.brokenFiles.map(({ file }) => file),
    commit,
    dirty,
  };
}

/** One job's damaged files must not keep the others from their work. */
async function observeUnlessDamaged(ctx: PassContext, loaded: LoadedJob): Promise<RunObserved | Rest | null> {
  try {
    await proveCurrentRun(ctx, loaded.job.name);
    return await observeRun(ctx, loaded);
  } catch (error) {
    if (!(error instanceof DamagedFiles)) throw error;
    return restOfFault(loaded.job.name, error);
  }
}

/**
 * Before anything is sent, applied or told of it; once in each pass and each look, since a pass plans several times.
 * Older runs are proved when an answer of theirs is written down.
 */
async function proveCurrentRun(ctx: PassContext, job: JobName): Promise<void> {
  const proven = provenIn.get(ctx.repository) ?? new Map<JobName, Promise<void>>();
  provenIn.set(ctx.repository, proven);
  const run = currentRun(ctx.journal.state, job);
  if (run === undefined) return;
  const proof = proven.get(job) ?? proveFiles(ctx.store, runFilesRead(ctx.journal.state, run));
  proven.set(job, proof);
  await proof;
}

/** By the repository, which is read anew for each pass. */
const provenIn = new WeakMap<Repository, Map<JobName, Promise<void>>>();

async function observeRun(ctx: PassContext, loaded: LoadedJob): Promise<RunObserved | null> {
  const { job } = loaded;
  const run = currentRun(ctx.journal.state, job.name);
  const ledger = await ctx.ledgers.of(job.name, job, ctx.journal.state);
  if (run === undefined || ledger === null) return null;
  const sinks: Record<string, Digest | null> = {};
  for (const spec of job.sinks) {
    sinks[sinkId(spec)] = await observeSink(ctx, spec);
  }
  return {
    dispositions: await dispositionCounts(ledger.duck, run.run),
    sendable: await sendableCounts(ledger.duck, run.run),
    rejected: await observeRejections(ctx, run, ledger),
    stale: await staleAnswers(ctx, loaded),
    sinks,
  };
}

/** The journal counts; only the outcomes say for which cause. */
export async function observeRejections(
  { journal, settings }: PassContext,
  run: RunState,
  { duck }: Ledger,
): Promise<readonly RejectedShard[]> {
  const shards = intentsOf(journal.state, run)
    .filter(({ secondOf, settled, count }) => {
      const rejected = settled?.summary.counts.invalid_request ?? 0;
      return secondOf === null && rejected > 0 && rejected === count;
    })
    .map(({ shard }) => shard);
  const mayBeQuoted = mayQuoteRows(settings);
  return (await findRejections(duck, run.run, shards)).map((each) => ({ ...each, mayBeQuoted }));
}

/** What was said of a row may quote it: it stands on a page only where both keys and samples may. */
export function mayQuoteRows({ report: { keys, samples } }: PassContext['settings']): boolean {
  return keys === 'shown' && samples > 0;
}

/** What cannot be looked at is as good as absent: writing it says why, and holds back this job alone. */
async function observeSink(ctx: PassContext, spec: SinkSpec): Promise<Digest | null> {
  try {
    return (await (await ctx.sink(spec)).observe())?.digest ?? null;
  } catch (error) {
    if (error instanceof UserError || isOsError(error)) return null;
    throw error;
  }
}
