import type { IntentState, JournalState } from '../../journal/state.ts';
import { answeredOrdinals, duplicateOrdinals } from '../../ledger/answered.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Classified } from '../../outcome/classify.ts';
import { besideOthers } from '../../outcome/second.ts';
import { isOpen } from '../../plan/spend.ts';
import type { PassContext } from '../context.ts';

/** How the lines of a batch are judged where another batch may have answered the same items. */
export type Beside = (ordinal: number, row: Classified) => Classified;

/** Null where no batch of the job is a second one: then each item has one open attempt at most. */
export async function besideRule(ctx: PassContext, intent: IntentState): Promise<Beside | null> {
  const { state } = ctx.journal;
  if (!hasSeconds(state, intent)) return null;
  const ledger = await ledgerOf(ctx, intent);
  const answered = ledger === null ? new Set<number>() : await answeredOrdinals(ledger.duck, intent);
  const first = firstOf(state, intent);
  return ruleWith(intent, answered, first === undefined || !isOpen(first));
}

/** The same for lines that are read again later: who was first is as it was when the batch was settled. */
export async function besideAsSettled(ctx: PassContext, intent: IntentState): Promise<Beside | null> {
  const { state } = ctx.journal;
  if (!hasSeconds(state, intent)) return null;
  const ledger = await ledgerOf(ctx, intent);
  const answered = ledger === null ? new Set<number>() : await duplicateOrdinals(ledger.duck, intent);
  const first = firstOf(state, intent);
  const before = (first?.settled?.seq ?? 0) < (intent.settled?.seq ?? 0);
  return ruleWith(intent, answered, first === undefined || (!isOpen(first) && before));
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

/** True where items of the job may have two open attempts. */
export function hasSeconds(state: JournalState, { job }: IntentState): boolean {
  return Object.values(state.intents).some((each) => each.job === job && each.secondOf !== null);
}
