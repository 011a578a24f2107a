import type { JobName } from '../../ids.ts';
import { currentRun, jobState, runState } from '../../journal/fold.ts';
import type { JournalState, RunState } from '../../journal/state.ts';
import { dispositionCounts } from '../../ledger/books.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Rest } from '../../plan/action.ts';
import { spendOfRun } from '../../plan/spend.ts';
import { conditionsOf } from '../../report/conditions.ts';
import { phaseOf } from '../../report/phase.ts';
import type { JobReport, JournalMark, PastRun } from '../../report/report.ts';
import type { Job, LoadedJob } from '../../spec/job.ts';
import type { PassContext } from '../context.ts';
import { factsOf } from './facts.ts';
import { describeRun, type Look } from './run.ts';
import { timesOf } from './shards.ts';
import { waitsOf } from './waits.ts';

/** The report of a job as a value, from git, journal and ledger. `rests`: why the last plan left it alone. */
export async function describeJob(
  ctx: PassContext,
  loaded: LoadedJob,
  rests: readonly Rest[],
  look: Look = 'all',
): Promise<JobReport> {
  const { job } = loaded;
  const { state } = ctx.journal;
  const run = currentRun(state, job.name);
  const ledger = await ctx.ledgers.of(job.name, job, state);
  const described =
    run === undefined || ledger === null ? null : await describeRun(ctx, run, job, ledger, look);
  const own = rests.filter((rest) => rest.job === job.name);
  const facts = factsOf({ loaded, state, run, report: described, rests: own });
  return {
    job: job.name,
    file: job.file,
    owner: job.owner,
    description: job.description,
    labels: job.labels,
    phase: phaseOf(facts),
    conditions: conditionsOf(facts),
    run: described,
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
    }),
    history: ledger === null ? [] : await pastRuns(state, job, ledger),
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
