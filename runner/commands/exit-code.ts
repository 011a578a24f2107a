import type { JobName } from '../ids.ts';
import type { Rest } from '../plan/action.ts';
import { GATE_REASONS } from '../plan/gate.ts';
import { EXIT } from './common.ts';
import type { PassesResult } from './passes.ts';

/** What is judged: all jobs, or those that were named; by what they came to only where somebody asked for that. */
export interface ExitOptions {
  readonly strict: boolean;
  readonly only: ReadonlySet<JobName> | null;
}

/**
 * The exit code of `reconcile`. With `--strict`: what failed or stalled (5) before what a gate holds back (3). A broken
 * job file, and pages that could not be committed, are always an error (1). Pure.
 */
export function exitCode(
  { fleet, rests, published }: Pick<PassesResult, 'fleet' | 'rests' | 'published'>,
  { strict, only }: ExitOptions,
): number {
  if (fleet.broken.length > 0 || !published) return EXIT.error;
  if (!strict) return EXIT.ok;
  const gated = new Set(rests.filter(isGated).map((rest) => rest.job));
  const failed = fleet.jobs
    .filter(({ job }) => only === null || only.has(job))
    .some(({ job, phase }) => phase === 'complete with failures' || (phase === 'stalled' && !gated.has(job)));
  if (failed) return EXIT.partly;
  return gated.size > 0 ? EXIT.blocked : EXIT.ok;
}

function isGated(rest: Rest): boolean {
  return GATE_REASONS.some((reason) => reason === rest.reason);
}
