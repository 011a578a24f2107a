import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { currentRun } from '../../runner/journal/fold.ts';
import type { JournalState } from '../../runner/journal/state.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import { canaryVerdict } from '../../runner/plan/canary.ts';
import { accepted, frozen, generation, intent, intentId, JOB, settled, stateOf } from '../support/journal.ts';

const SPEC = { ...JOB, canary: { items: 10, minValid: 0.9, via: 'batch' as const } };
const RUN: readonly JournalEvent[] = [generation(), frozen({ spec: SPEC })];
const SENDABLE = 90;

type Counts = Readonly<Partial<Record<OutcomeClass, number>>>;

/** A journal in which these canaries were sent one after the other and came back so. */
function canaries(...back: readonly Counts[]): JournalState {
  return stateOf(RUN, ...back.flatMap((counts, at) => lived(at + 1, counts)));
}

function lived(n: number, counts: Counts): readonly (readonly JournalEvent[])[] {
  return [
    [intent(n, { kind: 'canary', ordinals: [[0, 9]], count: 10 })],
    [accepted(n)],
    [settled(n, counts)],
  ];
}

function retryAsked(): JournalEvent {
  return { type: 'retry.asked', job: JOB.name, run: 1, classes: ['invalid_output'], by: 'somebody' };
}

function verdict(state: JournalState, requests = SENDABLE, unreadable = 10) {
  const run = currentRun(state, JOB.name);
  if (run === undefined) throw new Error('there is no run');
  return canaryVerdict(state, run, { requests, unreadable });
}

/** Each uses an attempt of its rows and says nothing of the prompt. */
const SAYS_NOTHING: readonly Counts[] = [
  { provider_error: 10 },
  { missing: 10 },
  { expired: 10 },
  { lost: 10 },
  { provider_error: 9, rate_or_capacity: 1 },
  { provider_error: 4, missing: 3, expired: 3 },
];

describe('a canary has an end', () => {
  it.each(SAYS_NOTHING)('%j is tried three times in all, and then it has failed', (counts) => {
    expect(verdict(canaries(counts))).toMatchObject({ kind: 'send', items: 10, tries: 1 });
    expect(verdict(canaries(counts, counts))).toMatchObject({ kind: 'send', items: 10, tries: 2 });
    expect(verdict(canaries(counts, counts, counts))).toMatchObject({
      kind: 'failed',
      ok: 0,
      judged: 0,
      tries: 3,
    });
  });

  it('what was turned away before it ran has not been a try: the pause between such creates is another matter', () => {
    const away: Counts = { rate_or_capacity: 10 };
    expect(verdict(canaries(away, away, away, away))).toMatchObject({ kind: 'send', items: 10, tries: 0 });
    expect(verdict(canaries({ account: 10 }, away, { provider_error: 10 }))).toMatchObject({
      kind: 'send',
      tries: 1,
    });
  });

  it('one row that is turned away for ever does not keep the others waiting', () => {
    const one: Counts = { rate_or_capacity: 1 };
    expect(verdict(canaries({ ok: 9, rate_or_capacity: 1 }, one))).toMatchObject({ kind: 'send', items: 1 });
    expect(verdict(canaries({ ok: 9, rate_or_capacity: 1 }, one, one))).toEqual({
      kind: 'passed',
      ok: 9,
      judged: 9,
    });
  });

  it('a few rows short is judged after the third, and not before', () => {
    const half: Counts = { ok: 2, provider_error: 8 };
    expect(verdict(canaries(half, half))).toMatchObject({ kind: 'send', items: 6 });
    expect(verdict(canaries(half, half, half))).toEqual({ kind: 'passed', ok: 6, judged: 6 });
  });

  it('where nothing is left that it could hold back there is nothing to fail', () => {
    const all: Counts = { provider_error: 10 };
    expect(verdict(canaries(all, all, all), 0)).toEqual({ kind: 'not_needed' });
  });
});

