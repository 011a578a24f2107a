import { describe, expect, it } from 'vitest';
import { digestOf, type Instant } from '../../runner/ids.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { currentRun } from '../../runner/journal/fold.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import type { NewRunSize } from '../../runner/plan/action.ts';
import type { CeilingInput } from '../../runner/plan/ceilings.ts';
import { gateNewRun, gateShard } from '../../runner/plan/gate.ts';
import { NO_SPEND, type Spend, spendOfMonth, spendOfRun } from '../../runner/plan/spend.ts';
import type { BudgetSpec } from '../../runner/spec/job.ts';
import type { Settings } from '../../runner/spec/settings.ts';
import { accepted, frozen, intent, intentId, JOB, settled, stateOf } from '../support/journal.ts';
import { inMinutes, SETTINGS } from '../support/plan.ts';

const size = (ceilingUsd: number | null, requests = 100): NewRunSize => ({
  requests,
  reused: 0,
  setAside: 0,
  gone: { rows: 0, of: 0 },
  fileBytes: 1_000_000,
  estimate: {
    requests,
    inputTokens: 1,
    outputTokens: 1,
    outputTokensCap: 1,
    usd: ceilingUsd,
    ceilingUsd,
    pricesOf: null,
  },
});

const VERSION = {
  generation: 1,
  defines: {
    model: 'aaaaaaaa',
    prompt: 'bbbbbbbb',
    schema: null,
    input: 'cccccccc',
    output: 'dddddddd',
    source: 'eeeeeeee',
    account: 'openai/default',
  },
};

function input(
  budget: Partial<BudgetSpec> = {},
  budgets: Partial<Settings['budgets']> = {},
  changes: Partial<CeilingInput> = {},
): CeilingInput {
  return {
    job: { ...JOB, budget: { ...JOB.budget, ...budget } },
    settings: { ...SETTINGS, budgets: { ...SETTINGS.budgets, ...budgets } },
    state: stateOf(),
    now: inMinutes(60),
    emulator: false,
    approval: null,
    ...changes,
  };
}

function onGit(maxBytes: number): Pick<CeilingInput, 'settings'> {
  const store = {
    kind: 'git-ref' as const,
    path: 'state',
    remote: 'origin',
    prefix: 'refs/heads/batch-state',
    tokenEnv: null,
    maxBytes,
    retentionMs: 0,
  };
  return { settings: { ...SETTINGS, store } };
}

const spent = stateOf(
  [frozen(), intent(1), intent(2)],
  [accepted(1), accepted(2)],
  [settled(1, { ok: 1 }, 3)],
);

describe('a new run', () => {
  const cases: [string, NewRunSize, CeilingInput, string | null][] = [
    ['without any budget', size(1_000), input(), null],
    [
      "above all jobs' month, whoever spent it",
      size(6),
      input(
        {},
        { perMonthUsd: 10 },
        { state: spent, job: { ...JOB, name: 'other' as never, owner: 'others' } },
      ),
      'BudgetExceeded',
    ],
    ['within its budget', size(40), input({ perRunUsd: 40 }), null],
    ['above its budget', size(40.01), input({ perRunUsd: 40 }), 'BudgetExceeded'],
    [
      'above the settings, whatever the job says',
      size(11),
      input({ perRunUsd: 40 }, { perRunUsd: 10 }),
      'BudgetExceeded',
    ],
    ['with an unknown price and no budget', size(null), input(), null],
    ['with an unknown price and a budget', size(null), input({ perRunUsd: 40 }), 'PriceUnknown'],
    [
      'with an unknown price and a budget of its owner',
      size(null),
      input({}, { owners: { support: { perMonthUsd: 1 } } }),
      'PriceUnknown',
    ],
    ['of files that fit the store', size(1), input({}, {}, onGit(1_000_000)), null],
    ['of files that do not', size(1), input({}, {}, onGit(999_999)), 'StoreFull'],
    [
      'of files that do not fit beside those that are there',
      size(1),
      input({}, {}, { ...onGit(1_000_000), state: spent }),
      'StoreFull',
    ],
    ['of too many items', size(1, 101), input({ maxItems: 100 }), 'TooManyItems'],
    ['above what needs a person', size(21), input({}, { approveAboveUsd: 20 }), 'AwaitingApproval'],
    [
      "above the job's month, counting what is reserved",
      size(6),
      input({ perMonthUsd: 10 }, {}, { state: spent }),
      'BudgetExceeded',
    ],
    ["within the job's month", size(5), input({ perMonthUsd: 10 }, {}, { state: spent }), null],
    [
      "above the owner's month",
      size(6),
      input({}, { owners: { support: { perMonthUsd: 10 } } }, { state: spent }),
      'BudgetExceeded',
    ],
    [
      "another owner's month",
      size(6),
      input({}, { owners: { others: { perMonthUsd: 1 } } }, { state: spent }),
      null,
    ],
  ];
  it.each(cases)('%s', (_name, of, given, reason) => {
    const verdict = gateNewRun(of, given, VERSION);
    expect(verdict.kind === 'blocked' ? verdict.reason : null).toBe(reason);
  });
});

