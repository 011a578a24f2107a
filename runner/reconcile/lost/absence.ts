import { epochMs, type Instant, later } from '../../ids.ts';
import type { JournalEvent } from '../../journal/events.ts';
import type { IntentState } from '../../journal/state.ts';
import type { Pacing } from '../../plan/snapshot.ts';
import type { Profile } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';

/** Complete listings without the batch that prove it absent, if they span `pacing.absenceMs`. */
export const LISTINGS = 3;

/** After this no create can still be on its way, and every list shows what it made. */
export function horizon(intent: IntentState, profile: Profile): Instant {
  return later(intent.notAfter, profile.createTimeoutMs + profile.listGraceMs);
}

/** Rows that were asked at once are judged by the clock of another machine than the one that asks them. */
const ASK_GRACE_MS = 15 * 60_000;

/** From then on rows that were asked at once, and have no receipt, count as lost. */
export function lostAskFrom({ notAfter }: IntentState): Instant {
  return later(notAfter, ASK_GRACE_MS);
}

export interface Look {
  /** By the provider's clock. */
  readonly now: Instant;
  /** How far the provider's clock is ahead of ours; an intent's times are ours. */
  readonly skewMs: number;
}

/**
 * From when on a listing without the batch proves something. Where only results tell whose a batch is, everything that
 * was made must have ended first.
 */
export function provableFrom(intent: IntentState, profile: Profile): Instant {
  const from = horizon(intent, profile);
  return profile.foundBy === 'tag' ? from : later(from, profile.windowMs);
}

/** By the provider's clock where it told the time. */
export function lookAt(ctx: Pick<PassContext, 'now'>, serverNow: Instant | null): Look {
  if (serverNow === null) return { now: ctx.now(), skewMs: 0 };
  return { now: serverNow, skewMs: epochMs(serverNow) - epochMs(ctx.now()) };
}

export function searched({ intent, job }: IntentState, serverAt: Instant): JournalEvent {
  return { type: 'seconds.searched', intent, job, serverAt };
}

/** Pure: what one more complete listing without the batch adds to the proof. */
export function absence(intent: IntentState, look: Look, profile: Profile, pacing: Pacing): JournalEvent[] {
  if (look.now < later(provableFrom(intent, profile), look.skewMs)) return [];
  const { searches } = intent;
  const inputGone = intent.inputGone || intent.fileId === null;
  const last = searches.at(-1);
  if (last !== undefined && epochMs(look.now) - epochMs(last) < pacing.absenceMs / (LISTINGS - 1)) return [];
  const listing: JournalEvent = {
    type: 'listing.searched',
    intent: intent.intent,
    job: intent.job,
    serverAt: look.now,
    counts: inputGone,
  };
  const first = searches[0];
  const isProved =
    inputGone &&
    first !== undefined &&
    searches.length + 1 >= LISTINGS &&
    epochMs(look.now) - epochMs(first) >= pacing.absenceMs;
  if (!isProved) return [listing];
  const proof = proofOf(intent, profile, first, look.now);
  return [listing, { type: 'submit.absent', intent: intent.intent, job: intent.job, proof }];
}

function proofOf({ searches, count }: IntentState, profile: Profile, first: Instant, last: Instant): string {
  const lists = `${searches.length + 1} complete listings from ${first} to ${last}`;
  return profile.foundBy === 'tag'
    ? `${lists} have no batch with its tag; its input file was deleted before`
    : `in ${lists} every batch of its time with ${count} requests is in the journal or holds results of others`;
}
