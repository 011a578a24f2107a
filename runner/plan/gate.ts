import type { Instant } from '../ids.ts';
import type { JournalState, RunState } from '../journal/state.ts';
import type { Job } from '../spec/job.ts';
import type { Settings } from '../spec/settings.ts';
import type { NewRunSize } from './action.ts';
import { spendOfMonth, spendOfRun } from './spend.ts';

/** Whether something may go ahead; `blocked` carries the condition's reason and what a person can do. */
export type Verdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string; readonly next: string };

export interface GateInput {
  readonly job: Job;
  readonly settings: Settings;
  readonly state: JournalState;
  readonly now: Instant;
  readonly emulator: boolean;
}

/** Pure: may this draft become a run? Judged before anything is frozen. */
export function gateNewRun(size: NewRunSize, input: GateInput): Verdict {
  return firstBlock(NEW_RUN_RULES, size, input);
}

type Rule<Subject> = (subject: Subject, input: GateInput) => Verdict;

const PASS: Verdict = { kind: 'pass' };

const NEW_RUN_RULES: readonly Rule<NewRunSize>[] = [
  itemsRule,
  unknownPriceRule,
  runBudgetRule,
  monthRule,
  ownerRule,
  approvalRule,
];

function firstBlock<Subject>(rules: readonly Rule<Subject>[], subject: Subject, input: GateInput): Verdict {
  return rules.map((rule) => rule(subject, input)).find((verdict) => verdict.kind === 'blocked') ?? PASS;
}

function itemsRule(size: NewRunSize, { job, settings }: GateInput): Verdict {
  const most = lowest(job.budget.maxItems, settings.budgets.maxItems);
  if (most === null || size.requests <= most) return PASS;
  return blocked(
    'TooManyItems',
    `${size.requests} requests, at most ${most} are allowed`,
    'narrow the input or raise `max_items`',
  );
}

function unknownPriceRule(size: NewRunSize, { job, settings }: GateInput): Verdict {
  if (size.estimate.ceilingUsd !== null || !hasBudget(job, settings)) return PASS;
  return blocked(
    'PriceUnknown',
    `the price of ${job.model.provider}/${job.model.name} is unknown, and the job has a budget`,
    `set \`models."${job.model.provider}/${job.model.name}".price\` in batchwright.yaml`,
  );
}

function runBudgetRule(size: NewRunSize, { job, settings }: GateInput): Verdict {
  const budget = lowest(job.budget.perRunUsd, settings.budgets.perRunUsd);
  const ceiling = size.estimate.ceilingUsd ?? 0;
  if (budget === null || ceiling <= budget) return PASS;
  return blocked(
    'BudgetExceeded',
    `the run may cost up to ${usd(ceiling)}, its budget is ${usd(budget)}`,
    'lower `output.max_tokens`, narrow the input, or raise `budget.per_run_usd`',
  );
}

function monthRule(size: NewRunSize, input: GateInput): Verdict {
  const { job, settings, emulator } = input;
  const budget = lowest(job.budget.perMonthUsd, settings.budgets.perMonthUsd);
  const spend = spendOfMonth(input.state, input.now, { job: job.name, emulator });
  return monthVerdict(size, budget, spend.settled + spend.reserved, `job ${job.name}`);
}

function ownerRule(size: NewRunSize, input: GateInput): Verdict {
  const { job, settings, emulator } = input;
  const budget = Object.hasOwn(settings.budgets.owners, job.owner)
    ? (settings.budgets.owners[job.owner]?.perMonthUsd ?? null)
    : null;
  const spend = spendOfMonth(input.state, input.now, { owner: job.owner, emulator });
  return monthVerdict(size, budget, spend.settled + spend.reserved, `owner ${job.owner}`);
}

function monthVerdict(size: NewRunSize, budget: number | null, spent: number, whose: string): Verdict {
  const ceiling = size.estimate.ceilingUsd ?? 0;
  if (budget === null || spent + ceiling <= budget) return PASS;
  return blocked(
    'BudgetExceeded',
    `${whose} has spent or reserved ${usd(spent)} this month; with up to ${usd(ceiling)} more it would pass ${usd(budget)}`,
    'wait for the next month or raise the budget',
  );
}

function approvalRule(size: NewRunSize, { job, settings }: GateInput): Verdict {
  const above = lowest(job.budget.approveAboveUsd, settings.budgets.approveAboveUsd);
  const ceiling = size.estimate.ceilingUsd ?? 0;
  if (above === null || ceiling <= above) return PASS;
  return blocked(
    'AwaitingApproval',
    `the run may cost up to ${usd(ceiling)}; above ${usd(above)} a person has to agree`,
    'raise `approve_above_usd` in a reviewed commit, or make the run smaller',
  );
}

/** Pure: may a shard that may cost up to this much be announced? Judged again right before each intent. */
export function gateShard(reserveUsd: number | null, run: RunState, input: GateInput): Verdict {
  const { job, settings, state, now, emulator } = input;
  if (reserveUsd === null)
    return hasBudget(job, settings)
      ? blocked('PriceUnknown', 'the price of the model is unknown', 'set it in batchwright.yaml')
      : PASS;
  const owner = Object.hasOwn(settings.budgets.owners, job.owner)
    ? (settings.budgets.owners[job.owner]?.perMonthUsd ?? null)
    : null;
  const limits = [
    {
      whose: `run ${run.run}`,
      budget: lowest(job.budget.perRunUsd, settings.budgets.perRunUsd),
      spend: spendOfRun(state, run),
    },
    {
      whose: `job ${job.name} this month`,
      budget: lowest(job.budget.perMonthUsd, settings.budgets.perMonthUsd),
      spend: spendOfMonth(state, now, { job: job.name, emulator }),
    },
    {
      whose: `owner ${job.owner} this month`,
      budget: owner,
      spend: spendOfMonth(state, now, { owner: job.owner, emulator }),
    },
  ];
  const passed = limits.find(
    ({ budget, spend }) =>
      budget !== null && spend.settled + spend.reserved + reserveUsd > budget + ROUNDING_USD,
  );
  if (passed === undefined) return PASS;
  const used = passed.spend.settled + passed.spend.reserved;
  return blocked(
    'BudgetExceeded',
    `${passed.whose} has spent or reserved ${usd(used)}; a shard of up to ${usd(reserveUsd)} would pass ${usd(passed.budget ?? 0)}`,
    'raise the budget, or leave the rest unsent',
  );
}

/** Sums of shards may differ from the whole by floating-point dust. */
const ROUNDING_USD = 1e-9;

function hasBudget(job: Job, settings: Settings): boolean {
  const { budgets } = settings;
  return (
    [
      job.budget.perRunUsd,
      job.budget.perMonthUsd,
      job.budget.approveAboveUsd,
      budgets.perRunUsd,
      budgets.perMonthUsd,
      budgets.approveAboveUsd,
    ].some((limit) => limit !== null) || Object.hasOwn(budgets.owners, job.owner)
  );
}

/** A job may only lower what the settings say. */
function lowest(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}

function usd(amount: number): string {
  return `$${amount < 1 ? amount.toFixed(4) : amount.toFixed(2)}`;
}

function blocked(reason: string, message: string, next: string): Verdict {
  return { kind: 'blocked', reason, message, next };
}