describe('a shard', () => {
  const run = spent.jobs[JOB.name]?.runs[0];
  if (run === undefined) throw new Error('no run');
  it.each([
    ['fits', 5, 10, null],
    ['would pass what is settled and reserved', 5.01, 10, 'BudgetExceeded'],
    ['has no known price', null, 10, 'PriceUnknown'],
  ] as const)('that %s', (_name, reserve, perRunUsd, reason) => {
    const verdict = gateShard(reserve, run, input({ perRunUsd }, {}, { state: spent }));
    expect(verdict.kind === 'blocked' ? verdict.reason : null).toBe(reason);
  });
});

describe('spend', () => {
  it('gives a reservation back when the batch is settled, and never counts the emulator', () => {
    expect(spendOfMonth(spent, inMinutes(60), { emulator: false })).toEqual({
      settled: 3,
      assumed: 0,
      reserved: 2,
    });
    expect(spendOfMonth(spent, inMinutes(60), { emulator: true })).toEqual(NO_SPEND);
  });

  it('assumes the limit for rows that may have been billed without our hearing of it', () => {
    const fact = settled(1, { ok: 75, missing: 25 }, 1);
    if (fact.type !== 'outcomes.settled') throw new Error(fact.type);
    const unheard = { ...fact, summary: { ...fact.summary, withoutUsage: 25 } };
    const state = stateOf([frozen()], [intent(1, { reservedUsd: 2 })], [accepted(1)], [unheard]);
    expect(spendOfMonth(state, inMinutes(60), { emulator: false })).toEqual({
      settled: 1,
      assumed: 0.5,
      reserved: 0,
    });
    const next = '2026-12-01T00:00:00.000Z' as Instant;
    expect(spendOfMonth(state, next, { emulator: false })).toEqual(NO_SPEND);
  });

  it('counts settled money in the month in which it was settled, reservations always', () => {
    expect(spendOfMonth(spent, '2026-12-01T00:00:00.000Z' as Instant, { emulator: false })).toEqual({
      settled: 0,
      assumed: 0,
      reserved: 2,
    });
  });

  describe('of a batch whose results could not be read', () => {
    const unread = settled(1, { ok: 60, unreadable: 30, missing: 10 }, 1);
    const summary = { ...(unread.type === 'outcomes.settled' ? unread.summary : never()), withoutUsage: 40 };
    const sent = [[frozen()], [intent(1, { reservedUsd: 2 })], [accepted(1)], [{ ...unread, summary }]];
    const ask = (...classes: OutcomeClass[]): JournalEvent[] => [
      { type: 'retry.asked', job: JOB.name, run: 1, classes, by: 'ann' },
    ];
    const lost = settled(1, { ok: 60, lost: 30, missing: 10 }, 1);
    const lostSummary = { ...(lost.type === 'outcomes.settled' ? lost.summary : never()), withoutUsage: 40 };
    const became: JournalEvent[] = [
      {
        ...lost,
        outcomes: { name: 'later', digest: digestOf('later'), bytes: 1 },
        why: 'results',
        check: null,
        summary: lostSummary,
        type: 'outcomes.revised',
      } as JournalEvent,
    ];
    const itself: JournalEvent[] = [
      { type: 'rows.released', intent: intentId(1), job: JOB.name, ordinals: [[0, 9]], rows: 10 },
    ];

    it.each<[string, readonly JournalEvent[][], Omit<Spend, 'settled'>, Omit<Spend, 'settled'>]>([
      ['while they may be read yet', [], { assumed: 0.2, reserved: 0.6 }, { assumed: 0.2, reserved: 0.6 }],
      [
        'once a person pays again',
        [ask('unreadable')],
        { assumed: 0.2, reserved: 0 },
        { assumed: 0.8, reserved: 0 },
      ],
      [
        'where the person asked for others',
        [ask('missing')],
        { assumed: 0.2, reserved: 0.6 },
        { assumed: 0.2, reserved: 0.6 },
      ],
      [
        'where some go again by themselves',
        [itself],
        { assumed: 0.2, reserved: 0.4 },
        { assumed: 0.4, reserved: 0.4 },
      ],
      ['once they are lost', [became], { assumed: 0.8, reserved: 0 }, { assumed: 0.8, reserved: 0 }],
      [
        'lost, and asked for again',
        [became, ask('lost')],
        { assumed: 0.2, reserved: 0 },
        { assumed: 0.8, reserved: 0 },
      ],
    ])('%s', (_title, news, ofRun, ofMonth) => {
      const state = stateOf(...sent, ...news);
      const run = currentRun(state, JOB.name);
      if (run === undefined) throw new Error('no run');
      expect(rounded(spendOfRun(state, run))).toEqual({ settled: 1, ...ofRun });
      expect(rounded(spendOfMonth(state, inMinutes(60), { emulator: false }))).toEqual({
        settled: 1,
        ...ofMonth,
      });
    });
  });
});

function rounded({ settled, assumed, reserved }: Spend): Spend {
  const cents = (usd: number) => Math.round(usd * 100) / 100;
  return { settled: cents(settled), assumed: cents(assumed), reserved: cents(reserved) };
}

function never(): never {
  throw new Error('another event');
}
