import { epochMs } from '../ids.ts';
import type { Books, Condition, JobReport, PastRun, RunReport, ShardReport } from './report.ts';

/** Rows whose answers are in the sinks, bought by this run or earlier. */
export function inSinks(dispositions: Books['dispositions']): number {
  return (dispositions.applied ?? 0) + (dispositions.reused ?? 0);
}

/** Rows that are neither answered nor given up. */
export function openRows(dispositions: Books['dispositions']): number {
  const of = dispositions;
  return (
    (of.in_flight ?? 0) + (of.ambiguous ?? 0) + (of.unreadable ?? 0) + (of.waiting ?? 0) + (of.unsent ?? 0)
  );
}

/** Rows that no pass will mend by itself. */
export function rowsForPerson(run: RunReport): number {
  return run.needs.reduce((sum, need) => sum + need.rows, 0);
}

/** Rows are open, or answers wait for their sink. */
export function isUnderWay(run: RunReport): boolean {
  return openRows(run.books.dispositions) > 0 || (run.books.dispositions.valid_not_applied ?? 0) > 0;
}

/** A batch that was turned away, or that is proved not to exist, has taken nothing along. */
export function wasSent({ state }: ShardReport): boolean {
  return state !== 'refused' && state !== 'absent';
}

/** It may still answer. */
export function isOpenShard(shard: ShardReport): boolean {
  return wasSent(shard) && shard.state !== 'settled';
}

/** Where a job stands for somebody who runs many: what needs a person comes first. */
export type Standing = 'person' | 'under way' | 'not sent' | 'quiet';

export function standingOf(report: JobReport): Standing {
  const { run, phase } = report;
  if (demandOf(report) !== null) return 'person';
  if (run !== null && (!run.books.balanced || rowsForPerson(run) > 0)) return 'person';
  if (run === null || phase === 'planned') return 'not sent';
  return phase !== 'suspended' && isUnderWay(run) ? 'under way' : 'quiet';
}

/** What a job that stands still asks of a person. */
export interface Demand {
  /** CamelCase, as the condition has it. */
  readonly reason: string;
  readonly message: string;
  /** What to do; null where nobody knows. */
  readonly next: string | null;
  /** It stands still for want of room at the provider, and goes on as soon as there is some. */
  readonly goesOn: boolean;
}

/** Reasons of a stall that may end without a person. Told as one all the same: after a day somebody may want to know. */
const GOES_ON: ReadonlySet<string> = new Set(['NoCapacity']);

/** Null where the job does not stand still. Rows that need a person are another matter: see `rowsForPerson`. */
export function demandOf(report: JobReport): Demand | null {
  const found = (type: Condition['type'], status: Condition['status']) =>
    report.conditions.find((condition) => condition.type === type && condition.status === status);
  const isHeld = report.phase === 'stalled' || report.phase === 'awaiting approval';
  const condition = found('Stalled', 'True') ?? (isHeld ? found('Approved', 'False') : undefined);
  const next = report.waits.find(({ command }) => command !== null)?.command ?? null;
  if (condition !== undefined)
    return {
      reason: condition.reason,
      message: without(condition.message, next),
      next,
      goesOn: GOES_ON.has(condition.reason),
    };
  return isHeld ? { reason: 'Stalled', message: 'see what it waits for', next, goesOn: false } : null;
}

/** A condition's message ends with what to do where the journal knows it. */
function without(message: string, next: string | null): string {
  const end = ` → ${next}`;
  return next !== null && message.endsWith(end) ? message.slice(0, -end.length) : message;
}

/** Why nothing of a job is at the provider. */
export function unsentReason({ waits }: JobReport): string {
  return waits[0]?.waitsFor ?? 'no pass has taken it up yet';
}

/** How long runs of this job took from freezing to the sinks: the median; null where none is known. */
export function usualMs(history: readonly PastRun[]): number | null {
  return median(
    history.flatMap(({ frozenAt, appliedAt }) => (appliedAt ? [epochMs(appliedAt) - epochMs(frozenAt)] : [])),
  );
}

export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The sum where every part is known; null says that it cannot be told. */
export function knownSum(values: readonly (number | null)[]): number | null {
  return values.some((value) => value === null) ? null : sum(values.map((value) => value ?? 0));
}
