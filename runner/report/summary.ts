import { epochMs } from '../ids.ts';
import type { Books, JobReport, PastRun, RunReport } from './report.ts';

/** Rows whose answers are in the sinks, bought by this run or earlier. */
export function inSinks(dispositions: Books['dispositions']): number {
  return (dispositions.applied ?? 0) + (dispositions.reused ?? 0);
}

/** Rows that are neither answered nor given up. */
export function openRows(dispositions: Books['dispositions']): number {
  const of = dispositions;
  return (of.in_flight ?? 0) + (of.ambiguous ?? 0) + (of.waiting ?? 0) + (of.unsent ?? 0);
}

/** Rows that no pass will mend by itself. */
export function rowsForPerson(run: RunReport): number {
  return run.needs.reduce((sum, need) => sum + need.rows, 0);
}

/** Rows are open, or answers wait for their sink. */
export function isUnderWay(run: RunReport): boolean {
  return openRows(run.books.dispositions) > 0 || (run.books.dispositions.valid_not_applied ?? 0) > 0;
}

/** Where a job stands for somebody who runs many: what needs a person comes first. */
export type Standing = 'person' | 'under way' | 'quiet';

export function standingOf(report: JobReport): Standing {
  const { run, phase } = report;
  if (phase === 'stalled' || phase === 'awaiting approval') return 'person';
  if (report.conditions.some(({ type, status }) => type === 'Stalled' && status === 'True')) return 'person';
  if (run !== null && (!run.books.balanced || rowsForPerson(run) > 0)) return 'person';
  if (run !== null && phase !== 'suspended' && isUnderWay(run)) return 'under way';
  return 'quiet';
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
