import { type Instant, type IntentId, later } from '../../ids.ts';
import { type BatchState, type BatchView, isTerminal } from '../../journal/batch.ts';
import type { IntentState } from '../../journal/state.ts';
import type { Provider } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { byPayer, payerOf } from '../payer.ts';

/** From so many batches on a page of the list is cheaper than a look at each. */
const FROM_BATCHES = 5;
/** A list may lag: it goes back a little further than the oldest batch. */
const SLACK_MS = 60_000;

/**
 * What the provider's list says of batches that still run: one call for a hundred of them. One that the list shows as
 * ended, or does not show, is not in the answer: it is looked at by itself, since a list may lag or leave things out.
 */
export async function survey(
  ctx: PassContext,
  due: readonly IntentState[],
): Promise<ReadonlyMap<IntentId, BatchView>> {
  const seen = new Map<IntentId, BatchView>();
  if (due.length < FROM_BATCHES) return seen;
  for (const [provider, intents] of await byPayer(due, (intent) => payerOf(ctx, intent))) {
    if (intents.length < FROM_BATCHES || ctx.stopping()) continue;
    for (const { intent, view } of await running(provider, intents)) seen.set(intent, view);
  }
  return seen;
}

async function running(provider: Provider, intents: readonly IntentState[]) {
  const oldest = intents.map(({ batch, at }) => batch?.createdAt ?? at).sort()[0] as Instant;
  // As many pages as looks: with more the list would be the dearer way.
  const listed = await provider.find(
    intents.map(({ intent }) => intent),
    later(oldest, -SLACK_MS),
    intents.length,
  );
  if (listed.kind === 'failed') return [];
  const { found, untagged } = listed.value;
  const byId = new Map([...found, ...untagged].map((view) => [view.id, view]));
  return intents.flatMap(({ intent, batch }) => {
    const view = batch === null ? undefined : byId.get(batch.id);
    return view === undefined || isTerminal(view.state) || view.state === 'unknown' ? [] : [{ intent, view }];
  });
}

/** How far a batch that runs has come. `unknown` is nowhere: a word that nobody knows is judged by nothing. */
const COURSE: readonly BatchState[] = [
  'created',
  'validating',
  'submitted',
  'running',
  'finalizing',
  'cancelling',
];

/**
 * Pure: what a list says, or, where that is older than what is known already, what is known. A list that lags would
 * otherwise move a batch back and forth for as long as it runs.
 */
export function withoutLag(known: BatchView | null, listed: BatchView): BatchView {
  if (known === null || !isBehind(known, listed)) return listed;
  return { ...known, serverNow: listed.serverNow };
}

function isBehind(known: BatchView, listed: BatchView): boolean {
  const [before, now] = [COURSE.indexOf(known.state), COURSE.indexOf(listed.state)];
  if (before < 0 || now < 0 || before !== now) return now < before;
  return doneIn(listed) < doneIn(known);
}

function doneIn({ progress }: BatchView): number {
  return progress === null ? 0 : progress.done + progress.failed;
}
