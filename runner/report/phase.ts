import type { Stalled } from '../errors.ts';
import type { Instant } from '../ids.ts';
import type { Disposition } from '../outcome/disposition.ts';
import type { Phase } from './report.ts';

/** What is known about a job, counted: phase and conditions follow from this alone. */
export interface JobFacts {
  /** The generation that git asks for; null before the journal has seen one. */
  readonly generation: number | null;
  readonly generationAt: Instant | null;
  /** Null where the job's files are in order; else the first error in words. */
  readonly invalid: { readonly errors: number; readonly message: string } | null;
  readonly suspended: { readonly reason: string; readonly until: string | null } | null;
  /** What the gate holds back, from the plan's `blocked` rest. `approval`: a person's yes is all that is missing. */
  readonly blocked: { readonly reason: string; readonly message: string; readonly approval: boolean } | null;
  readonly stalled: (Stalled & { readonly since: Instant | null }) | null;
  /** The newest frozen run, whatever its generation. */
  readonly run: RunFacts | null;
}

export interface RunFacts {
  readonly run: number;
  readonly generation: number;
  readonly frozenAt: Instant;
  /** Time of the last journal entry about this run. */
  readonly changedAt: Instant;
  readonly items: number;
  readonly dispositions: Readonly<Partial<Record<Disposition, number>>>;
  readonly balanced: boolean;
  /** `open`: wanted and not yet judged, sent or not. */
  readonly canary: 'none' | 'open' | 'passed' | 'failed';
  /** Shards other than the canary: at the provider, ended but not settled, settled. */
  readonly live: number;
  readonly ended: number;
  readonly settled: number;
}

/** What a person calls it. The first that holds, read downwards. */
export function phaseOf(facts: JobFacts): Phase {
  if (facts.suspended !== null) return 'suspended';
  if (facts.stalled !== null || facts.invalid !== null) return 'stalled';
  if (facts.blocked !== null) return facts.blocked.approval ? 'awaiting approval' : 'stalled';
  const run = facts.run;
  if (run === null || isOutdated(facts, run)) return 'planned';
  return runPhase(run);
}

function runPhase(run: RunFacts): Phase {
  if (run.canary === 'failed') return 'stalled';
  if (run.canary === 'open') return 'canary';
  const count = tally(run.dispositions);
  if (count.open === 0 && count.toApply === 0) {
    return count.failed === 0 ? 'complete' : 'complete with failures';
  }
  if (count.open === 0) return 'collecting';
  if (run.settled > 0) return 'partly done';
  if (run.ended > 0 && run.live === 0) return 'collecting';
  if (run.live > 0 || count.ambiguous > 0) return 'sent';
  // The canary is back and the rest is not on its way yet: something of the run was sent.
  return run.canary === 'passed' ? 'canary' : 'planned';
}

/** A newer generation that git asks for and no run has taken up yet; an open run is finished first. */
function isOutdated(facts: JobFacts, run: RunFacts): boolean {
  return facts.generation !== null && facts.generation !== run.generation && !isUnderWay(run);
}

/** Something of the run is still to be answered or applied. */
export function isUnderWay(run: RunFacts): boolean {
  const count = tally(run.dispositions);
  return count.open > 0 || count.toApply > 0;
}

export interface Tally {
  /** Neither answered nor given up. */
  readonly open: number;
  readonly ambiguous: number;
  readonly toApply: number;
  /** Given up: a person may want to look. */
  readonly failed: number;
}

/** Dispositions in the four groups that matter to a phase. */
export function tally(of: RunFacts['dispositions']): Tally {
  const ambiguous = of.ambiguous ?? 0;
  return {
    open: (of.in_flight ?? 0) + ambiguous + (of.unreadable ?? 0) + (of.waiting ?? 0) + (of.unsent ?? 0),
    ambiguous,
    toApply: of.valid_not_applied ?? 0,
    failed: (of.held ?? 0) + (of.failed ?? 0) + (of.refused ?? 0) + (of.set_aside ?? 0),
  };
}
