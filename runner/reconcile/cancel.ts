import type { JournalEvent } from '../journal/events.ts';
import type { IntentState } from '../journal/state.ts';
import type { Cancel } from '../plan/action.ts';
import type { PassContext } from './context.ts';
import { payerOf } from './payer.ts';
import { ownView } from './poll/own-view.ts';

/**
 * Asks the provider to end batches: first the journal, so that the items' fate is clear whoever collects them, then
 * the call. Only batches whose receipt or tag proves them ours are in the journal at all.
 */
export async function cancelBatches(ctx: PassContext, actions: readonly Cancel[]): Promise<void> {
  const fresh = actions.filter((action) => ctx.journal.state.intents[action.intent]?.cancel === null);
  const asked = fresh.map(
    (action): JournalEvent => ({
      type: 'cancel.asked',
      intent: action.intent,
      job: action.job,
      why: action.why,
    }),
  );
  if (asked.length > 0) await ctx.journal.append(asked);
  const seen: JournalEvent[] = [];
  for (const action of actions) {
    const intent = ctx.journal.state.intents[action.intent];
    if (intent !== undefined && !ctx.stopping()) seen.push(...(await cancelOne(ctx, intent)));
  }
  if (seen.length > 0) await ctx.journal.append(seen);
}

async function cancelOne(ctx: PassContext, intent: IntentState): Promise<JournalEvent[]> {
  const provider = await payerOf(ctx, intent);
  if (intent.batch === null || provider === null) return [];
  const answer = await provider.cancel(intent.batch.id);
  if (answer.kind === 'failed') {
    const text = `batch ${intent.batch.id} could not be cancelled (${answer.error.message}); it is asked again in the next pass`;
    ctx.say({ level: 'warning', job: intent.job, text });
    return [];
  }
  ctx.say({
    level: 'info',
    job: intent.job,
    text: `batch ${intent.batch.id} was asked to end (${intent.cancel?.why}); what it has done is kept`,
  });
  // What is told of another batch says nothing of this one, which is polled anyway.
  const batch = ownView(intent, answer.value);
  return batch === null ? [] : [{ type: 'batch.observed', intent: intent.intent, job: intent.job, batch }];
}
