import { join } from 'node:path';
import { userError } from '../errors.ts';
import { readTextOrNull, writeWhole } from '../files.ts';
import { type Instant, instantOf } from '../ids.ts';
import type { NewRun } from '../plan/action.ts';
import type { ToApprove } from '../plan/approval.ts';
import { plan } from '../plan/plan.ts';
import type { PassContext } from '../reconcile/context.ts';
import { type Draft, draftRun } from '../reconcile/draft.ts';
import { observeDesired, takeSnapshot } from '../reconcile/observe.ts';
import { APPROVALS_FOLDER } from '../spec/approval.ts';
import { approvalText, leastCeilingUsd, usualExpiry } from './approval-text.ts';
import { type Common, EXIT } from './common.ts';
import { unknownJob, withContext } from './session.ts';

export interface ApproveOptions extends Common {
  readonly job: string;
  /** USD, as a person wrote it; null: what the run may cost at most. */
  readonly ceiling: string | null;
  /** A day; null: a week from today. */
  readonly expires: string | null;
}

/**
 * Writes approvals/<job>.yaml for the run that a pass would start now. Sends and journals nothing: it counts once a
 * person has committed it and it is merged.
 */
export async function runApprove(options: ApproveOptions): Promise<number> {
  return withContext(options, async (ctx) => {
    const draft = await draftOf(ctx, options.job);
    const wanted = approvable(draft);
    const ceilingUsd = ceilingOf(options.ceiling, wanted);
    const expires = expiryOf(options.expires, ctx.now());
    const file = `${APPROVALS_FOLDER}/${draft.action.job}.yaml`;
    const text = await approvalText(draft.action.job, wanted, ceilingUsd, expires);
    const isNew = (await readTextOrNull(join(ctx.root, file))) === null;
    await writeWhole(join(ctx.root, file), text);
    options.out(
      options.json
        ? `${JSON.stringify({ format: 'batchwright/approve/v1', file, generation: wanted.generation, requests: wanted.requests, ceiling_usd: ceilingUsd, expires }, null, 2)}\n`
        : `${isNew ? 'wrote' : 'replaced'} ${file}: generation ${wanted.generation}, ${wanted.requests} requests, at most $${ceilingUsd.toFixed(2)}, until ${expires}
commit it in a pull request; it counts once it is merged
`,
    );
    return EXIT.ok;
  });
}

async function draftOf(ctx: PassContext, name: string): Promise<Draft> {
  const loaded = ctx.repository.jobs.find(({ job }) => job.name === name);
  if (loaded === undefined) throw unknownJob(name, ctx.repository);
  const { jobs } = await observeDesired({ ...ctx, only: new Set([loaded.job.name]) });
  // Whoever approves does so on a branch, which may not act itself.
  const snapshot = { ...(await takeSnapshot(ctx, jobs)), readOnly: null };
  const action = plan(snapshot).actions.find(
    (each): each is NewRun => each.kind === 'new_run' && each.job === loaded.job.name,
  );
  if (action === undefined)
    throw userError(
      'nothing-to-approve',
      `${name} needs no new run, so there is nothing to approve.`,
      '`batchwright plan` says what it does instead.',
    );
  return draftRun(ctx, action, ctx.codec(loaded.job.model.provider));
}

function approvable(draft: Draft): ToApprove & { readonly ceilingUsd: number } {
  const { ceilingUsd } = draft.toApprove;
  if (ceilingUsd !== null) return { ...draft.toApprove, ceilingUsd };
  const { name, provider } = draft.action.loaded.job.model;
  throw userError(
    'price-unknown',
    `The price of ${provider}/${name} is unknown, so nobody can say what they approve.`,
    `Set \`models."${provider}/${name}".price\` in batchwright.yaml.`,
  );
}

/** What a person asked for, if it covers the run. */
function ceilingOf(written: string | null, wanted: ToApprove & { readonly ceilingUsd: number }): number {
  const least = leastCeilingUsd(wanted);
  if (written === null) return least;
  const usd = Number(written);
  if (Number.isFinite(usd) && usd >= least) return usd;
  throw userError(
    'bad-ceiling',
    `\`--ceiling-usd ${written}\` does not cover the run, which may cost up to $${least.toFixed(2)} with what this generation has spent.`,
    `Write a number from ${least.toFixed(2)} on, or leave the option out.`,
  );
}

function expiryOf(written: string | null, now: Instant): string {
  const day = written ?? usualExpiry(now);
  const ms = Date.parse(day);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(ms) && instantOf(ms).startsWith(day);
  if (isDay && day >= now.slice(0, 10)) return day;
  throw userError(
    'bad-expiry',
    `\`--expires ${written}\` is not a day from today on.`,
    'Days are written 2026-12-24.',
  );
}
