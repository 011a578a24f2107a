import type { JobReport, RunReport, ShardReport } from '../../runner/report/report.ts';
import { ANSWERS, completeReport, completeRun, NEEDS } from './report-complete.ts';
import { at, conditions, live, money, pastRun, shard, times } from './report-parts.ts';

/** 200 shards of 5,000 rows: a third settled, a third running, the rest queued. */
export function underWayReport(): JobReport {
  const base = completeReport();
  const shards = Array.from({ length: 200 }, (_, index) => manyShard(index + 1));
  const applied = 67 * 4_950;
  const run: RunReport = {
    ...completeRun(),
    run: 8,
    generation: 8,
    reason: 'source changed: 3 files',
    books: {
      items: 1_000_000,
      dispositions: { applied, held: 67 * 20, waiting: 67 * 30, in_flight: 1_000_000 - 67 * 5_000 },
      balanced: true,
      attempts: 1_000_000,
      batches: 200,
      rounds: [{ attempts: 1_000_000, ok: applied }],
    },
    needs: NEEDS.slice(0, 1).map((need) => ({ ...need, rows: 67 * 20, causeRows: 1_001 })),
    money: money({ settledUsd: 93.2, reservedUsd: 236.4, items: 1_000_000 }),
    time: times({}),
    shards,
  };
  return {
    ...base,
    phase: 'partly done',
    conditions: conditions('partly done'),
    run,
    waits: [
      {
        what: 'shard 113 (5,000 rows)',
        waitsFor: 'proof whether the provider has it: found by its tag, or absent from 3 complete listings',
        until: at(95),
        command: null,
      },
      {
        what: '2,010 rows to be retried',
        waitsFor: 'room in the queue of openai/batch-prod (10 batches in flight)',
        until: null,
        command: null,
      },
    ],
    history: [{ ...pastRun(7), items: 1_000_000 }, pastRun(6), pastRun(5)],
  };
}

function manyShard(n: number): ShardReport {
  if (n % 3 === 0) return shard(n, { rows: 5_000, ok: 4_950, failed: 50, usd: 1.39 });
  if (n % 3 === 1) return live(n, 'running', 1_200 + ((n * 37) % 3_000));
  return n === 113 ? live(n, 'submitting', 0) : live(n, 'validating', 0);
}

/** The very first run: its canary is at the provider, the rest waits for it. */
export function canaryReport(): JobReport {
  const complete = completeRun();
  const run: RunReport = {
    ...complete,
    run: 1,
    generation: 1,
    reason: 'new job',
    books: {
      items: 100_000,
      dispositions: { in_flight: 10, unsent: 99_990 },
      balanced: true,
      attempts: 10,
      batches: 1,
      rounds: [{ attempts: 10, ok: 0 }],
    },
    needs: [],
    answers: null,
    sample: [],
    canary: { items: 10, ok: 0, judged: false, passed: false },
    servedModels: {},
    money: { ...money({ settledUsd: 0, reservedUsd: 0.004 }), ...NOTHING_SETTLED },
    time: times({ canaryDoneAt: null, sentAt: null }),
    shards: [{ ...live(1, 'running', 3), kind: 'canary', rows: 10 }],
    sinks: [],
    provenance: { ...complete.provenance, dirty: true, remoteFilesDeleted: 0, remoteFiles: 1, journalSeq: 4 },
  };
  return {
    ...completeReport(),
    phase: 'canary',
    conditions: conditions('canary'),
    run,
    waits: [
      {
        what: '99,990 rows',
        waitsFor: 'the canary: 9 of 10 must be valid',
        until: at(24 * 60),
        command: null,
      },
    ],
    history: [],
  };
}

const NOTHING_SETTLED = {
  settledInputTokens: 0,
  settledOutputTokens: 0,
  cachedTokens: 0,
  synchronousUsd: 0,
  wastedUsd: 0,
  perThousandAppliedUsd: null,
};

