import { DamagedFiles } from '../errors.ts';
import type { JobName } from '../ids.ts';
import type { RunDropped } from '../journal/events.ts';
import { currentRun, jobState } from '../journal/fold.ts';
import type { JournalState, RunState } from '../journal/state.ts';
import { dispositionCounts } from '../ledger/books.ts';
import { leansOn, runsInSink } from '../ledger/leaning.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { plan } from '../plan/plan.ts';
import { bytesOf, droppableRuns, foldersOf, storedFiles } from '../plan/stored.ts';
import type { Job } from '../spec/job.ts';
import { keepFrom } from './apply.ts';
import type { PassContext } from './context.ts';
import { observeDesired, takeSnapshot } from './observe.ts';

/** A run that is old enough to be dropped, and why it is kept all the same; null: it may go. */
export interface Pruned {
  readonly event: RunDropped;
  readonly keptFor: string | null;
}

/** What of the jobs may go now. Changes nothing. */
export async function planPrune(
  ctx: PassContext,
  keptMs: number,
  only: ReadonlySet<JobName> | null,
): Promise<Pruned[]> {
  const { jobs } = await observeDesired(ctx);
  const { actions } = plan(await takeSnapshot(ctx, jobs));
  const busy = new Set(actions.map(({ job }) => job));
  const pruned: Pruned[] = [];
  for (const { job } of ctx.repository.jobs) {
    if (only !== null && !only.has(job.name)) continue;
    const old = droppableRuns(ctx.journal.state, job.name, ctx.now(), keptMs);
    if (old.length === 0) continue;
    try {
      pruned.push(...(await judge(ctx, job, old, busy.has(job.name))));
    } catch (error) {
      if (!(error instanceof DamagedFiles)) throw error;
      pruned.push(...old.map((run) => keptAsItIs(ctx.journal.state, run, error)));
    }
  }
  return pruned;
}

async function judge(
  ctx: PassContext,
  job: Job,
  old: readonly RunState[],
  isBusy: boolean,
): Promise<Pruned[]> {
  const { state } = ctx.journal;
  const current = currentRun(state, job.name);
  const ledger = await ctx.ledgers.of(job.name, job, state);
  if (current === undefined || ledger === null) return [];
  const inSinks = await neededBySinks(state, job, current, ledger);
  const judged: Pruned[] = [];
  for (const run of old) {
    const gone = judged.filter(({ keptFor }) => keptFor === null).map(({ event }) => event.run);
    const leans = await leansOn(ledger.duck, current.run, run.run, gone);
    const keptFor = whyKept(current.run, isBusy, leans, inSinks.has(run.run));
    judged.push({ event: await dropOf(state, run, ledger), keptFor });
  }
  return judged;
}

function whyKept(current: number, isBusy: boolean, leans: boolean, inSinks: boolean): string | null {
  if (isBusy) return `run ${current} is not finished`;
  if (leans) return `run ${current} uses what it brought`;
  return inSinks ? 'a sink keeps rows of it' : null;
}

async function neededBySinks(
  state: JournalState,
  job: Job,
  current: RunState,
  ledger: Ledger,
): Promise<ReadonlySet<number>> {
  const needed = new Set<number>();
  for (const sink of job.sinks) {
    const order = {
      run: current.run,
      key: current.spec.input.key,
      pass: [],
      keepFrom: keepFrom(state, current, sink),
    };
    for (const run of await runsInSink(ledger.duck, order)) needed.add(run);
  }
  return needed;
}

async function dropOf(state: JournalState, run: RunState, ledger: Ledger): Promise<RunDropped> {
  return dropWith(state, run, await dispositionCounts(ledger.duck, run.run));
}

function dropWith(state: JournalState, run: RunState, dispositions: RunDropped['dispositions']): RunDropped {
  const files = storedFiles(state, run);
  const [job, bytes] = [run.job, bytesOf(files)];
  return { type: 'run.dropped', job, run: run.run, files: files.length, bytes, dispositions };
}

/** Nobody can tell what uses it: `dispositions` is empty, and never told to the journal. */
function keptAsItIs(state: JournalState, run: RunState, { message }: DamagedFiles): Pruned {
  return { event: dropWith(state, run, {}), keptFor: `files of this job are damaged (${message})` };
}

/**
 * Says what is dropped, then drops it: whoever reads the journal afterwards asks for none of these files. Files that an
 * earlier prune left behind, since it died in between, go as well.
 */
export async function prune(ctx: PassContext, pruned: readonly Pruned[]): Promise<void> {
  const events = pruned.filter(({ keptFor }) => keptFor === null).map(({ event }) => event);
  if (events.length > 0) await ctx.journal.append(events);
  const { state } = ctx.journal;
  const runs = (Object.keys(state.jobs) as JobName[]).flatMap((name) => jobState(state, name).runs);
  // A job that was renamed and one that took its old name may have put files into one folder.
  const kept = new Set(
    runs.filter((run) => run.dropped === undefined).flatMap((run) => foldersOf(state, run)),
  );
  const gone = runs.filter((run) => run.dropped !== undefined).flatMap((run) => foldersOf(state, run));
  for (const folder of new Set(gone)) if (!kept.has(folder)) await ctx.store.dropRun(folder);
}
