import { type Instant, later } from '../../ids.ts';
import type { BatchView } from '../../journal/batch.ts';
import type { JournalEvent, SubmitAccepted } from '../../journal/events.ts';
import type { IntentState } from '../../journal/state.ts';
import type { FindResult, Provider } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { byPayer, payerIfAny, payerOf } from '../payer.ts';
import { lostAsks } from '../submit/live.ts';
import { absence, type Look, lookAt, searched } from './absence.ts';
import { judgeByIds } from './by-ids.ts';
import { findLeftOut } from './left-out.ts';
import { isRecent, isSearchDue, secondsAmong } from './seconds.ts';

/** The walk through the list goes back this much further than our clock says: ours may be hours ahead. */
const CLOCK_SLACK_MS = 86_400_000;

/**
 * Intents without a receipt: the process died, or the answer was lost. The provider's list settles it: a batch with
 * our tag is ours; its absence counts only after the time at which no create can still be on its way. The same list
 * shows batches that an intent has beside the one that we know.
 */
export async function resolveAmbiguous(ctx: PassContext): Promise<void> {
  const gone = lostAsks(Object.values(ctx.journal.state.intents), ctx.now());
  if (gone.length > 0) await ctx.journal.append(gone);
  const batches = Object.values(ctx.journal.state.intents).filter(({ via }) => via !== 'live');
  const wanted = batches.filter(
    (intent) =>
      (intent.phase === 'intent' && intent.lost === null) ||
      hasUnread(intent) ||
      isSearchDue(intent, ctx.now()),
  );
  for (const [provider, intents] of await byPayer(wanted, (intent) =>
    intent.phase === 'intent' ? payerOf(ctx, intent) : payerIfAny(ctx, intent),
  )) {
    if (ctx.stopping()) return;
    await search(ctx, provider, intents);
  }
}

/** Batches that may be its second ones: their results are not there yet. */
function hasUnread({ phase, candidates }: IntentState): boolean {
  return phase !== 'intent' && candidates !== null && candidates.batches.some(({ ids }) => ids === 'unread');
}

/** Lists first and adopts what is there; only of what is not there is the input file deleted. */
async function search(ctx: PassContext, provider: Provider, wanted: readonly IntentState[]): Promise<void> {
  const ours = [...wanted, ...othersOf(ctx, provider, wanted)];
  const oldest = wanted.map((intent) => intent.at).sort()[0] as Instant;
  const since = later(oldest, -CLOCK_SLACK_MS);
  const listed = await provider.find(
    ours.map((intent) => intent.intent),
    since,
  );
  if (listed.kind === 'failed') {
    const text = `the list of batches could not be read (${listed.error.message})`;
    return ctx.say({ level: 'warning', job: null, text });
  }
  const judge = provider.profile.foundBy === 'tag' ? judgeByTag : judgeByIds;
  const shown = withoutBlindness(ctx, provider, ours, { listed: listed.value, since });
  const events = await judge(ctx, provider, { wanted, ours, listed: shown });
  saySeconds(ctx, events);
  if (events.length > 0) await ctx.journal.append(events);
}

/** A list that leaves out what runs shows what it shows, and proves nothing by what it does not. */
function withoutBlindness(
  ctx: PassContext,
  { account, profile }: Provider,
  ours: readonly IntentState[],
  { listed, since }: { readonly listed: FindResult; readonly since: Instant },
): FindResult {
  const { now } = lookAt(ctx, listed.serverNow);
  const leftOut = findLeftOut(ours, { listed, since, shownUntil: later(now, -profile.listGraceMs) });
  if (leftOut.length === 0 || !listed.complete) return listed;
  const text = `the list of batches of ${account.id} leaves out ${leftOut.length} that run: it is not taken as proof that another batch is not there`;
  ctx.say({ level: 'warning', job: null, text });
  return { ...listed, complete: false };
}

interface Judging {
  readonly wanted: readonly IntentState[];
  readonly ours: readonly IntentState[];
  readonly listed: FindResult;
}

async function judgeByTag(ctx: PassContext, provider: Provider, judging: Judging): Promise<JournalEvent[]> {
  const { wanted, ours, listed } = judging;
  const { found, complete } = listed;
  const look = lookAt(ctx, listed.serverNow);
  const adopted = adoptions(found, wanted);
  const events: JournalEvent[] = [...adopted];
  const taken = new Set(adopted.map(({ batch }) => batch.id));
  const others = found.filter(({ id }) => !taken.has(id));
  events.push(...secondsAmong(others, ours, ctx.journal.state));
  for (const intent of complete ? wanted : []) {
    if (intent.phase !== 'intent') events.push(searched(intent, look.now));
    else if (!adopted.some((event) => event.intent === intent.intent))
      events.push(...(await notListed(ctx, provider, intent, look)));
  }
  return events;
}

/** What the same listing may show for nothing. */
function othersOf(ctx: PassContext, { account }: Provider, wanted: readonly IntentState[]): IntentState[] {
  return Object.values(ctx.journal.state.intents).filter(
    (intent) =>
      intent.account === account.id &&
      intent.secondOf === null &&
      isRecent(intent, ctx.now()) &&
      !wanted.includes(intent),
  );
}

/** Of two that carry one tag the older is taken for the one that was announced. */
function adoptions(found: readonly BatchView[], wanted: readonly IntentState[]): SubmitAccepted[] {
  const oldestFirst = found.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  return wanted
    .filter((intent) => intent.phase === 'intent')
    .flatMap((intent): SubmitAccepted[] => {
      const batch = oldestFirst.find((each) => each.intent === intent.intent);
      if (batch === undefined) return [];
      return [{ type: 'submit.accepted', intent: intent.intent, job: intent.job, batch, how: 'adopted' }];
    });
}

function saySeconds(ctx: PassContext, events: readonly JournalEvent[]): void {
  for (const event of events) {
    if (event.type !== 'second.found') continue;
    const first = ctx.journal.state.intents[event.secondOf];
    const text = `batch ${event.batch.id} holds the requests of shard ${first?.shard} too, and nobody announced it: it is collected like any other, the first answer to a row counts`;
    ctx.say({ level: 'warning', job: event.job, text });
  }
}

async function notListed(
  ctx: PassContext,
  provider: Provider,
  intent: IntentState,
  look: Look,
): Promise<JournalEvent[]> {
  const events = absence(intent, look, provider.profile, ctx.pacing);
  return events.length === 0 || intent.inputGone || (await deleteInput(ctx, provider, intent)) ? events : [];
}

/** Before the listings that count: a create that arrives late then fails, unpaid. */
async function deleteInput(ctx: PassContext, provider: Provider, intent: IntentState): Promise<boolean> {
  if (intent.fileId === null) return true;
  const deleted = await provider.discard(intent.fileId);
  if (deleted.kind === 'failed') sayUndeleted(ctx, intent, deleted.error.message);
  return deleted.kind === 'ok';
}

function sayUndeleted(ctx: PassContext, intent: IntentState, why: string): void {
  const text = `the input file of shard ${intent.shard} could not be deleted (${why}): a late create might still find it, so its rows go on waiting`;
  ctx.say({ level: 'warning', job: intent.job, text });
}
