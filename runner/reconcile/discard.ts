import type { RemoteDiscarded } from '../journal/events.ts';
import type { Discard } from '../plan/action.ts';
import { remoteFiles } from '../plan/apply.ts';
import type { PassContext } from './context.ts';
import { payerOf } from './payer.ts';

/** Deletes what the provider still holds of batches whose answers are applied: customer data should not lie about. */
export async function discardRemote(ctx: PassContext, actions: readonly Discard[]): Promise<void> {
  const done: RemoteDiscarded[] = [];
  for (const action of actions) {
    if (ctx.stopping()) break;
    const files = await discardFiles(ctx, action);
    if (files !== null)
      done.push({
        type: 'remote.discarded',
        intent: action.intent,
        job: action.job,
        files,
        inputOnly: action.inputOnly,
      });
  }
  if (done.length > 0) await ctx.journal.append(done);
}

/** How many were deleted; null where one could not be, and the next pass tries again. */
async function discardFiles(ctx: PassContext, action: Discard): Promise<number | null> {
  const intent = ctx.journal.state.intents[action.intent];
  const provider = intent === undefined ? null : await payerOf(ctx, intent);
  if (intent === undefined || provider === null) return null;
  const files = action.inputOnly ? [intent.fileId].filter((id) => id !== null) : remoteFiles(intent);
  for (const file of files) {
    const gone = await provider.discard(file);
    if (gone.kind === 'failed') {
      ctx.say({
        level: 'warning',
        job: action.job,
        text: `${file} could not be deleted at the provider: ${gone.error.message}`,
      });
      return null;
    }
  }
  return files.length;
}
