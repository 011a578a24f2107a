import { epochMs, type Instant, later } from '../ids.ts';
import type { BatchState } from '../journal/batch.ts';
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
      if (isEnding(intent)) return [];
      const why = askedFor(intent) ?? secondReason(intent, state) ?? policyReason(intent, run, job, now);
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

/**
 * A second batch of which nothing has run is money that can still be saved, as long as its first goes well. Whatever it
 * has done when it ends is collected all the same.
 */
function secondReason(intent: IntentState, state: JournalState): CancelReason | null {
  const first = intent.secondOf === null ? undefined : state.intents[intent.secondOf];
  if (first === undefined || first.phase === 'refused' || first.phase === 'absent') return null;
  const answers = first.settled === null || first.settled.summary.counts.ok === first.count;
  return first.batch !== null && first.unseenSince === null && answers && hasNotRun(intent) ? 'second' : null;
}

const BEFORE_RUNNING: ReadonlySet<BatchState> = new Set(['created', 'validating', 'submitted']);

function hasNotRun({ batch }: IntentState): boolean {
  if (batch === null) return false;
  if (BEFORE_RUNNING.has(batch.state)) return true;
  const { progress } = batch;
  return (
    batch.state === 'running' &&
    progress !== null &&
    progress.total > 0 &&
    progress.done + progress.failed === 0
  );
}

function policyReason(intent: IntentState, run: RunState, job: Job, now: Instant): CancelReason | null {
  if (job.sla.onStuck === 'cancel_and_resubmit' && isStuck(intent, job, now)) return 'stuck';
  return job.sla.onDeadline === 'cancel_and_resubmit' && isLate(intent, run, job, now) ? 'deadline' : null;
}

/** By the provider's own clock, on which the batch was made: ours may be wrong. */
export function isStuck(intent: IntentState, job: Job, now: Instant): boolean {
  if (intent.phase !== 'live' || intent.batch === null) return false;
  return epochMs(now) + intent.clockSkewMs - epochMs(intent.batch.createdAt) > job.sla.stuckAfterMs;
}

/** Only batches from before the deadline: those sent after it are the second try, and the last. */
function isLate(intent: IntentState, run: RunState, job: Job, now: Instant): boolean {
  const deadline = later(run.frozenAt, job.sla.deadlineMs);
  return now > deadline && intent.at < deadline;
}
