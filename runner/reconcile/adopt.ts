import { epochMs, type Instant, type IntentId, instantOf, later } from '../ids.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { IntentState } from '../journal/state.ts';
import type { Pacing } from '../plan/snapshot.ts';
import type { Profile, Provider } from '../provider/port.ts';
import type { PassContext } from './context.ts';
import { payerOf } from './payer.ts';

/** Batches may carry a clock somewhat before ours: the walk through the list goes back this much further. */
const CLOCK_SLACK_MS = 300_000;
/** Complete listings without the batch that prove it absent, if they span `pacing.absenceMs`. */
const LISTINGS = 3;

/**
 * Intents without a receipt: the process died, or the answer was lost. The provider's list settles it: a batch with
 * our tag is ours; its absence counts only after the time at which no create can still be on its way.
 */
export async function resolveAmbiguous(ctx: PassContext): Promise<void> {
  const open = Object.values(ctx.journal.state.intents).filter((intent) => intent.phase === 'intent');
  for (const [provider, intents] of await byPayer(ctx, open)) {
    if (ctx.stopping()) return;
    await search(ctx, provider, intents);
  }
}

async function byPayer(
  ctx: PassContext,
  intents: readonly IntentState[],
): Promise<Map<Provider, IntentState[]>> {
  const groups = new Map<Provider, IntentState[]>();
  for (const intent of intents) {
    const provider = await payerOf(ctx, intent);
    if (provider !== null) groups.set(provider, [...(groups.get(provider) ?? []), intent]);
  }
  return groups;
}

async function search(ctx: PassContext, provider: Provider, ours: readonly IntentState[]): Promise<void> {
  const unstartable = await deleteInputsPastTheirTime(ctx, provider, ours);
  const oldest = ours.map((intent) => intent.at).sort()[0] as Instant;
  const listed = await provider.find(
    ours.map((intent) => intent.intent),
    later(oldest, -CLOCK_SLACK_MS),
  );
  if (listed.kind === 'failed') {
    ctx.say({
      level: 'warning',
      job: null,
      text: `the list of batches could not be read (${listed.error.message})`,
    });
    return;
  }
  const now = listed.value.serverNow ?? ctx.now();
  const events = ours.flatMap((intent): JournalEvent[] => {
    const batch = listed.value.found.find((each) => each.intent === intent.intent);
    if (batch !== undefined)
      return [{ type: 'submit.accepted', intent: intent.intent, job: intent.job, batch, how: 'adopted' }];
    const counts = listed.value.complete && unstartable.has(intent.intent);
    return counts ? absence(intent, now, provider.profile, ctx.pacing) : [];
  });
  if (events.length > 0) await ctx.journal.append(events);
}

/** After this no create can still be on its way, and every list shows what it made. */
export function horizon(intent: IntentState, profile: Profile): Instant {
  return later(intent.notAfter, profile.createTimeoutMs + profile.listGraceMs);
}

/** Pure: what one more complete listing without the batch adds to the proof. */
export function absence(intent: IntentState, now: Instant, profile: Profile, pacing: Pacing): JournalEvent[] {
  if (now < horizon(intent, profile)) return [];
  const counted = intent.searches.filter((at) => at >= horizon(intent, profile));
  const last = counted.at(-1);
  const apart = pacing.absenceMs / (LISTINGS - 1);
  if (last !== undefined && epochMs(now) - epochMs(last) < apart) return [];
  const searched: JournalEvent = { type: 'listing.searched', intent: intent.intent, job: intent.job };
  const first = counted[0];
  const proved =
    first !== undefined &&
    counted.length + 1 >= LISTINGS &&
    epochMs(now) - epochMs(first) >= pacing.absenceMs;
  if (!proved) return [searched];
  const proof = `${counted.length + 1} complete listings from ${first} to ${instantOf(epochMs(now))} have no batch with its tag; its input file was deleted before`;
  return [searched, { type: 'submit.absent', intent: intent.intent, job: intent.job, proof }];
}

/**
 * Deleted before the listings that count: a create that arrives late then fails, unpaid.
 * @returns the intents whose input file is gone for certain
 */
async function deleteInputsPastTheirTime(
  ctx: PassContext,
  provider: Provider,
  intents: readonly IntentState[],
): Promise<ReadonlySet<IntentId>> {
  const gone = new Set<IntentId>();
  for (const intent of intents.filter((each) => ctx.now() >= horizon(each, provider.profile))) {
    const deleted = await provider.discard(intent.fileId);
    if (deleted.kind === 'ok') gone.add(intent.intent);
    else sayUndeleted(ctx, intent, deleted.error.message);
  }
  return gone;
}

function sayUndeleted(ctx: PassContext, intent: IntentState, why: string): void {
  const text = `the input file of shard ${intent.shard} could not be deleted (${why}): a late create might still find it, so its rows go on waiting`;
  ctx.say({ level: 'warning', job: intent.job, text });
}
