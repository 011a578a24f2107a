import { type AccountId, jobName } from '../../runner/ids.ts';
import type { JobReport, RunReport } from '../../runner/report/report.ts';
import { at, conditions, digest, HOUR, MINUTE, money, pastRun, shard, times } from './report-parts.ts';

/** Run 7 of ticket-labels: 100,000 rows, complete with 588 failures, compared with run 6. */
export function completeReport(): JobReport {
  return {
    job: jobName('ticket-labels'),
    file: 'jobs/ticket-labels.yaml',
    owner: 'support-platform',
    description: 'Route every support ticket to one of three queues.',
    labels: { customer: 'acme' },
    phase: 'complete with failures',
    conditions: conditions('complete with failures'),
    run: completeRun(),
    waits: [],
    history: [pastRun(6), pastRun(5)],
  };
}

export function completeRun(): RunReport {
  return {
    run: 7,
    generation: 7,
    reason: 'prompt changed (`ticket-labels/user.hbs`)',
    task: 'classification',
    emulator: false,
    books: {
      items: 100_000,
      dispositions: { applied: 99_412, held: 365, failed: 167, refused: 56 },
      balanced: true,
      attempts: 102_298,
      batches: 7,
      rounds: [
        { attempts: 100_000, ok: 97_634 },
        { attempts: 2_172, ok: 1_778 },
        { attempts: 126, ok: 0 },
      ],
    },
    needs: NEEDS,
    answers: ANSWERS,
    sample: SAMPLE,
    stop: null,
    cameBack: null,
    canary: { items: 10, ok: 10, judged: true, passed: true },
    askedModel: 'openai/gpt-5.4-mini',
    servedModels: { 'gpt-5.4-mini-2026-03-17': 102_298 },
    money: money({ settledUsd: 28.18, reservedUsd: 0 }),
    time: times({ lastSettledAt: at(1595), appliedAt: at(1600) }),
    shards: [
      shard(1, {
        kind: 'canary',
        rows: 10,
        ok: 10,
        failed: 0,
        queuedMs: 2 * MINUTE,
        ranMs: 26 * MINUTE,
        usd: 0.003,
      }),
      ...[2, 3, 4, 5].map((n) => shard(n, { rows: 20_000, ok: 19_827, failed: 173, usd: 5.61 })),
      shard(6, { rows: 19_990, ok: 18_316, failed: 1_674, ranMs: 24 * HOUR, usd: 5.17 }),
      shard(7, { kind: 'retry', rows: 2_298, ok: 1_778, failed: 520, ranMs: 62 * MINUTE, usd: 0.57 }),
    ],
    sinks: [{ kind: 'parquet', path: 'out/ticket-labels.parquet', rows: 99_412, digest: digest('sink') }],
    provenance: {
      commit: '9f2c1d7e4ab3c05d7786f1a2b3c4d5e6f7a8b9c0',
      dirty: false,
      prompt: digest('prompt'),
      schema: digest('schema'),
      source: digest('source'),
      manifest: digest('manifest'),
      journalSeq: 61,
      journalHead: digest('head'),
      lineage: '0b6f2a0e-55f1-4f6f-9d0e-6a1c7f0e8d11',
      account: 'openai/batch-prod' as AccountId,
      remoteFilesDeleted: 21,
      remoteFiles: 21,
    },
  };
}

export const NEEDS: RunReport['needs'] = [
  {
    rows: 268,
    class: 'invalid_output',
    cause: '`/reason` longer than 200 characters',
    causeRows: 201,
    examples: ['TK-2026-0003912', 'TK-2026-0004410', 'TK-2026-0008812'],
    next: 'held after 1 retry: make the prompt or the schema clearer',
  },
  {
    rows: 126,
    class: 'provider_error',
    cause: 'HTTP 500',
    causeRows: 126,
    examples: ['TK-2026-0007719', 'TK-2026-0007720', 'TK-2026-0007731'],
    next: '`batchwright retry ticket-labels --class provider_error`, est. $0.04',
  },
  {
    rows: 97,
    class: 'truncated',
    cause: 'stopped at 60 tokens',
    causeRows: 97,
    examples: ['TK-2026-0001180'],
    next: 'raise `output.max_tokens` to 80 (good answers: p99 47)',
  },
  {
    rows: 56,
    class: 'refused',
    cause: 'content filter',
    causeRows: 49,
    examples: ['TK-2026-0005521', 'TK-2026-0005522'],
    next: 'for the compliance list; it is never sent again',
  },
  {
    rows: 41,
    class: 'invalid_request',
    cause: 'context too long',
    causeRows: 41,
    examples: ['TK-2026-0009004'],
    next: 'shorten or drop the row; it is never sent again unchanged',
  },
];

export const ANSWERS: RunReport['answers'] = {
  fields: [
    {
      name: 'label',
      values: [
        { value: 'billing', count: 40_958, before: 39_812 },
        { value: 'technical', count: 38_671, before: 39_117 },
        { value: 'account', count: 19_783, before: 20_351 },
      ],
    },
    {
      name: 'needs_human',
      values: [
        { value: 'false', count: 91_120, before: 90_870 },
        { value: 'true', count: 8_292, before: 8_410 },
      ],
    },
  ],
  before: {
    run: 6,
    keysInBoth: 98_120,
    changed: 2_911,
    topMove: { field: 'label', from: 'technical', to: 'account', count: 1_204 },
  },
};

const SAMPLE: RunReport['sample'] = [
  [
    'TK-2026-0000412',
    'billing',
    'Charged twice for the March invoice and asks for the second charge back.',
    'false',
  ],
  [
    'TK-2026-0031877',
    'technical',
    'App crashes on start since 4.2; log attached, also on <Android 14>.',
    'false',
  ],
  [
    'TK-2026-0080214',
    'account',
    'Cannot log in: the reset mail goes to ivo@example.org, which he left.',
    'true',
  ],
].map(([key = '', label = '', reason = '', human = '']) => ({
  key,
  values: [
    ['label', label],
    ['reason', reason],
    ['needs_human', human],
  ],
}));
