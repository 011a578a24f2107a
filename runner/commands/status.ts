import type { JsonObject } from '../ids.ts';
import { plan } from '../plan/plan.ts';
import { describeFleet } from '../reconcile/describe/publish.ts';
import { restsForALook } from '../reconcile/last-pass.ts';
import { observeDesired, takeSnapshot } from '../reconcile/observe.ts';
import { type JobLook, jobLooks, readLooks } from '../reconcile/poll/looks.ts';
import { fleetJson } from '../report/json.ts';
import { statusTerminal } from '../report/terminal.ts';
import { type Common, EXIT } from './common.ts';
import { hasDamage } from './exit-code.ts';
import { selected, withContext } from './session.ts';

/** Where every job stands, from git and state alone: no provider is asked. */
export async function runStatus(options: Common & { readonly jobs: readonly string[] }): Promise<number> {
  return withContext(options, async (ctx) => {
    const only = selected(options.jobs, ctx.repository);
    const { jobs } = await observeDesired({ ...ctx, only });
    const rests = await restsForALook(ctx, plan(await takeSnapshot(ctx, jobs)));
    const fleet = await describeFleet(ctx, rests, options.json ? 'all' : 'standing');
    const shown = only === null ? fleet : { ...fleet, jobs: fleet.jobs.filter((job) => only.has(job.job)) };
    const looks = jobLooks(ctx, (await readLooks(ctx)).last).filter(
      ({ job }) => only === null || only.has(job),
    );
    options.out(
      options.json
        ? `${JSON.stringify({ ...fleetJson(shown), looks: looks.map(lookJson) }, null, 2)}\n`
        : statusTerminal(shown, { color: options.color, looks }),
    );
    return hasDamage(shown.jobs, null) ? EXIT.stateConflict : EXIT.ok;
  });
}

function lookJson({ job, lookedAt, nextLook }: JobLook): JsonObject {
  return { job, looked_at: lookedAt, next_look: nextLook };
}
