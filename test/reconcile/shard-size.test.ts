import { describe, expect, test } from 'vitest';
import type { BatchState } from '../../runner/journal/batch.ts';
import type { IntentState, JournalState, RunState } from '../../runner/journal/state.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import { mostItems } from '../../runner/reconcile/submit/shard-size.ts';

type Counts = Partial<Record<OutcomeClass, number>>;

/** A settled batch of so many items; `hours`: when it was announced and when it was settled. */
interface Past {
  readonly count: number;
  readonly counts: Counts;
  readonly hours: readonly [from: number, to: number];
  readonly state?: BatchState;
  readonly run?: number;
}

function limitAfter(...past: readonly Past[]): number | null {
  const intents = past.map(intentOf);
  const run = {
    job: 'j',
    run: 1,
    intents: intents.filter(({ run: of }) => of === 1).map(({ intent }) => intent),
  };
  const state = { intents: Object.fromEntries(intents.map((intent) => [intent.intent, intent])) };
  return mostItems(state as unknown as JournalState, run as unknown as RunState);
}

function intentOf(
  { count, counts, hours: [from, to], state = 'completed', run = 1 }: Past,
  at: number,
): IntentState {
  return {
    intent: `i${at}`,
    account: 'openai/test',
    run,
    count,
    at: hour(from),
    batch: { state },
    settled: { seq: to, at: hour(to), summary: { counts } },
  } as unknown as IntentState;
}

function hour(at: number): string {
  return new Date(Date.UTC(2026, 10, 30, at)).toISOString();
}

const good = (count: number, from: number): Past => ({
  count,
  counts: { ok: count },
  hours: [from, from + 1],
});
const full = (count: number, from: number, run = 1): Past => ({
  count,
  counts: { rate_or_capacity: count },
  hours: [from, from + 1],
  run,
});

describe('how large the next batch may be', () => {
  test('as the job says, while nothing was too much', () => {
    expect(limitAfter()).toBeNull();
    expect(limitAfter(good(100, 1))).toBeNull();
  });

  test('half of what found no room by itself, again and again, and one at least', () => {
    expect(limitAfter(full(100, 1))).toBe(50);
    expect(limitAfter(full(100, 1), full(50, 2))).toBe(25);
    expect(limitAfter(full(1, 1))).toBe(1);
  });

  test('no smaller where another batch of the account held the room, in whatever run', () => {
    expect(limitAfter(full(100, 1), { ...good(100, 1), hours: [0, 5] })).toBeNull();
    expect(limitAfter(full(100, 1), { ...good(9, 1), hours: [0, 5], run: 2 })).toBeNull();
  });

  test('those that found no room either held none', () => {
    expect(limitAfter(full(100, 1), full(100, 1, 2))).toBe(50);
  });

  test('a few lines that were turned away say nothing about the size', () => {
    expect(limitAfter({ ...good(100, 1), counts: { ok: 90, rate_or_capacity: 10 } })).toBeNull();
  });

  test('B051: half of what did not end in its window', () => {
    const expired = { count: 100, counts: { ok: 60, expired: 40 }, hours: [1, 25] } as const;
    expect(limitAfter({ ...expired, state: 'expired' })).toBe(50);
    // Rows that were not run since others of their batch were refused are of the same class.
    expect(limitAfter({ ...expired, state: 'failed' })).toBeNull();
  });

  test('twice as many after four that went well', () => {
    expect(limitAfter(full(100, 1), ...[2, 3, 4].map((at) => good(50, at)))).toBe(50);
    expect(limitAfter(full(100, 1), ...[2, 3, 4, 5].map((at) => good(50, at)))).toBe(100);
  });
});
