import { StateConflict } from '../errors.ts';
import { JournalMoved } from '../journal/journal.ts';
import type { Rest } from '../plan/action.ts';
import { planMoves } from '../plan/moves.ts';
import { cancelBatches } from './cancel.ts';
import { noteCheckChanges } from './checks.ts';
import { collectEnded } from './collect/collect.ts';
import type { PassContext } from './context.ts';
import { discardRemote } from './discard.ts';
import { resolveAmbiguous } from './lost/adopt.ts';
import type { PassMemory } from './memory.ts';
import { observeDesired } from './observe.ts';
import { pollLive } from './poll/poll.ts';
import { checkTripwire } from './tripwire.ts';
import { Work } from './work.ts';

/** What a pass came to. */
export interface PassResult {
  /** Why each job rests now. */
  readonly rests: readonly Rest[];
  /** How many actions were carried out. */
  readonly done: number;
}

/** Another writer may move the journal under us; each time what it touched is planned again. */
const MOST_REPLANS = 10;

/** One round of the reconciler: read, poll, collect, plan, gate, freeze, submit, apply. Reports are the caller's. */
export async function reconcileOnce(ctx: PassContext, memory: PassMemory): Promise<PassResult> {
  for (let replans = 0; ; replans += 1) {
    try {
      return await attempt(ctx, memory);
    } catch (error) {
      if (!(error instanceof JournalMoved)) throw error;
      if (replans >= MOST_REPLANS) throw busy(error);
      ctx.say({ level: 'info', job: null, text: `${error.message}; planning again` });
    }
  }
}

function busy(error: JournalMoved): StateConflict {
  return new StateConflict(
    `Another reconciler is at work: ${error.message}, ${MOST_REPLANS} times in a row.`,
    'Nothing is lost. Let the other one finish; one reconciler at a time is enough.',
  );
}

async function attempt(ctx: PassContext, memory: PassMemory): Promise<PassResult> {
  await ctx.journal.refresh();
  await checkTripwire(ctx.stateFolder, ctx.journal.state, ctx.store);
  const moves = planMoves(
    ctx.repository.jobs.map((each) => each.job),
    ctx.journal.state,
  );
  if (moves.length > 0 && ctx.readOnly === null) await ctx.journal.append(moves);
  await noteCheckChanges(ctx);
  await resolveAmbiguous(ctx);
  await pollLive(ctx, memory.looks);
  const uncollected = await collectEnded(ctx);
  const { jobs, unreadable } = await observeDesired(ctx);
  const work = new Work(ctx, jobs, memory);
  for (const { job, message } of unreadable) {
    work.note({ job, kind: 'blocked', reason: 'InputUnreadable', message, next: null });
  }
  for (const rest of uncollected) work.hold(rest);
  await work.tombstones();
  // Planned before anything is applied: what this pass applies is discarded by a later one.
  const discards = await work.actions('discard');
  const cancels = await work.actions('cancel');
  if (cancels.length > 0) await cancelBatches(ctx, cancels);
  await work.revalidate();
  await work.freeze();
  // A run that goes back to an earlier schema takes up answers that were judged by what the schema was then.
  await work.revalidate();
  await work.submit();
  await work.apply();
  if (!ctx.stopping()) await discardRemote(ctx, discards);
  const rests = await work.rests();
  await ctx.journal.keepSnapshot();
  return { rests, done: work.done + discards.length };
}
