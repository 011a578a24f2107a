import type { JobName } from '../ids.ts';
import type { Rest } from '../plan/action.ts';
import { GATE_REASONS } from '../plan/gate.ts';
import { isDamage, NO_ROOM } from '../reconcile/faults.ts';
import type { FleetReport } from '../report/report.ts';
import { EXIT } from './common.ts';
import type { PassesResult } from './passes.ts';

/** What is judged: all jobs, or those that were named; by what they came to only where somebody asked for that. */
export interface ExitOptions {
  readonly strict: boolean;
  readonly only: ReadonlySet<JobName> | null;
}

/**
 * The exit code of `reconcile`. Damaged files of a job are told in any case (4), after the work on the others, and so is a
 * full disk (1). With `--strict`: what failed or stalled (5) before what a gate holds back (3). A broken
 * job file, and pages that could not be committed, are always an error (1). Pure.
 */
export function exitCode(
  { fleet, rests, published }: Pick<PassesResult, 'fleet' | 'rests' | 'published'>,
  { strict, only }: ExitOptions,
): number {
  if (hasDamage(fleet.jobs, only) || rests.some(isDamage)) return EXIT.stateConflict;
  if (fleet.broken.length > 0 || !published || rests.some(isNoRoomRest)) return EXIT.error;
  if (!strict) return EXIT.ok;
  const gated = new Set(rests.filter(isGated).map((rest) => rest.job));
  const failed = fleet.jobs
    .filter(({ job }) => only === null || only.has(job))
    .some(({ job, phase }) => phase === 'complete with failures' || (phase === 'stalled' && !gated.has(job)));
  if (failed) return EXIT.partly;
  return gated.size > 0 ? EXIT.blocked : EXIT.ok;
}

/** Whether files of a job that is looked at are not as they were written. Pure. */
export function hasDamage(jobs: FleetReport['jobs'], only: ReadonlySet<JobName> | null): boolean {
  return jobs
    .filter(({ job }) => only === null || only.has(job))
    .some(({ conditions }) =>
      conditions.some(({ type, reason }) => type === 'Stalled' && isDamage({ reason })),
    );
}

/** A job that a full disk holds back. Pure. */
export function isNoRoomRest({ reason }: Rest): boolean {
  return reason === NO_ROOM;
}

function isGated(rest: Rest): boolean {
  return GATE_REASONS.some((reason) => reason === rest.reason);
}
