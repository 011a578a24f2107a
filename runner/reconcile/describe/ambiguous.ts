import { type Instant, later } from '../../ids.ts';
import type { Candidate } from '../../journal/events.ts';
import type { IntentState } from '../../journal/state.ts';
import type { Pacing } from '../../plan/snapshot.ts';
import type { Profile } from '../../provider/port.ts';
import type { Wait } from '../../report/report.ts';
import { LISTINGS, lostAskFrom, provableFrom } from '../lost/absence.ts';
import { readableBy, undecided } from '../lost/candidates.ts';

/** Pure: an intent of which nobody knows whether its batch exists: since when, what will settle it, and what a person can do. */
export function ambiguousWait(intent: IntentState, profile: Profile, pacing: Pacing): Wait {
  if (intent.via === 'live') return askedWait(intent);
  const proof = profile.foundBy === 'tag' ? byTag(intent, profile, pacing) : byIds(intent, profile, pacing);
  const what = `shard ${intent.shard}, ${intent.count} rows: its create of ${minute(intent.at)} was not answered`;
  return { what, ...proof, command: giveUp(intent, intent.intent) };
}

/** No list will ever show them. */
function askedWait(intent: IntentState): Wait {
  return {
    what: `shard ${intent.shard}, ${intent.count} rows: asked at once at ${minute(intent.at)}, and nothing is known of the answers`,
    waitsFor: 'the end of the time in which they could come; then the rows count as missing',
    until: lostAskFrom(intent),
    command: giveUp(intent, intent.intent),
  };
}

type Proof = Pick<Wait, 'waitsFor' | 'until'>;

function byTag(intent: IntentState, profile: Profile, pacing: Pacing): Proof {
  return {
    waitsFor: `a batch with the tag ${intent.intent} in ${profile.title}'s list, or ${LISTINGS} complete lists without it`,
    until: absentAt(intent, profile, pacing),
  };
}

/** When its absence can be proved at the earliest; that it exists may show at any time. */
function absentAt(intent: IntentState, profile: Profile, pacing: Pacing): Instant {
  return later(intent.searches[0] ?? provableFrom(intent, profile), pacing.absenceMs);
}

function byIds(intent: IntentState, profile: Profile, pacing: Pacing): Proof {
  const left = undecided(intent.candidates?.batches ?? []);
  const gone = unreadableOnes(intent);
  if (gone.length > 0) return { waitsFor: unreadable(gone), until: null };
  const until = readableBy(left, profile);
  if (until === null)
    return { waitsFor: nothingThere(intent, profile), until: absentAt(intent, profile, pacing) };
  return { waitsFor: `${mayBe(intent, left)}: the ids in its results will tell`, until };
}

/** Pure: batches that may be the intent's and that nobody can ask any more. */
export function unreadableOnes({ candidates }: IntentState): Candidate[] {
  return (candidates?.batches ?? []).filter(({ ids }) => ids === 'unreadable');
}

function nothingThere({ count }: IntentState, { title }: Profile): string {
  return `the end of ${title}'s window and ${LISTINGS} complete lists: batches bear no tag there, and none of that time has ${count} requests so far`;
}

function mayBe({ count, candidates }: IntentState, left: readonly Candidate[]): string {
  const presumed = left.find(({ id }) => id === candidates?.presumed);
  if (presumed !== undefined) return `batch ${presumed.id} (${presumed.state}), which is presumed to be it`;
  return `one of ${left.length} batches of that time with ${count} requests, ${named(left)}`;
}

function unreadable(gone: readonly Candidate[]): string {
  return `a person to say whether ${named(gone)} is it: its results cannot be read any more`;
}

/** Ids take a third of a line each. */
const SHOWN = 2;

function named(batches: readonly Candidate[]): string {
  const ids = batches.slice(0, SHOWN).map(({ id }) => id);
  return batches.length > SHOWN ? `${ids.join(', ')} …` : ids.join(' or ');
}

/** Pure: a batch that the provider does not show any more. It stays in flight until a person gives it up. */
export function unseenWait(intent: IntentState): Wait {
  const id = intent.batch?.id ?? intent.intent;
  return {
    what: `shard ${intent.shard}, batch ${id}, ${intent.count} rows`,
    waitsFor: `the provider to show it again: it has said "not found" since ${minute(intent.unseenSince ?? intent.at)}; it may well be running`,
    until: null,
    command: giveUp(intent, id),
  };
}

function giveUp({ job }: IntentState, id: string): string {
  return `batchwright cancel ${job} --lost ${id}`;
}

/** `2026-11-30 09:05`, UTC. */
function minute(at: Instant): string {
  return at.slice(0, 16).replace('T', ' ');
}
