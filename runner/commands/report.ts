import { plan } from '../plan/plan.ts';
import { describeJob } from '../reconcile/describe/describe.ts';
import { restsForALook } from '../reconcile/last-pass.ts';
import { observeDesired, takeSnapshot } from '../reconcile/observe.ts';
import { statusJson } from '../report/json.ts';
import { jobMarkdown } from '../report/markdown.ts';
import { type Common, EXIT } from './common.ts';
import { hasDamage } from './exit-code.ts';
import { unknownJob, withContext } from './session.ts';

/** Prints the page that the last pass committed, made anew from state. */
export async function runReport(options: Common & { readonly job: string }): Promise<number> {
  return withContext(options, async (ctx) => {
    const loaded = ctx.repository.jobs.find((each) => each.job.name === options.job);
    if (loaded === undefined) throw unknownJob(options.job, ctx.repository);
    const { jobs } = await observeDesired({ ...ctx, only: new Set([loaded.job.name]) });
    const rests = await restsForALook(ctx, plan(await takeSnapshot(ctx, jobs)));
    const report = await describeJob(ctx, loaded, rests, 'all');
    options.out(options.json ? `${JSON.stringify(statusJson(report), null, 2)}\n` : jobMarkdown(report));
    return hasDamage([report], null) ? EXIT.stateConflict : EXIT.ok;
  });
}
