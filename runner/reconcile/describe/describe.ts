import { DamagedFiles } from '../../errors.ts';
import type { JobName } from '../../ids.ts';
import { currentRun, jobState, runState } from '../../journal/fold.ts';
import type { JournalState, RunState } from '../../journal/state.ts';
import { dispositionCounts } from '../../ledger/books.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Rest } from '../../plan/action.ts';
import { spendOfRun } from '../../plan/spend.ts';
import { conditionsOf } from '../../report/conditions.ts';
import { phaseOf } from '../../report/phase.ts';
import type { JobReport, JournalMark, PastRun, RunReport } from '../../report/report.ts';
import type { Job, LoadedJob } from '../../spec/job.ts';
import type { PassContext } from '../context.ts';
import { isDamage, restOfFault } from '../faults.ts';
import { damagedRaw } from './damaged-raw.ts';
import { factsOf } from './facts.ts';
import { describeRun, type Look } from './run.ts';
import { timesOf } from './shards.ts';
import { waitsOf } from './waits.ts';

/**
 * The report of a job as a value, from git, journal and ledger. `rests`: why the last plan left it alone. Of a job whose
 * files are damaged only that is told: figures that were made of what is left of them would pass for true.
 */
export async function describeJob(
  ctx: PassContext,
  loaded: LoadedJob,
  rests: readonly Rest[],
  look: Look = 'all',
): Promise<JobReport> {
  const { name } = loaded.job;
  const own = rests.filter((rest) => rest.job === name);
  if (own.some(isDamage)) return reportOf(ctx, loaded, own, NOTHING);
  try {
    return await reportOf(ctx, loaded, own, await readRuns(ctx, loaded, look));
  } catch (error) {
    const damage = error instanceof DamagedFiles ? restOfFault(name, error) : null;
    if (damage === null) throw error;
    return reportOf(ctx, loaded, [...own.filter(({ kind }) => kind !== 'idle'), damage], NOTHING);
  }
}

/** What a ledger tells of a job's runs. */
interface ReadRuns {
  readonly current: RunReport | null;
  readonly history: readonly PastRun[];
}

const NOTHING: ReadRuns = { current: null, history: [] };

async function readRuns(ctx: PassContext, { job }: LoadedJob, look: Look): Promise<ReadRuns> {
  const { state } = ctx.journal;
  const run = currentRun(state, job.name);
  const ledger = await ctx.ledgers.of(job.name, job, state);
  if (run === undefined || ledger === null) return NOTHING;
  const current = await describeRun(ctx, run, job, ledger, look);
  return { current, history: await pastRuns(state, job, ledger) };
}

async function reportOf(
  ctx: PassContext,
  loaded: LoadedJob,
  own: readonly Rest[],
  { current, history }: ReadRuns,
): Promise<JobReport> {
  const { job } = loaded;
  const { state } = ctx.journal;
  const run = currentRun(state, job.name);
  const facts = factsOf({ loaded, state, run, report: current, rests: own });
  return {
    job: job.name,
    file: job.file,
    owner: job.owner,
    description: job.description,
    labels: job.labels,
    phase: phaseOf(facts),
    conditions: conditionsOf(facts),
    run: current,
    waits: waitsOf({
      state,
      job,
      rests: own,
      pacing: ctx.pacing,
      now: ctx.now(),
      profileOf: (intent) => {
        const payer = runState(state, intent.job, intent.run)?.spec ?? job;
        return ctx.codec(payer.model.provider).profile;
      },
    }).concat(await damagedRaw(ctx, job.name)),
    history,
    journal: journalMark(state, job.name),
  };
}

function journalMark(state: JournalState, name: JobName): JournalMark | null {
  const { mark } = jobState(state, name);
  return mark === null || state.lineage === null
    ? null
    : { lineage: state.lineage, seq: mark.seq, head: mark.digest };
}

const MOST_PAST_RUNS = 10;

async function pastRuns(state: JournalState, job: Job, ledger: Ledger): Promise<PastRun[]> {
  const runs = jobState(state, job.name).runs.slice(0, -1).reverse().slice(0, MOST_PAST_RUNS);
  return Promise.all(runs.map((run) => pastRun(state, run, ledger)));
}

async function pastRun(state: JournalState, run: RunState, ledger: Ledger): Promise<PastRun> {
  return {
    run: run.run,
    generation: run.generation,
    reason: run.reason,
    items: run.manifest.items,
    dispositions: run.dropped?.dispositions ?? (await dispositionCounts(ledger.duck, run.run)),
    settledUsd: run.price === null ? null : spendOfRun(state, run).settled,
    frozenAt: run.frozenAt,
    appliedAt: timesOf(state, run).appliedAt,
  };
}
