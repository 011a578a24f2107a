import type { Instant } from '../ids.ts';
import type { JournalState, RunState } from '../journal/state.ts';
import type { Approval } from '../spec/approval.ts';
import type { Job } from '../spec/job.ts';
import type { Settings } from '../spec/settings.ts';
import { NO_SPEND, type Spend, spendOfGeneration, spendOfMonth, spendOfRun } from './spend.ts';

/** One limit on money, and what counts against it so far. USD. */
export interface Ceiling {
  readonly scope: 'run' | 'approval' | 'job month' | 'owner month' | 'all jobs month';
  readonly whose: string;
  /** Null: there is none. */
  readonly budget: number | null;
  readonly spend: Spend;
}

export interface CeilingInput {
  readonly job: Job;
  readonly settings: Settings;
  readonly state: JournalState;
  readonly now: Instant;
  /** Emulated and real money never meet. */
  readonly emulator: boolean;
  /** The job's, as it was merged. */
  readonly approval: Approval | null;
}

/** Pure: every limit that stands over a run of the job. `run`: null for one that is not frozen yet. */
export function ceilingsOf(input: CeilingInput, run: RunState | null): Ceiling[] {
  const { job, settings, state, now, emulator } = input;
  const { budgets } = settings;
  const month = (counts: { readonly job?: Job['name']; readonly owner?: string }) =>
    spendOfMonth(state, now, { ...counts, emulator });
  return [
    {
      scope: 'run',
      whose: run === null ? 'the run' : `run ${run.run}`,
      budget: lowest(job.budget.perRunUsd, budgets.perRunUsd),
      spend: run === null ? NO_SPEND : spendOfRun(state, run),
    },
    {
      scope: 'job month',
      whose: `job ${job.name} this month`,
      budget: job.budget.perMonthUsd,
      spend: month({ job: job.name }),
    },
    {
      scope: 'owner month',
      whose: `owner ${job.owner} this month`,
      budget: ownerBudget(job, settings),
      spend: month({ owner: job.owner }),
    },
    ...approved(input, run),
    { scope: 'all jobs month', whose: 'all jobs this month', budget: budgets.perMonthUsd, spend: month({}) },
  ];
}

/** Whoever approved a run approved no more than this, also while it goes on. */
function approved({ approval, job, state }: CeilingInput, run: RunState | null): Ceiling[] {
  if (run === null || approval?.generation !== run.generation) return [];
  const { generation, ceilingUsd } = approval;
  const spend = spendOfGeneration(state, job.name, generation);
  return [
    { scope: 'approval', whose: `the approval of generation ${generation}`, budget: ceilingUsd, spend },
  ];
}

function ownerBudget(job: Job, { budgets }: Settings): number | null {
  return Object.hasOwn(budgets.owners, job.owner) ? (budgets.owners[job.owner]?.perMonthUsd ?? null) : null;
}

/** A job may only lower what the settings say. */
export function lowest(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}
