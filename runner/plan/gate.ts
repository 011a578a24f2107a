import type { RunState } from '../journal/state.ts';
import type { NewRunSize } from './action.ts';
import { type ToApprove, whyNotCovered } from './approval.ts';
import { type Ceiling, type CeilingInput, ceilingsOf, lowest } from './ceilings.ts';
import { spendOfGeneration, totalOf } from './spend.ts';
import { storedBytes } from './stored.ts';

/** Whether something may go ahead; `blocked` carries the condition's reason and what a person can do. */
export type Verdict =
  | { readonly kind: 'pass' }
  | {
      readonly kind: 'blocked';
      readonly reason: GateReason;
      readonly message: string;
      readonly next: string;
    };

export const GATE_REASONS = [
  'TooManyItems',
  'StoreFull',
  'PriceUnknown',
  'BudgetExceeded',
  'AwaitingApproval',
] as const;
export type GateReason = (typeof GATE_REASONS)[number];

/** Which version of the job a new run would put to work. */
export type Version = Pick<ToApprove, 'generation' | 'defines'>;

const PASS: Verdict = { kind: 'pass' };

/** Pure: may this draft become a run? Judged before anything is frozen. */
export function gateNewRun(size: NewRunSize, input: CeilingInput, version: Version): Verdict {
  return (
    tooManyItems(size, input) ??
    storeFull(size, input) ??
    unknownPrice(size.estimate.ceilingUsd, input, null) ??
    overBudget(size.estimate.ceilingUsd ?? 0, ceilingsOf(input, null), 'the run') ??
    needsApproval(size, input, version) ??
    PASS
  );
}

/** Pure: may a shard that costs up to this much be announced? Judged again right before each intent. */
export function gateShard(reserveUsd: number | null, run: RunState, input: CeilingInput): Verdict {
  return (
    unknownPrice(reserveUsd, input, run) ??
    overBudget(reserveUsd ?? 0, ceilingsOf(input, run), 'the next shard') ??
    PASS
  );
}

/** Pure: may a person ask a few rows now that cost up to this much? The same budgets as for a run, and no approval. */
export function gateTry(reserveUsd: number, input: CeilingInput): Verdict {
  return overBudget(reserveUsd, ceilingsOf(input, null), 'the try') ?? PASS;
}

function tooManyItems(size: NewRunSize, { job, settings }: CeilingInput): Verdict | null {
  const most = lowest(job.budget.maxItems, settings.budgets.maxItems);
  if (most === null || size.requests <= most) return null;
  return blocked(
    'TooManyItems',
    `${size.requests} requests, at most ${most} are allowed`,
    'narrow the input or raise `max_items`',
  );
}

/** A file that the host turns away after it was paid for would be lost: so it is judged before. */
function storeFull({ fileBytes }: NewRunSize, { settings: { store }, state }: CeilingInput): Verdict | null {
  if (store.kind === 'local') return null;
  const kept = storedBytes(state);
  if (kept + fileBytes <= store.maxBytes) return null;
  return blocked(
    'StoreFull',
    `the run's files would take about ${gigabytes(fileBytes)}, and the store holds ${gigabytes(kept)} of at most ${gigabytes(store.maxBytes)}`,
    '`batchwright state prune` drops runs that are no longer used; else make the job smaller, or keep its state in a `local` store',
  );
}

/** An unknown price never counts as zero: it is refused wherever any limit on money stands. */
function unknownPrice(usd: number | null, input: CeilingInput, run: RunState | null): Verdict | null {
  const limited =
    ceilingsOf(input, run).some((ceiling) => ceiling.budget !== null) || approvalAbove(input) !== null;
  if (usd !== null || !limited) return null;
  const model = `${input.job.model.provider}/${input.job.model.name}`;
  return blocked(
    'PriceUnknown',
    `the price of ${model} is unknown, and there is a budget`,
    `set \`models."${model}".price\` in batchwright.yaml`,
  );
}

