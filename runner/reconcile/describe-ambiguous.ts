import { type Instant, later } from '../ids.ts';
import type { IntentState } from '../journal/state.ts';
import type { Pacing } from '../plan/snapshot.ts';
import type { Profile } from '../provider/port.ts';
import type { Wait } from '../report/report.ts';
import { horizon, LISTINGS } from './adopt.ts';

/** Pure: an intent of which nobody knows whether its batch exists: since when, what will settle it, and what a person can do. */
export function ambiguousWait(intent: IntentState, profile: Profile, pacing: Pacing): Wait {
  return {
    what: `shard ${intent.shard}, ${intent.count} rows: its create was not answered`,
    waitsFor: `${profile.title}'s list of batches: one with the tag ${intent.intent}, or ${LISTINGS} complete lists without it (sent ${minute(intent.at)})`,
    until: earliest(intent, profile, pacing),
    command: giveUp(intent, intent.intent),
  };
}

/** When its absence can be proved at the earliest; that it exists may show at any time. */
function earliest(intent: IntentState, profile: Profile, pacing: Pacing): Instant {
  return later(intent.searches[0] ?? horizon(intent, profile), pacing.absenceMs);
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