/** The account has no credit left: half is applied, the rest waits for a person. */
export function stalledReport(): JobReport {
  const run: RunReport = {
    ...completeRun(),
    books: {
      items: 100_000,
      dispositions: { applied: 49_800, held: 190, waiting: 20_010, unsent: 30_000 },
      balanced: true,
      attempts: 70_000,
      batches: 3,
      rounds: [{ attempts: 70_000, ok: 49_800 }],
    },
    needs: NEEDS.slice(0, 1).map((need) => ({ ...need, rows: 190, causeRows: 190 })),
    answers: { fields: ANSWERS?.fields.slice(0, 1) ?? [], before: null },
    sample: [],
    servedModels: { 'gpt-5.4-mini-2026-03-17': 49_000, 'gpt-5.4-mini-2025-12-01': 1_000 },
    money: {
      ...money({ settledUsd: null, reservedUsd: null }),
      synchronousUsd: null,
      unknownCost: 10,
      wastedUsd: null,
      perThousandAppliedUsd: null,
    },
    time: times({ lastSettledAt: at(400), appliedAt: null }),
    shards: [
      shard(1, { rows: 30_000, ok: 29_900, failed: 100 }),
      shard(2, { rows: 20_000, ok: 19_900, failed: 100 }),
      {
        ...live(3, 'failed', 0),
        rows: 20_000,
        error:
          'You exceeded your current quota, please check your plan and billing details (https://example.org).',
      },
      { ...live(4, 'refused', 0), rows: 30_000, batchId: null, error: 'billing_hard_limit_reached' },
    ],
  };
  return {
    ...completeReport(),
    phase: 'stalled',
    conditions: conditions('stalled', {
      type: 'Stalled',
      reason: 'AccountPaused',
      message:
        'openai/batch-prod has no credit: nothing new is sent, collecting goes on; top up, then `batchwright reconcile`',
    }),
    run,
    waits: [
      {
        what: '50,010 rows',
        waitsFor: 'credit on the account openai/batch-prod',
        until: null,
        command: 'batchwright reconcile ticket-labels',
      },
    ],
  };
}

/** Ten rows came back as the wrong thing, so that the other 99,990 were not sent. */
export function failedCanaryReport(): JobReport {
  const { run, ...report } = canaryReport();
  if (run === null) throw new Error('a canary report has a run');
  const message = 'the canary has 1 valid of 10 answers, 9 are needed; the rest was not sent';
  const next = 'read what came back, mend prompt or schema, and merge: that starts a new run';
  return {
    ...report,
    phase: 'stalled',
    conditions: conditions('stalled', {
      type: 'Stalled',
      reason: 'CanaryFailed',
      message: `${message} → ${next}`,
    }),
    run: {
      ...run,
      books: { ...run.books, dispositions: { applied: 1, held: 7, waiting: 2, unsent: 99_990 } },
      needs: [
        {
          rows: 9,
          class: 'invalid_output',
          cause: 'queue: is none of the values',
          causeRows: 7,
          examples: ['TK-2026-0000002', 'TK-2026-0000003', 'TK-2026-0000007'],
          next,
        },
      ],
      stop: { reason: 'CanaryFailed', message, next, since: at(30) },
      cameBack: {
        kind: 'canary',
        causes: [
          { class: 'invalid_output', cause: 'queue: is none of the values', attempts: 7 },
          { class: 'invalid_output', cause: 'is no JSON', attempts: 2 },
        ],
        example: {
          key: 'TK-2026-0000002',
          detail: '/queue must be equal to one of the allowed values (billing)',
          said: '{"queue": "Billing <b>|</b>",\n "sure": true}',
        },
      },
      canary: { items: 10, ok: 1, judged: true, passed: false },
      shards: [{ ...shard(1, { rows: 10, ok: 1, failed: 9 }), kind: 'canary' }],
    },
    waits: [{ what: 'ticket-labels', waitsFor: message, until: null, command: next }],
  };
}

/** For a day the account had no room for the job; small batches go on asking. */
export function noCapacityReport(): JobReport {
  const { run, ...report } = stalledReport();
  if (run === null) throw new Error('a stalled report has a run');
  const message =
    'openai/batch-prod has had no room for this job since 2026-11-25 09:10 UTC; a small batch asks from 2026-11-26 15:10 UTC on: Enqueued token limit reached';
  const next = "it goes on by itself once there is room; for more of it, see the provider's limits page";
  return {
    ...report,
    conditions: conditions('stalled', {
      type: 'Stalled',
      reason: 'NoCapacity',
      message: `${message} → ${next}`,
    }),
    run: {
      ...run,
      needs: [],
      books: { ...run.books, dispositions: { applied: 50_000, waiting: 20_000, unsent: 30_000 } },
    },
    waits: [{ what: 'ticket-labels', waitsFor: message, until: at(30 * 60), command: next }],
  };
}
