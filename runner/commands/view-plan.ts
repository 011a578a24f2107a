import { findingsInLines, hintOf, UserError } from '../errors.ts';
import { digestOfValue } from '../ids.ts';
import { runState } from '../journal/fold.ts';
import type { Plan, Rest, Submit } from '../plan/action.ts';
import { ceilingsOf } from '../plan/ceilings.ts';
import { plan } from '../plan/plan.ts';
import { totalOf } from '../plan/spend.ts';
import type { PassContext } from '../reconcile/context.ts';
import { type Draft, draftRun } from '../reconcile/draft.ts';
import { limitsOn } from '../reconcile/limits.ts';
import { runBefore } from '../reconcile/lost/sent-before.ts';
import { observeDesired, takeSnapshot } from '../reconcile/observe.ts';
import { checkTripwire } from '../reconcile/tripwire.ts';
import type { BudgetLine, NewRunView, PlanView, SendView } from '../report/plan-view.ts';
import { APPROVALS_FOLDER } from '../spec/approval.ts';
import { editedInPlace } from '../spec/in-place.ts';
import type { LoadedJob } from '../spec/job.ts';
import { compilePrompts } from '../spec/prompt.ts';
import { approvalText, leastCeilingUsd, usualExpiry } from './approval-text.ts';
import { withMoves } from './session.ts';

/**
 * The plan as a value, with everything that a reader wants to know. Reads git, journal and sources; renders every
 * request of a new run. `command`: what carries it out, if anything has to be typed. `base`: the jobs as the base branch
 * has them, for what a pull request changes in place.
 */
export async function viewPlan(
  given: PassContext,
  command: string | null,
  base: readonly LoadedJob[] | null = null,
): Promise<PlanView> {
  await given.journal.refresh();
  const ctx = withMoves(given);
  await checkTripwire(ctx.stateFolder, ctx.journal.state, ctx.store);
  const { jobs, unreadable } = await observeDesired(ctx);
  const everything = plan(await takeSnapshot(ctx, jobs));
  // Tidying up at the provider is no change of anything: a plan after a finished pass is empty.
  const planned = {
    ...everything,
    actions: everything.actions.filter((action) => action.kind !== 'discard'),
  };
  const newRuns: NewRunView[] = [];
  const rests: Rest[] = [
    // "Finished" beside "cannot be read" would say two things at once.
    ...planned.rests.filter(
      (rest) => rest.kind !== 'idle' || !unreadable.some(({ job }) => job === rest.job),
    ),
    ...unreadable.map(({ job, message }) => blocked(job, 'InputUnreadable', message)),
  ];
  for (const action of planned.actions) {
    if (action.kind !== 'new_run') continue;
    try {
      const draft = await draftRun(ctx, action, ctx.codec(action.loaded.job.model.provider));
      newRuns.push(await viewRun(ctx, draft));
      if (draft.verdict.kind === 'blocked')
        rests.push({
          ...blocked(action.job, draft.verdict.reason, draft.verdict.message),
          next: draft.verdict.next,
        });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      rests.push({
        ...blocked(action.job, 'InputUnusable', findingsInLines(error.findings)),
        next: hintOf(error.findings),
      });
    }
  }
  const whole: Plan = { actions: planned.actions, rests };
  const stamp = {
    commit: ctx.commit,
    dirty: ctx.dirty,
    journalSeq: ctx.journal.state.seq,
    digest: digestOfValue(digestible(whole, newRuns)),
  };
  const sends = planned.actions.flatMap((action) =>
    action.kind === 'submit' ? [viewSend(ctx, action)] : [],
  );
  return {
    plan: whole,
    toApprove: await approvalFiles(ctx, rests, newRuns),
    newRuns,
    sends,
    inPlace: inPlaceOf(ctx, base),
    broken: ctx.repository.brokenFiles,
    command,
    stamp,
  };
}

async function approvalFiles(
  ctx: PassContext,
  rests: readonly Rest[],
  newRuns: readonly NewRunView[],
): Promise<NonNullable<PlanView['toApprove']>> {
  const waiting = rests.filter(({ reason }) => reason === 'AwaitingApproval').map(({ job }) => job);
  const runs = newRuns.filter(({ job }) => waiting.includes(job));
  const files = await Promise.all(
    runs.map(async ({ job, approval }) => {
      const { ceilingUsd } = approval;
      if (ceilingUsd === null) return null;
      const least = leastCeilingUsd({ ...approval, ceilingUsd });
      const text = await approvalText(job, approval, least, usualExpiry(ctx.now()));
      return { job, file: `${APPROVALS_FOLDER}/${job}.yaml`, text };
    }),
  );
  return files.filter((file) => file !== null);
}