describe('a canary whose results cannot be read', () => {
  it.each<[string, Counts]>([
    ['all of them', { unreadable: 10 }],
    ['half of them', { ok: 5, unreadable: 5 }],
    ['two, where one may be bad', { ok: 8, unreadable: 2 }],
    ['some, beside others that came to nothing', { ok: 1, provider_error: 5, unreadable: 4 }],
  ])('%s: it is neither sent again, nor passed, nor failed', (_name, counts) => {
    const rows = counts.unreadable;
    expect(verdict(canaries(counts))).toEqual({ kind: 'unreadable', rows });
    expect(verdict(canaries({ provider_error: 10 }, { provider_error: 10 }, counts))).toMatchObject({
      kind: 'unreadable',
    });
  });

  it('passes where they could not change that', () => {
    expect(verdict(canaries({ ok: 9, unreadable: 1 }))).toMatchObject({ kind: 'passed', ok: 9 });
  });

  it('is filled up where its rows may go again by themselves', () => {
    expect(verdict(canaries({ ok: 5, unreadable: 5 }), SENDABLE, 0)).toMatchObject({
      kind: 'send',
      items: 5,
    });
  });

  it('is judged by what they were, once they are read', () => {
    const state = canaries({ ok: 1, unreadable: 9 });
    const read: JournalEvent = {
      ...(settled(1, { ok: 10 }) as Extract<JournalEvent, { type: 'outcomes.settled' }>),
      type: 'outcomes.settled',
    };
    expect(verdict(state)).toMatchObject({ kind: 'unreadable' });
    expect(verdict(stateOf(RUN, ...lived(1, { ok: 1, unreadable: 9 }), [read]))).toMatchObject({
      kind: 'passed',
    });
  });

  it('another try that a person pays for begins anew', () => {
    const state = stateOf(RUN, ...lived(1, { unreadable: 10 }), [retryAsked()]);
    expect(verdict(state)).toMatchObject({ kind: 'send', items: 10, tries: 0 });
  });
});

describe('a person', () => {
  it('who has cancelled it is not answered with another one', () => {
    const cancel: JournalEvent = { type: 'cancel.asked', intent: intentId(1), job: JOB.name, why: 'person' };
    const sent = [
      [intent(1, { kind: 'canary', ordinals: [[0, 9]], count: 10 })],
      [accepted(1)],
      [cancel],
    ] as const;
    const state = stateOf(RUN, ...sent, [settled(1, { cancelled: 10 })]);
    expect(verdict(state)).toEqual({ kind: 'cancelled', rows: 10 });
    expect(verdict(stateOf(RUN, ...sent, [settled(1, { cancelled: 10 })], [retryAsked()]))).toMatchObject({
      kind: 'send',
    });
  });

  it('whose policy has cancelled it has it tried again', () => {
    const cancel: JournalEvent = { type: 'cancel.asked', intent: intentId(1), job: JOB.name, why: 'stuck' };
    const state = stateOf(
      RUN,
      [intent(1, { kind: 'canary', ordinals: [[0, 9]], count: 10 })],
      [accepted(1)],
      [cancel],
      [settled(1, { cancelled: 10 })],
    );
    expect(verdict(state)).toMatchObject({ kind: 'send', items: 10 });
  });

  it.each<[string, readonly Counts[]]>([
    ['bad answers', [{ ok: 2, invalid_output: 8 }]],
    ['no answers', [{ provider_error: 10 }, { provider_error: 10 }, { provider_error: 10 }]],
  ])('who asks for another round after %s gets another canary', (_name, back) => {
    const failed = back.flatMap((counts, at) => lived(at + 1, counts));
    expect(verdict(stateOf(RUN, ...failed))).toMatchObject({ kind: 'failed' });
    const again = [...failed, [retryAsked()]];
    expect(verdict(stateOf(RUN, ...again))).toMatchObject({ kind: 'send', items: 10, tries: 0 });
    const n = back.length + 1;
    expect(verdict(stateOf(RUN, ...again, ...lived(n, { ok: 10 })))).toMatchObject({ kind: 'passed' });
    expect(verdict(stateOf(RUN, ...again, ...lived(n, { refused: 10 })))).toMatchObject({ kind: 'failed' });
  });

  it('who asks for another round of other rows does not undo a canary that has passed', () => {
    const state = stateOf(RUN, ...lived(1, { ok: 10 }), [retryAsked()]);
    expect(verdict(state)).toMatchObject({ kind: 'passed' });
  });
});

describe('a canary whose unreadable row went again by itself', () => {
  const SHY = { ...SPEC, canary: { ...SPEC.canary, minValid: 1 } };
  const released: JournalEvent = {
    type: 'rows.released',
    intent: intentId(1),
    job: JOB.name,
    ordinals: [[3, 3]],
    rows: 1,
  };
  const groups = [
    [generation(), frozen({ spec: SHY })],
    ...lived(1, { ok: 9, unreadable: 1 }),
    [released],
    ...lived(2, { ok: 1 }),
    [intent(3, { ordinals: [[10, 49]], count: 40 })],
    [accepted(3)],
    [settled(3, { ok: 38, unreadable: 2 })],
  ];

  it.each([0, 2])('has passed, though %i rows of other batches cannot be read', (unreadable) => {
    expect(verdict(stateOf(...groups), SENDABLE, unreadable)).toMatchObject({ kind: 'passed', ok: 10 });
  });
});
