import { later, secondIntentId } from '../../ids.ts';
import { type BatchView, isTerminal } from '../../journal/batch.ts';
import type { Candidate, JournalEvent } from '../../journal/events.ts';
import { runState } from '../../journal/fold.ts';
import type { IntentState } from '../../journal/state.ts';
import type { FindResult, Provider } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { absence, horizon, type Look, lookAt, searched } from './absence.ts';
import { candidateOf, candidatesFor, presumedAmong, undecided, vanished } from './candidates.ts';
import { type Owner, ownerOf } from './read-ids.ts';

interface Judging {
  readonly wanted: readonly IntentState[];
  readonly listed: FindResult;
}

/**
 * What a listing tells where a batch bears no tag. Candidates are all batches of an intent's time with its number of
 * requests. A sole one is presumed to be it; nothing is cancelled, deleted or sent on that word. When a candidate's
 * results are there, the ids in them decide.
 */
export async function judgeByIds(
  ctx: PassContext,
  provider: Provider,
  { wanted, listed }: Judging,
): Promise<JournalEvent[]> {
  const look = lookAt(ctx, listed.serverNow);
  const due = wanted.filter(
    (intent) => intent.phase !== 'intent' || look.now >= horizon(intent, provider.profile),
  );
  const looks = due.map((intent) => ({
    intent,
    batches: candidatesFor(intent, listed.untagged, look, provider.profile, ctx.journal.state),
  }));
  const owners = await readOwners(ctx, provider, looks);
  const events = ownEvents(owners);
  const told = looks.map(({ intent, batches }) => ({
    intent,
    candidates: [...remembered(ctx, intent, batches, owners), ...vanished(intent, listed, ctx.journal.state)],
  }));
  for (const { intent, candidates } of told) {
    if (events.some((event) => event.type === 'submit.accepted' && event.intent === intent.intent)) continue;
    const others = told
      .filter((each) => each.intent !== intent)
      .flatMap((each) => undecided(each.candidates));
    const presumed = intent.phase === 'intent' && listed.complete ? presumedAmong(candidates, others) : null;
    events.push(...pictureOf(intent, candidates, presumed));
    if (listed.complete) events.push(...nothingLeft(ctx, provider, intent, candidates, look));
  }
  sayPresumed(ctx, events);
  return events;
}

interface Looked {
  readonly intent: IntentState;
  readonly batches: readonly BatchView[];
}

/** Each batch that has ended is read once, however many intents it may belong to. */
async function readOwners(
  ctx: PassContext,
  provider: Provider,
  looks: readonly Looked[],
): Promise<ReadonlyMap<string, { readonly batch: BatchView; readonly owner: Owner }>> {
  const owners = new Map<string, { readonly batch: BatchView; readonly owner: Owner }>();
  for (const { intent, batches } of looks) {
    const endpoint = runState(ctx.journal.state, intent.job, intent.run)?.spec.model.endpoint;
    for (const batch of batches) {
      if (ctx.stopping()) return owners;
      if (endpoint === undefined || owners.has(batch.id) || !isToRead(intent, batch)) continue;
      owners.set(batch.id, { batch, owner: await ownerOf(ctx, provider, batch, endpoint) });
    }
  }
  return owners;
}

function isToRead(intent: IntentState, batch: BatchView): boolean {
  const known = intent.candidates?.batches.find(({ id }) => id === batch.id);
  return isTerminal(batch.state) && known?.ids !== 'foreign';
}

/**
 * Proved ours: the oldest is what an intent without a receipt has waited for, be it too young to be judged otherwise;
 * every other one is a second batch.
 */
function ownEvents(
  owners: ReadonlyMap<string, { readonly batch: BatchView; readonly owner: Owner }>,
): JournalEvent[] {
  const adopted = new Set<string>();
  return [...owners.values()]
    .toSorted((a, b) => (a.batch.createdAt < b.batch.createdAt ? -1 : 1))
    .flatMap(({ batch, owner }): JournalEvent[] => {
      if (owner.kind !== 'ours') return [];
      const { intent, job, phase } = owner.intent;
      if (phase === 'intent' && !adopted.has(intent)) {
        adopted.add(intent);
        return [{ type: 'submit.accepted', intent, job, batch, how: 'adopted' }];
      }
      return [{ type: 'second.found', intent: secondIntentId(batch.id), secondOf: intent, job, batch }];
    });
}

/** Those that proved ours are no candidates any more; what could not be read now stays as it was. */
function remembered(
  ctx: PassContext,
  intent: IntentState,
  batches: readonly BatchView[],
  owners: ReadonlyMap<string, { readonly owner: Owner }>,
): Candidate[] {
  return batches.flatMap((batch) => {
    const owner = owners.get(batch.id)?.owner.kind;
    const known = intent.candidates?.batches.find(({ id }) => id === batch.id);
    const before = known?.ids ?? 'unread';
    if (owner === 'ours') return [];
    if (owner === 'foreign') return [foreignCandidate(ctx, batch, known)];
    if (owner === 'unreadable') return [candidateOf(batch, owner)];
    // One that a list had left out, and that runs after all, can be read yet.
    const isToCome = owner === 'later' || (before === 'unreadable' && !isTerminal(batch.state));
    return [candidateOf(batch, isToCome ? 'unread' : before)];
  });
}

/** A gateway may rename ids for a while: what would be paid for twice is another's only if it is that an hour later too. */
function foreignCandidate(ctx: PassContext, batch: BatchView, known: Candidate | undefined): Candidate {
  const since = known?.foreignSince ?? ctx.now();
  const isBelieved = ctx.now() >= later(since, HOUR_IN_QUARTERS * ctx.pacing.missingMs);
  return isBelieved
    ? candidateOf(batch, 'foreign')
    : { ...candidateOf(batch, 'unread'), foreignSince: since };
}

const HOUR_IN_QUARTERS = 4;

function pictureOf(
  intent: IntentState,
  batches: readonly Candidate[],
  presumed: string | null,
): JournalEvent[] {
  const before = intent.candidates ?? { batches: [], presumed: null };
  const isSame = JSON.stringify([before.batches, before.presumed]) === JSON.stringify([batches, presumed]);
  if (isSame) return [];
  return [{ type: 'candidates.seen', intent: intent.intent, job: intent.job, batches, presumed }];
}

/** No batch is left that may be its own: its absence is proved step by step, or its seconds are searched for. */
function nothingLeft(
  ctx: PassContext,
  { profile }: Provider,
  intent: IntentState,
  candidates: readonly Candidate[],
  look: Look,
): JournalEvent[] {
  const left = undecided(candidates);
  if (intent.phase === 'intent') return left.length > 0 ? [] : absence(intent, look, profile, ctx.pacing);
  return left.some(({ ids }) => ids === 'unread') ? [] : [searched(intent, look.now)];
}

function sayPresumed(ctx: PassContext, events: readonly JournalEvent[]): void {
  for (const event of events) {
    if (event.type !== 'candidates.seen' || event.presumed === null) continue;
    const shard = ctx.journal.state.intents[event.intent]?.shard;
    const text = `batch ${event.presumed} is presumed to be shard ${shard}, whose create was not answered: its results will tell, and until then nothing is done to it`;
    ctx.say({ level: 'info', job: event.job, text });
  }
}