function overBudget(usd: number, ceilings: readonly Ceiling[], what: string): Verdict | null {
  const passed = ceilings.find(
    ({ budget, spend }) => budget !== null && totalOf(spend) + usd > budget + ROUNDING_USD,
  );
  if (passed === undefined) return null;
  const used = totalOf(passed.spend);
  const sofar = used > 0 ? `${passed.whose} has spent or reserved ${dollars(used)}; ` : '';
  return blocked(
    'BudgetExceeded',
    `${sofar}${what} may cost up to ${dollars(usd)}, the limit of ${passed.whose} is ${dollars(passed.budget ?? 0)}`,
    NEXT_STEPS[passed.scope],
  );
}

const NEXT_STEPS: Readonly<Record<Ceiling['scope'], string>> = {
  run: 'lower `output.max_tokens`, narrow the input, or raise `budget.per_run_usd`',
  approval: 'run `batchwright approve` again, and merge what it writes',
  'job month': 'wait for the next month or raise `budget.per_month_usd`',
  'owner month': "wait for the next month or raise the owner's budget in batchwright.yaml",
  'all jobs month': 'wait for the next month or raise `budgets.per_month_usd` in batchwright.yaml',
};

/** Sums of shards may differ from the whole by floating-point dust. */
const ROUNDING_USD = 1e-9;

/** What a merged approval may stand in for: the word of a person that this very version is what they want. */
function needsApproval(size: NewRunSize, input: CeilingInput, version: Version): Verdict | null {
  const reasons = [costsMuch(size, input), losesMany(size)].filter((reason) => reason !== null);
  if (reasons.length === 0) return null;
  const not =
    input.approval === null
      ? null
      : whyNotCovered(input.approval, toApprove(size, input, version), input.now);
  if (input.approval !== null && not === null) return null;
  const unfit = not === null ? '' : `; the approval ${not}`;
  return blocked(
    'AwaitingApproval',
    `${reasons.map(({ why }) => why).join('; ')} a person has to agree${unfit}`,
    `run \`batchwright approve ${input.job.name}\` and merge the file that it writes, or ${reasons.map(({ instead }) => instead).join(' and ')}`,
  );
}

interface ApprovalReason {
  readonly why: string;
  readonly instead: string;
}

function costsMuch(size: NewRunSize, input: CeilingInput): ApprovalReason | null {
  const above = approvalAbove(input);
  const ceiling = size.estimate.ceilingUsd ?? 0;
  if (above === null || ceiling <= above) return null;
  return {
    why: `the run may cost up to ${dollars(ceiling)}; above ${dollars(above)}`,
    instead: 'make the run smaller',
  };
}

/** An export that was cut looks the same as rows that are gone for good, and sinks may lose them. */
const MOST_GONE = 0.1;

function losesMany({ gone: { rows, of } }: NewRunSize): ApprovalReason | null {
  if (rows <= of * MOST_GONE) return null;
  const what = rows === of ? `all ${of} rows` : `${rows} of ${of} rows`;
  return { why: `${what} are gone from the input at once; above 10 %`, instead: 'bring the rows back' };
}

/** Pure: what a person would have to approve for this run to go ahead. */
export function toApprove(size: NewRunSize, { job, state }: CeilingInput, version: Version): ToApprove {
  const spent = spendOfGeneration(state, job.name, version.generation);
  return {
    ...version,
    requests: size.requests,
    ceilingUsd: size.estimate.ceilingUsd,
    spentUsd: totalOf(spent),
  };
}

function approvalAbove({ job, settings }: CeilingInput): number | null {
  return lowest(job.budget.approveAboveUsd, settings.budgets.approveAboveUsd);
}

function gigabytes(bytes: number): string {
  return bytes < 1e8 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

function dollars(amount: number): string {
  return `$${amount < 1 ? amount.toFixed(4) : amount.toFixed(2)}`;
}

function blocked(reason: GateReason, message: string, next: string): Verdict {
  return { kind: 'blocked', reason, message, next };
}
