import { userInfo } from 'node:os';
import { userError } from '../errors.ts';
import type { JournalEvent } from '../journal/events.ts';
import { currentRun } from '../journal/fold.ts';
import { JournalMoved } from '../journal/journal.ts';
import type { RunState } from '../journal/state.ts';
import { retryableCount } from '../ledger/books.ts';
import { RETRYABLE } from '../outcome/decide.ts';
import { OUTCOME_CLASSES, type OutcomeClass } from '../outcome/outcome.ts';
import { planCancels } from '../plan/cancel.ts';
import { plan } from '../plan/plan.ts';
import { cancelBatches } from '../reconcile/cancel.ts';
import type { PassContext } from '../reconcile/context.ts';
import { observeDesired, takeSnapshot } from '../reconcile/observe.ts';
import { checkTripwire } from '../reconcile/tripwire.ts';
import { type Common, EXIT } from './common.ts';
import { noRun } from './no-run.ts';
import { unknownJob, withContext } from './session.ts';

/** Wishes that a person gives to the journal; the next pass acts on them. */

export async function runRetry(
  options: Common & { readonly job: string; readonly classes: readonly string[] },
): Promise<number> {
  return withContext(
    options,
    async (ctx) => {
      const run = runOf(ctx, options.job);
      const classes = classesOf(options.classes);
      const items = await retryableItems(ctx, run, classes);
      const stop = await findLifted(ctx, run);
      if (items === 0 && stop === null)
        throw userError(
          'nothing-to-retry',
          `run ${run.run} of ${run.job} has no item that ended as ${classes.join(', ')}`,
          options.classes.length > 0 ? undefined : NAMED_ALONE,
        );
      await tell(ctx, { type: 'retry.asked', job: run.job, run: run.run, classes, by: person() });
      const again =
        items > 0
          ? `${items} ${items === 1 ? 'item is' : 'items are'} tried again, by the first pass after their pause`
          : 'it goes on in the next pass';
      const lifted = stop === null ? '' : `; ${stop} is lifted`;
      options.out(`run ${run.run} of ${run.job}: ${again}${lifted}${paidTwice(classes)}\n`);
      return EXIT.ok;
    },
    'append',
  );
}

/** What `retry` alone leaves out. */
const NAMED_ALONE =
  'rows whose results cannot be read, or are lost, may have been paid for: name them, `--class unreadable` or `--class lost`';

function paidTwice(classes: readonly OutcomeClass[]): string {
  if (!classes.includes('unreadable') && !classes.includes('lost')) return '';
  return '. Their first answers may have been paid for; if these can be read yet, the first one that is applied stays';
}

/** What a retry lifts besides: a stop of the run, or the pause of an account that has turned it away. */
const LIFTED: ReadonlySet<string> = new Set([
  'ProviderRejected',
  'BatchFailed',
  'CanaryFailed',
  'Cancelled',
  'AccountPaused',
  'NoCapacity',
  'QueueFull',
]);

/** By its reason; null where nothing stops the run that a retry could lift. */
async function findLifted(ctx: PassContext, run: RunState): Promise<string | null> {
  const { jobs } = await observeDesired({ ...ctx, only: new Set([run.job]) });
  const { rests } = plan(await takeSnapshot(ctx, jobs));
  return rests.find(({ job, reason }) => job === run.job && LIFTED.has(reason))?.reason ?? null;
}

async function retryableItems(
  ctx: PassContext,
  run: RunState,
  classes: readonly OutcomeClass[],
): Promise<number> {
  const job = ctx.repository.jobs.find((each) => each.job.name === run.job)?.job ?? run.spec;
  const ledger = await ctx.ledgers.of(run.job, job, ctx.journal.state);
  return ledger === null ? 0 : retryableCount(ledger.duck, run.run, classes);
}

/**
 * No class named: all that another try may mend. Rows whose answers may have been paid for are named by whoever wants to
 * pay twice.
 */
function classesOf(names: readonly string[]): OutcomeClass[] {
  if (names.length === 0) return RETRYABLE.filter((name) => name !== 'unreadable' && name !== 'lost');
  return names.map((name) => {
    const known = RETRYABLE.find((each) => each === name);
    if (known !== undefined) return known;
    const never = OUTCOME_CLASSES.some((each) => each === name);
    throw userError(
      'bad-class',
      never
        ? `${name} is never tried again: the same request would end the same way`
        : `there is no outcome class ${JSON.stringify(name)}`,
      `classes that can be tried again: ${RETRYABLE.join(', ')}`,
    );
  });
}

export async function runRerun(
  options: Common & { readonly job: string; readonly reason: string },
): Promise<number> {
  return withContext(
    options,
    async (ctx) => {
      const loaded = ctx.repository.jobs.find((each) => each.job.name === options.job);
      if (loaded === undefined) throw unknownJob(options.job, ctx.repository);
      await tell(ctx, { type: 'run.requested', job: loaded.job.name, reason: options.reason, by: person() });
      options.out(
        `${loaded.job.name}: the next pass reads the source again and starts a run; requests that have an answer are not bought again\n`,
      );
      return EXIT.ok;
    },
    'append',
  );
}

export async function runCancel(options: Common & { readonly job: string }): Promise<number> {
  return withContext(
    options,
    async (ctx) => {
      const run = runOf(ctx, options.job);
      const live = Object.values(ctx.journal.state.intents).filter(
        (intent) => intent.job === run.job && intent.phase === 'live',
      );
      if (live.length === 0) {
        options.out(`${run.job} has no batch under way\n`);
        return EXIT.ok;
      }
      const asked = live.filter((intent) => intent.cancel === null);
      await tell(
        ctx,
        ...asked.map(
          (intent): JournalEvent => ({
            type: 'cancel.asked',
            intent: intent.intent,
            job: intent.job,
            why: 'person',
          }),
        ),
      );
      await cancelBatches(ctx, planCancels(run.spec, ctx.journal.state, ctx.now()));
      options.out(
        `${run.job}: ${live.length} ${live.length === 1 ? 'batch is' : 'batches are'} asked to end. What they have done is collected and charged; ` +
          `the rest waits until \`batchwright retry ${run.job} --class cancelled\`\n`,
      );
      return EXIT.ok;
    },
    'append',
  );
}

export function runOf(ctx: PassContext, name: string): RunState {
  const run = currentRun(ctx.journal.state, name as RunState['job']);
  if (run !== undefined) return run;
  if (!ctx.repository.jobs.some((each) => each.job.name === name)) throw unknownJob(name, ctx.repository);
  throw noRun(name, { rehearsal: false });
}

/** A reconciler at work may take the next number; a wish is then simply told again. */
export async function tell(ctx: PassContext, ...events: JournalEvent[]): Promise<void> {
  await checkTripwire(ctx.stateFolder, ctx.journal.state, ctx.store);
  for (;;) {
    try {
      if (events.length > 0) await ctx.journal.append(events);
      return;
    } catch (error) {
      if (!(error instanceof JournalMoved)) throw error;
    }
  }
}

export function person(): string {
  return process.env.GITHUB_ACTOR ?? userInfo().username;
}
