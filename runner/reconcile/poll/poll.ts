import { epochMs, type Instant } from '../../ids.ts';
import type { BatchView } from '../../journal/batch.ts';
import type { BatchObserved, BatchUnseen } from '../../journal/events.ts';
import type { IntentState } from '../../journal/state.ts';
import type { PassContext } from '../context.ts';
import { appendFacts } from '../facts.ts';
import { payerOf } from '../payer.ts';
import { isLookOwed, type KnownLooks, type LastLooks, liveIntents, nextLook } from './looks.ts';
import { ownView } from './own-view.ts';
import { survey, withoutLag } from './survey.ts';

/**
 * Looks at every live batch that is due, whoever's run it belongs to. A failed look says nothing about the batch,
 * and neither does "not found": providers answer 404 for batches that run.
 */
export async function pollLive(ctx: PassContext, looks: KnownLooks): Promise<void> {
  const news: (BatchObserved | BatchUnseen)[] = [];
  const unseen: Unseen[] = [];
  const due = liveIntents(ctx.journal.state).filter((intent) => isDue(intent, looks, ctx));
  const listed = await survey(ctx, due);
  for (const intent of due) {
    if (ctx.stopping()) break;
    const { seen, failure } = await lookAt(ctx, intent, listed.get(intent.intent) ?? null, looks.alone);
    looks.last.set(intent.intent, ctx.now());
    if (failure !== null) unseen.push({ intent, why: failure.why });
    if (seen !== null) news.push(...observed(ctx, intent, seen));
    else if (failure?.kind === 'not_found' && isLongUnseen(intent, ctx.now()))
      news.push({ type: 'batch.unseen', intent: intent.intent, job: intent.job, why: failure.why });
  }
  sayUnseen(ctx, unseen);
  await appendFacts(ctx, news);
}

interface Sight {
  /** Null where nothing is known of it now. */
  readonly seen: BatchView | null;
  /** Why a look at it by itself told nothing. */
  readonly failure: NotSeen | null;
}

/** By itself where the list does not show it running, or has had the word for long enough. */
async function lookAt(
  ctx: PassContext,
  intent: IntentState,
  inList: BatchView | null,
  alone: LastLooks,
): Promise<Sight> {
  const listed = inList === null ? null : withoutLag(intent.batch, inList);
  if (listed !== null && !isLookOwed(intent, alone, ctx.now())) return { seen: listed, failure: null };
  const own = await look(ctx, intent);
  if (own === null) return { seen: listed, failure: null };
  // Then what the list says is the best that is known.
  if ('why' in own) return { seen: listed, failure: own };
  alone.set(intent.intent, ctx.now());
  return { seen: own, failure: null };
}

/** What a look has brought, where it is worth a line in the journal. */
function observed(ctx: PassContext, intent: IntentState, seen: BatchView): BatchObserved[] {
  const clockSkewMs = skewOf(seen, ctx.now());
  const isSkewed = (clockSkewMs === 0) !== (intent.clockSkewMs === 0);
  if (intent.unseenSince === null && !isSkewed && !isNews(intent.batch, seen)) return [];
  if (seen.state === 'unknown') sayUnknown(ctx, intent, seen);
  const skew = clockSkewMs === intent.clockSkewMs ? {} : { clockSkewMs };
  return [{ type: 'batch.observed', intent: intent.intent, job: intent.job, batch: seen, ...skew }];
}

function isDue(intent: IntentState, looks: KnownLooks, ctx: PassContext): boolean {
  const last = looks.last.get(intent.intent);
  return last === undefined || ctx.now() >= nextLook(ctx, intent, last);
}

/** Less is what networks, rounded headers and the rest of a list take. */
const HARMLESS_SKEW_MS = 60_000;

function skewOf({ serverNow }: BatchView, now: Instant): number {
  const skew = serverNow === null ? 0 : epochMs(serverNow) - epochMs(now);
  return Math.abs(skew) <= HARMLESS_SKEW_MS ? 0 : skew;
}

/** Right after its create a batch may well be answered with 404 (seen for ten seconds, and now and then in its first hour). */
const UNSEEN_GRACE_MS = 3_600_000;

/** Worth a line in the journal: once, and not while it may be too young. */
function isLongUnseen(intent: IntentState, now: Instant): boolean {
  return intent.unseenSince === null && epochMs(now) - epochMs(intent.at) > UNSEEN_GRACE_MS;
}

type NotSeen = { readonly kind: 'not_found' | 'failed'; readonly why: string };

/** The batch, or why it could not be seen; null where it is not for these credentials to see. */
async function look(ctx: PassContext, intent: IntentState): Promise<BatchView | NotSeen | null> {
  if (intent.batch === null) return null;
  const provider = await payerOf(ctx, intent);
  if (provider === null) return null;
  const answer = await provider.poll(intent.batch.id);
  if (answer.kind === 'ok')
    return ownView(intent, answer.value) ?? { kind: 'failed', why: 'the answer is about another batch' };
  return answer.kind === 'not_found'
    ? { kind: 'not_found', why: answer.message }
    : { kind: 'failed', why: answer.error.message };
}

interface Unseen {
  readonly intent: IntentState;
  readonly why: string;
}

/** A server in trouble hides a hundred batches for one reason: one line a job says so. */
function sayUnseen(ctx: PassContext, unseen: readonly Unseen[]): void {
  for (const group of Map.groupBy(unseen, ({ intent, why }) => `${intent.job} ${why}`).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const others = group.length === 1 ? '' : ` and ${group.length - 1} more`;
    const text = `batch ${first.intent.batch?.id}${others} could not be looked at (${first.why}); it may well be running`;
    ctx.say({ level: 'warning', job: first.intent.job, text });
  }
}

/** A provider has learnt a new word. It may mean an end: then nobody collects before somebody looks. */
function sayUnknown(ctx: PassContext, intent: IntentState, seen: BatchView): void {
  const text = `batch ${seen.id} is ${JSON.stringify(seen.providerState)}, a state that is not known here: it is taken for one that still runs`;
  ctx.say({ level: 'warning', job: intent.job, text });
}

function isNews(before: BatchView | null, now: BatchView): boolean {
  if (before === null) return true;
  return before.state !== now.state || before.providerState !== now.providerState || progressed(before, now);
}

/** Progress is kept in coarse steps: a line in the journal for each percent is enough for any report. */
function progressed(before: BatchView, now: BatchView): boolean {
  const share = (view: BatchView) =>
    view.progress === null || view.progress.total === 0
      ? 0
      : (view.progress.done + view.progress.failed) / view.progress.total;
  return share(now) - share(before) >= 0.25;
}
