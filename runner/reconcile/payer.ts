import { findingsInShort, StateConflict, UserError } from '../errors.ts';
import { runState } from '../journal/fold.ts';
import type { IntentState } from '../journal/state.ts';
import type { Provider } from '../provider/port.ts';
import type { PassContext } from './context.ts';

/**
 * The provider that holds an intent's batch, with credentials of the account that pays for it. Null where there are
 * none: the batch is then left alone and said so. Another account's key would see nothing there, and call it gone.
 */
export async function payerOf(ctx: PassContext, intent: IntentState): Promise<Provider | null> {
  const run = runState(ctx.journal.state, intent.job, intent.run);
  if (run === undefined) {
    throw new StateConflict(
      `The journal announces ${intent.intent} for run ${intent.run} of ${intent.job}, and knows no such run.`,
      'Nothing was sent. Please report it, with the journal folder: a batch that was paid for may belong to it.',
    );
  }
  const provider = await ctx.provider(run.spec.model.provider).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    return complain(ctx, intent, findingsInShort(error.findings));
  });
  if (provider === null || provider.account.id === intent.account) return provider;
  return complain(ctx, intent, `the credentials here are for ${provider.account.id}`);
}

/** The same for what can as well be left undone: nothing is said. */
export async function payerIfAny(ctx: PassContext, intent: IntentState): Promise<Provider | null> {
  const run = runState(ctx.journal.state, intent.job, intent.run);
  if (run === undefined) return null;
  const provider = await ctx.provider(run.spec.model.provider).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    return null;
  });
  return provider?.account.id === intent.account ? provider : null;
}

/** Intents by who holds their batches; those that nobody here can see are left out. */
export async function byPayer(
  intents: readonly IntentState[],
  payer: (intent: IntentState) => Promise<Provider | null>,
): Promise<Map<Provider, IntentState[]>> {
  const groups = new Map<Provider, IntentState[]>();
  for (const intent of intents) {
    const provider = await payer(intent);
    if (provider !== null) groups.set(provider, [...(groups.get(provider) ?? []), intent]);
  }
  return groups;
}

function complain(ctx: PassContext, intent: IntentState, why: string): null {
  const text = `batch ${intent.batch?.id ?? intent.intent} of account ${intent.account} is left alone: ${why}`;
  ctx.say({ level: 'error', job: intent.job, text });
  return null;
}
