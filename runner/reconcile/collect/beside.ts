import type { IntentState, JournalState } from '../../journal/state.ts';
import { answeredElsewhere, duplicateOrdinals, unreadOrdinals } from '../../ledger/answered.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Classified } from '../../outcome/classify.ts';
import { besideOthers } from '../../outcome/second.ts';
import { isOpen } from '../../plan/spend.ts';
import type { PassContext } from '../context.ts';

/** How the lines of a batch are judged where another batch may have answered the same items. */
export type Beside = (ordinal: number, row: Classified) => Classified;

/** Null where no item of the job can be in two batches: then each has one open attempt at most. */
export async function besideRule(ctx: PassContext, intent: IntentState): Promise<Beside | null> {
  const { state } = ctx.journal;
  if (!mayShareItems(state, intent)) return null;
  const ledger = await ledgerOf(ctx, intent);
  const answered = ledger === null ? new Set<number>() : await answeredElsewhere(ledger.duck, intent);
  const first = firstOf(state, intent);
  return ruleWith(intent, answered, first === undefined || !isOpen(first));
}

/**
 * The same for lines that are read again later. Who was first is as it was when the batch was settled; of rows that could
 * not be read then, it is as it is now.
 */
export async function besideAsSettled(ctx: PassContext, intent: IntentState): Promise<Beside | null> {
  const { state } = ctx.journal;
  if (!mayShareItems(state, intent)) return null;
  const ledger = await ledgerOf(ctx, intent);
  const answered = ledger === null ? new Set<number>() : await answeredFirst(ledger, intent);
  const first = firstOf(state, intent);
  const before = (first?.settled?.seq ?? 0) < (intent.settled?.seq ?? 0);
  return ruleWith(intent, answered, first === undefined || (!isOpen(first) && before));
}

/** For lines that a person has read again: whoever has answered an item meanwhile was first. */
export async function besideElsewhere(ctx: PassContext, intent: IntentState): Promise<Beside> {
  const ledger = await ledgerOf(ctx, intent);
  const answered = ledger === null ? new Set<number>() : await answeredElsewhere(ledger.duck, intent);
  return ruleWith(intent, answered, true);
}

async function answeredFirst({ duck }: Ledger, intent: IntentState): Promise<ReadonlySet<number>> {
  const elsewhere = await answeredElsewhere(duck, intent);
  const unread = await unreadOrdinals(duck, intent);
  return (await duplicateOrdinals(duck, intent)).union(unread.intersection(elsewhere));
}

function ruleWith(intent: IntentState, answered: ReadonlySet<number>, closed: boolean): Beside {
  const second = intent.secondOf !== null;
  return (ordinal, row) => besideOthers(row, { answered: answered.has(ordinal), second, closed });
}

function ledgerOf(ctx: PassContext, { job: name }: IntentState): Promise<Ledger | null> {
  const job = ctx.repository.jobs.find(({ job }) => job.name === name)?.job ?? null;
  return ctx.ledgers.of(name, job, ctx.journal.state);
}

function firstOf(state: JournalState, intent: IntentState): IntentState | undefined {
  return intent.secondOf === null ? intent : state.intents[intent.secondOf];
}

/**
 * True where an item of the job may be in two batches that are answered: where one batch is a second one, or where rows
 * were sent again while the results of their batch could not be read.
 */
export function mayShareItems(state: JournalState, { job }: IntentState): boolean {
  return Object.values(state.intents).some(
    (each) => each.job === job && (each.secondOf !== null || wasUnreadable(each)),
  );
}

function wasUnreadable({ settled, collections }: IntentState): boolean {
  const { unreadable = 0, lost = 0 } = settled?.summary.counts ?? {};
  return unreadable + lost > 0 || collections.length > 1;
}
