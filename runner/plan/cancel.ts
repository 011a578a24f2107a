import { epochMs, type Instant, later } from '../ids.ts';
import type { CancelReason } from '../journal/events.ts';
import { intentsOf, jobState } from '../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../journal/state.ts';
import type { Job } from '../spec/job.ts';
import type { Cancel } from './action.ts';

/**
 * Pure: which batches the provider is to be asked to end. Asked again until it shows; whatever they did is collected,
 * and nothing of them is sent again before they have ended.
 */
export function planCancels(job: Job, state: JournalState, now: Instant): Cancel[] {
  return jobState(state, job.name)
    .runs.flatMap((run) => intentsOf(state, run).map((intent) => ({ run, intent })))
    .flatMap(({ run, intent }): Cancel[] => {
      const why = isEnding(intent) ? null : (askedFor(intent) ?? policyReason(intent, run, job, now));
      return why === null ? [] : [{ kind: 'cancel', job: job.name, intent: intent.intent, why }];
    });
}

/** What was to end because the job was gone need not end any more. */
function askedFor({ cancel }: IntentState): CancelReason | null {
  return cancel === null || cancel.why === 'withdrawn' ? null : cancel.why;
}

export function isEnding(intent: IntentState): boolean {
  return intent.phase !== 'live' || intent.batch?.state === 'cancelling';
}

function policyReason(intent: IntentState, run: RunState, job: Job, now: Instant): CancelReason | null {
  if (job.sla.onStuck === 'cancel_and_resubmit' && isStuck(intent, job, now)) return 'stuck';
  return job.sla.onDeadline === 'cancel_and_resubmit' && isLate(intent, run, job, now) ? 'deadline' : null;
}

/** By the provider's own clock where it told it: ours may be wrong. */
export function isStuck(intent: IntentState, job: Job, now: Instant): boolean {
  if (intent.phase !== 'live' || intent.batch === null) return false;
  return epochMs(now) - epochMs(intent.batch.createdAt) > job.sla.stuckAfterMs;
}

/** Only batches from before the deadline: those sent after it are the second try, and the last. */
function isLate(intent: IntentState, run: RunState, job: Job, now: Instant): boolean {
  const deadline = later(run.frozenAt, job.sla.deadlineMs);
  return now > deadline && intent.at < deadline;
}
