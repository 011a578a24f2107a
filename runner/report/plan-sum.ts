import type { JobName } from '../ids.ts';
import type { Action, Rest } from '../plan/action.ts';
import type { NewRunView, PlanView } from './plan-view.ts';
import { knownSum, sum } from './summary.ts';
import { count, many, usd } from './text.ts';

/** What a plan adds up to. Money in USD; null: some of it is unknown. */
export interface PlanSum {
  readonly newRuns: number;
  readonly inPlace: number;
  readonly blocked: number;
  readonly requests: number;
  readonly reused: number;
  readonly estimateUsd: number | null;
  readonly ceilingUsd: number | null;
  /** None of the money would be spend. */
  readonly emulator: boolean;
}

/** What is blocked is not counted as something that would be sent. Pure. */
export function planSum(view: PlanView): PlanSum {
  const held = blockedJobs(view);
  const runs = view.newRuns.filter(({ job }) => !held.has(job));
  const { sends } = view;
  const paid = [...view.newRuns, ...sends];
  return {
    newRuns: carriedOut(view).filter(({ kind }) => kind === 'new_run').length,
    inPlace: view.inPlace.length,
    blocked: held.size,
    requests: sum([...runs.map(({ size }) => size.requests), ...sends.map(({ requests }) => requests)]),
    reused: sum(runs.map(({ size }) => size.reused)),
    estimateUsd: knownSum([
      ...runs.map(({ size }) => size.estimate.usd),
      ...sends.map(({ estimateUsd }) => estimateUsd),
    ]),
    ceilingUsd: knownSum([
      ...runs.map(({ size }) => size.estimate.ceilingUsd),
      ...sends.map(({ ceilingUsd }) => ceilingUsd),
    ]),
    emulator: paid.length > 0 && paid.every(({ emulator }) => emulator),
  };
}

/** `Plan: 1 new run, 0 blocked · 112 requests, 0 reused · est. $0.04, at most $0.09` */
export function planLine(of: PlanSum): string {
  const inPlace = of.inPlace === 0 ? '' : `, ${count(of.inPlace)} in place`;
  const what = `${many(of.newRuns, 'new run')}${inPlace}, ${count(of.blocked)} blocked`;
  const requests = `${many(of.requests, 'request')}, ${count(of.reused)} reused`;
  const money = `est. ${usd(of.estimateUsd)}, at most ${usd(of.ceilingUsd)}`;
  return `Plan: ${what} · ${requests} · ${money}${of.emulator ? ' (emulator: not spend)' : ''}`;
}

/** The actions that a pass would carry out: a new run that is held back is none of them. */
export function carriedOut(view: PlanView): readonly Action[] {
  const held = blockedJobs(view);
  return view.plan.actions.filter((action) => action.kind !== 'new_run' || !held.has(action.job));
}

export function blockedRests(view: PlanView): readonly Rest[] {
  return view.plan.rests.filter(({ kind }) => kind === 'blocked');
}

/** Neither actions nor anything held back. */
export function isEmpty(view: PlanView): boolean {
  return view.plan.actions.length === 0 && view.inPlace.length === 0 && blockedRests(view).length === 0;
}

/** The median request where there are three samples, else the first. */
export function medianSample({ samples }: NewRunView): NewRunView['samples'][number] | null {
  return samples[samples.length === 3 ? 1 : 0] ?? null;
}

function blockedJobs(view: PlanView): ReadonlySet<JobName> {
  return new Set(blockedRests(view).map(({ job }) => job));
}
