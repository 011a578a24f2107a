import { later } from '../../ids.ts';
import type { JournalEvent, SubmitIntent } from '../../journal/events.ts';
import type { RunState } from '../../journal/state.ts';
import type { CreateOrder, CreateResult, Provider } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { appendFacts } from '../facts.ts';

/** Uploading, announcing and creating take this long at most; later, the announced creates must not happen. */
const CARRY_OUT_MS = 600_000;

/** An intent, and where its lines are. */
export interface Announced {
  readonly intent: SubmitIntent;
  readonly input: CreateOrder['input'];
}

/** The time to carry out counts from the announcement, not from the first of many uploads. */
export async function announceAndCreate(
  ctx: PassContext,
  run: RunState,
  provider: Provider,
  announced: readonly Announced[],
): Promise<void> {
  const notAfter = later(ctx.now(), CARRY_OUT_MS);
  const dated = announced.map(({ intent, input }) => ({ intent: { ...intent, notAfter }, input }));
  await ctx.journal.append(dated.map(({ intent }) => intent));
  await createAll(ctx, run, provider, dated);
}

async function createAll(
  ctx: PassContext,
  run: RunState,
  provider: Provider,
  announced: readonly Announced[],
): Promise<void> {
  const receipts: JournalEvent[] = [];
  let turnedAway: string | null = null;
  try {
    for (const each of announced) {
      const reason = turnedAway ?? whyNotNow(ctx, each.intent);
      const news =
        reason === null ? await carryOut(ctx, run, provider, each) : [notCarriedOut(each.intent, reason)];
      receipts.push(...news);
      // A full queue or an empty account turns the next ones away too: asking again only makes it worse.
      if (news.some((event) => event.type === 'submit.refused'))
        turnedAway = 'the batch before it was refused';
    }
  } finally {
    // Also where a create threw: what the others answered is worth money.
    await appendFacts(ctx, receipts);
  }
}

function whyNotNow(ctx: PassContext, intent: SubmitIntent): string | null {
  if (ctx.stopping()) return 'a signal asked to stop';
  return ctx.now() >= intent.notAfter ? 'its time had passed' : null;
}

/** Only the process that announced an intent can carry it out, so its word that it did not is proof. */
function notCarriedOut(intent: SubmitIntent, reason: string): JournalEvent {
  const proof = `the process that announced it did not call the provider: ${reason}`;
  return { type: 'submit.absent', intent: intent.intent, job: intent.job, proof };
}

/** One create. An answer that leaves it open whether the batch exists gives no receipt: the intent stays ambiguous. */
async function carryOut(
  ctx: PassContext,
  run: RunState,
  provider: Provider,
  { intent, input }: Announced,
): Promise<JournalEvent[]> {
  const base = { intent: intent.intent, job: intent.job };
  const result = await provider.create({
    intent: intent.intent,
    fileId: intent.fileId,
    input,
    endpoint: run.spec.model.endpoint,
    model: run.spec.model.name,
    tags: tagsOf(ctx, intent),
  });
  say(ctx, intent, result);
  switch (result.kind) {
    case 'accepted':
      return [{ type: 'submit.accepted', ...base, batch: result.batch, how: 'answered' }];
    case 'refused':
      return [{ type: 'submit.refused', ...base, error: result.error }];
    case 'ambiguous':
      return [];
    default:
      return result satisfies never;
  }
}

/** For people who look at the provider's console; nothing of the data. */
function tagsOf(ctx: PassContext, intent: SubmitIntent): Record<string, string> {
  return {
    batchwright_job: intent.job,
    batchwright_run: String(intent.run),
    batchwright_commit: ctx.commit ?? 'none',
  };
}

function say(ctx: PassContext, intent: SubmitIntent, result: CreateResult): void {
  if (result.kind === 'accepted') {
    ctx.say({ level: 'info', job: intent.job, text: `sent ${intent.count} requests as ${result.batch.id}` });
  } else {
    const what = result.kind === 'refused' ? 'was refused' : 'may or may not have been taken';
    ctx.say({
      level: 'warning',
      job: intent.job,
      text: `a batch of ${intent.count} ${what}: ${result.error.message}`,
    });
  }
}
