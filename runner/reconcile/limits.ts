import type { JobName } from '../ids.ts';
import type { CeilingInput } from '../plan/ceilings.ts';
import type { Approval } from '../spec/approval.ts';
import type { Job } from '../spec/job.ts';
import type { PassContext } from './context.ts';

/** The merged word of a person about this job, if there is one. */
export function approvalOf(ctx: PassContext, job: JobName): Approval | null {
  return ctx.repository.approvals.find((each) => each.job === job) ?? null;
}

/** What the limits on a job's money are judged by now. */
export function limitsOn(ctx: PassContext, job: Job, emulator: boolean): CeilingInput {
  return {
    job,
    settings: ctx.settings,
    state: ctx.journal.state,
    now: ctx.now(),
    emulator,
    approval: approvalOf(ctx, job.name),
  };
}
