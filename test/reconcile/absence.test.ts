import { expect, it } from 'vitest';
import { type Instant, later } from '../../runner/ids.ts';
import type { IntentState } from '../../runner/journal/state.ts';
import { PATIENT } from '../../runner/plan/snapshot.ts';
import { absence, horizon } from '../../runner/reconcile/lost/absence.ts';
import { PROFILES } from '../../runner/spec/profiles.ts';
import { frozen, generation, intent, intentId, stateOf } from '../support/journal.ts';

const PROFILE = PROFILES.openai;
const announced = stateOf([generation(), frozen(), intent(1)]).intents[intentId(1)] as IntentState;
const past = horizon(announced, PROFILE);
const gone = (searches: readonly Instant[]): IntentState => ({ ...announced, inputGone: true, searches });
const minutes = (count: number) => later(past, count * 60_000);
const kinds = (of: IntentState, now: Instant, skewMs = 0) =>
  absence(of, { now, skewMs }, PROFILE, PATIENT).map((event) => event.type);

it('says nothing while a create may still be on its way', () => {
  expect(kinds(announced, later(past, -1))).toEqual([]);
});

it('counts no look at which the input file was still there', () => {
  expect(absence(announced, { now: past, skewMs: 0 }, PROFILE, PATIENT)).toMatchObject([
    { type: 'listing.searched', counts: false },
  ]);
});

it('needs three looks over a quarter of an hour, apart from each other', () => {
  expect(kinds(gone([]), past)).toEqual(['listing.searched']);
  expect(kinds(gone([past]), minutes(1))).toEqual([]);
  expect(kinds(gone([past]), minutes(8))).toEqual(['listing.searched']);
  expect(kinds(gone([past, minutes(8)]), minutes(14))).toEqual([]);
  expect(kinds(gone([past, minutes(8)]), minutes(16))).toEqual(['listing.searched', 'submit.absent']);
});

it("compares the provider's clock with itself: ours may be an hour behind", () => {
  const hour = 3_600_000;
  // Our times, on which the intent's own deadline is written, lie an hour before the provider's.
  expect(kinds(announced, later(past, hour - 1), hour)).toEqual([]);
  const server = (count: number) => later(minutes(count), hour);
  expect(kinds(gone([server(0)]), server(0.05), hour)).toEqual([]);
  expect(kinds(gone([server(0), server(8)]), server(16), hour)).toEqual([
    'listing.searched',
    'submit.absent',
  ]);
});