/** Against the base branch alone: the journal knows what a run was frozen with, not what holds for it today. */
function inPlaceOf(ctx: PassContext, base: readonly LoadedJob[] | null): PlanView['inPlace'] {
  if (base === null) return [];
  return ctx.repository.jobs.flatMap((after) => {
    const before = base.find(({ job }) => job.name === after.job.name);
    return before === undefined
      ? []
      : editedInPlace(before, after).map((change) => ({ job: after.job.name, change }));
  });
}

function blocked(job: Rest['job'], reason: string, message: string): Rest {
  return { job, kind: 'blocked', reason, message, next: null };
}

/** What makes two plans the same: what is sent, what it may cost and what is held back, not when it was looked at. */
function digestible(whole: Plan, newRuns: readonly NewRunView[]) {
  const held = whole.rests.filter(({ kind }) => kind === 'blocked');
  return {
    blocked: held.map(({ job, reason }) => ({ job, reason })),
    actions: whole.actions.map((action) =>
      action.kind === 'new_run' ? { ...action, loaded: action.loaded.defines } : action,
    ),
    sizes: newRuns.map((run) => ({ job: run.job, size: run.size })),
  };
}

/** The money of some requests of a frozen run: their share of its estimate, since each was estimated then. */
function viewSend(ctx: PassContext, { job, run, items }: Submit): SendView {
  const frozen = runState(ctx.journal.state, job, run);
  const estimate = frozen?.estimate ?? null;
  const share = (usd: number | null) =>
    usd === null || estimate === null || estimate.requests === 0 ? null : (usd * items) / estimate.requests;
  return {
    job,
    run,
    requests: items,
    estimateUsd: share(estimate?.usd ?? null),
    ceilingUsd: share(estimate?.ceilingUsd ?? null),
    emulator: frozen?.emulator ?? false,
  };
}

async function viewRun(ctx: PassContext, draft: Draft): Promise<NewRunView> {
  const { action, size, manifest, profile, account } = draft;
  const { job, prompts } = action.loaded;
  const sends = compilePrompts(prompts).columns ?? manifest.columns;
  const perShard = Math.min(job.shard.maxItems ?? profile.maxRequestsPerBatch, profile.maxRequestsPerBatch);
  const canaryItems = canaryWanted(draft);
  return {
    job: action.job,
    run: action.run,
    owner: job.owner,
    account: account.id,
    model: `${job.model.provider}/${job.model.name}`,
    emulator: account.emulator,
    size,
    samples: manifest.samples,
    before: await runBefore(
      ctx,
      action.job,
      manifest.samples.map(({ key }) => key),
    ),
    approval: draft.toApprove,
    sends,
    holdsBack: manifest.columns.filter((column) => !sends.includes(column)),
    maxOutputTokens: job.output.maxTokens,
    canaryItems,
    shards: Math.ceil(Math.max(0, size.requests - (canaryItems ?? 0)) / perShard),
    windowMs: profile.windowMs,
    deadlineMs: job.sla.deadlineMs,
    budgets: budgetLines(ctx, draft),
    problems: manifest.problems,
  };
}

function canaryWanted(draft: Draft): number | null {
  const { canary } = draft.action.loaded.job;
  if (canary === null || draft.size.requests === 0) return null;
  const proven =
    draft.action.forcedBy.length > 0 &&
    !draft.action.forcedBy.some((part) => ['model', 'prompt', 'schema', 'output', 'account'].includes(part));
  return proven ? null : Math.min(canary.items, draft.size.requests);
}

function budgetLines(ctx: PassContext, draft: Draft): BudgetLine[] {
  const { job } = draft.action.loaded;
  const { emulator } = draft.account;
  const after = draft.size.estimate.ceilingUsd;
  return ceilingsOf(limitsOn(ctx, job, emulator), null).map(({ scope, budget, spend }) => {
    const usedUsd = totalOf(spend);
    return { scope, usedUsd, afterUsd: after === null ? null : usedUsd + after, ofUsd: budget };
  });
}
