import type { Instant } from '../ids.ts';
import { booksSum } from './books.ts';
import { isUnderWay, type JobFacts, phaseOf, type RunFacts, tally } from './phase.ts';
import { CONDITIONS, type Condition, type Phase } from './report.ts';

type Judged = Pick<Condition, 'status' | 'reason' | 'message'> & { readonly since: Instant | null };

/** One of each type, in their published order, with Kubernetes' rule: True, False or Unknown, and always a reason. */
export function conditionsOf(facts: JobFacts): readonly Condition[] {
  return CONDITIONS.map((type) => {
    const { since, ...judged } = JUDGES[type](facts);
    return { type, ...judged, generation: facts.generation, since };
  });
}

const JUDGES: Readonly<Record<Condition['type'], (facts: JobFacts) => Judged>> = {
  Ready: ready,
  Validated: validated,
  Approved: approved,
  Reconciling: reconciling,
  Stalled: stalled,
  Suspended: suspended,
  Balanced: balanced,
};

/** True: the current generation is answered and applied, every row of it. */
function ready(facts: JobFacts): Judged {
  const since = facts.run?.changedAt ?? null;
  if (facts.invalid !== null) return no('ValidationFailed', facts.invalid.message, since);
  if (facts.stalled !== null) return no(facts.stalled.reason, facts.stalled.message, facts.stalled.since);
  if (facts.blocked !== null) return no(facts.blocked.reason, facts.blocked.message, since);
  const run = facts.run;
  if (run === null || run.generation !== facts.generation) {
    return unknown('Planned', 'the current generation has no finished run yet', since);
  }
  if (!run.balanced) return no('BooksDiffer', booksSum(run.items, run.dispositions), since);
  if (run.canary === 'failed') return no('CanaryFailed', 'too few answers of the canary were valid', since);
  if (isUnderWay(run)) return unknown('Progressing', 'a run is under way', since);
  const failed = tally(run.dispositions).failed;
  if (failed === 0) return yes('Succeeded', 'every row is answered and applied', since);
  return no('PartialFailure', `${failed} of ${run.items} rows have no applied answer`, since);
}

function validated({ invalid, generationAt }: JobFacts): Judged {
  if (invalid === null)
    return yes('Valid', 'the job file, its prompts and its schema are in order', generationAt);
  return no(
    'Invalid',
    invalid.errors === 1 ? invalid.message : `${invalid.message} (and ${invalid.errors - 1} more)`,
    null,
  );
}

function approved({ blocked, run, generation }: JobFacts): Judged {
  if (blocked !== null) return no(blocked.reason, blocked.message, null);
  if (run === null || run.generation !== generation) {
    return unknown('NotYetPlanned', 'no run of the current generation is frozen', null);
  }
  return yes('WithinLimits', 'merged, and within every ceiling', run.frozenAt);
}

const UNDER_WAY: Readonly<Partial<Record<Phase, string>>> = {
  canary: 'Canary',
  sent: 'ProviderRunning',
  collecting: 'Collecting',
  'partly done': 'Retrying',
};

function reconciling(facts: JobFacts): Judged {
  const since = facts.run?.changedAt ?? null;
  if (facts.run === null || !isUnderWay(facts.run)) return no('Idle', 'nothing is under way', since);
  const phase = phaseOf({ ...facts, suspended: null, stalled: null, invalid: null, blocked: null });
  return yes(UNDER_WAY[phase] ?? 'Submitting', openText(facts.run), since);
}

function openText(run: RunFacts): string {
  const { open, toApply } = tally(run.dispositions);
  return `${open} of ${run.items} rows are open, ${toApply} answers wait to be applied`;
}

function stalled({ stalled, invalid, blocked, run }: JobFacts): Judged {
  if (stalled !== null) return yes(stalled.reason, withNext(stalled), stalled.since);
  // A yes that is missing is not a fault; a ceiling or an unknown price does not go away by itself.
  if (blocked !== null && !blocked.approval) return yes(blocked.reason, blocked.message, null);
  if (invalid !== null) return yes('ValidationFailed', invalid.message, null);
  if (run?.canary === 'failed') {
    return yes('CanaryFailed', 'the rest of the run is not sent', run.changedAt);
  }
  return no('NotStalled', 'no step waits for a person', null);
}

function withNext({ message, next }: NonNullable<JobFacts['stalled']>): string {
  return next === '' ? message : `${message} → ${next}`;
}

function suspended({ suspended }: JobFacts): Judged {
  if (suspended === null) return no('NotSuspended', 'the job file does not suspend it', null);
  const until = suspended.until === null ? '' : ` (until ${suspended.until})`;
  return yes('User', `${suspended.reason}${until}`, null);
}

function balanced({ run }: JobFacts): Judged {
  if (run === null) return unknown('NoRun', 'there is no run yet', null);
  const message = booksSum(run.items, run.dispositions);
  return run.balanced ? yes('Balanced', message, run.changedAt) : no('BooksDiffer', message, run.changedAt);
}

function yes(reason: string, message: string, since: Instant | null): Judged {
  return { status: 'True', reason, message, since };
}

function no(reason: string, message: string, since: Instant | null): Judged {
  return { status: 'False', reason, message, since };
}

function unknown(reason: string, message: string, since: Instant | null): Judged {
  return { status: 'Unknown', reason, message, since };
}
