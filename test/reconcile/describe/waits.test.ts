import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../../runner/journal/events.ts';
import { PATIENT } from '../../../runner/plan/snapshot.ts';
import { waitsOf } from '../../../runner/reconcile/describe/waits.ts';
import { profileOf } from '../../../runner/spec/profiles.ts';
import { accepted, frozen, generation, intent, JOB, settled, stateOf } from '../../support/journal.ts';
import { inMinutes } from '../../support/plan.ts';

const UNREADABLE: readonly (readonly JournalEvent[])[] = [
  [generation(), frozen()],
  [intent(1)],
  [accepted(1, { state: 'completed', endedAt: inMinutes(1) })],
  [settled(1, { ok: 98, unreadable: 2 })],
];

const RETRIED: readonly (readonly JournalEvent[])[] = [
  [{ type: 'retry.asked', job: JOB.name, run: 1, classes: ['unreadable'], by: 'ann' }],
  [intent(2, { ordinals: [[0, 1]], count: 2 })],
  [accepted(2, { state: 'completed' })],
  [settled(2, { ok: 2 })],
];

function commands(...groups: readonly (readonly JournalEvent[])[]): (string | null)[] {
  const waits = waitsOf({
    state: stateOf(...groups),
    job: JOB,
    rests: [],
    pacing: PATIENT,
    now: inMinutes(100),
    profileOf: () => profileOf('openai', false),
  });
  return waits.map(({ command }) => command);
}

describe('a batch of which rows have no readable result', () => {
  it('names the command that pays for another try', () => {
    expect(commands(...UNREADABLE)).toEqual(['batchwright retry tickets --class unreadable']);
  });

  it('and none once that was paid for: it would find nothing to try', () => {
    expect(commands(...UNREADABLE, ...RETRIED)).toEqual([null]);
  });
});
