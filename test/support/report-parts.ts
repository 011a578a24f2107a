import { type Digest, digestOf, type Instant, instant, later } from '../../runner/ids.ts';
import type { Estimate } from '../../runner/manifest/manifest.ts';
import type { Condition, Money, PastRun, Phase, RunTimes, ShardReport } from '../../runner/report/report.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const FROZEN = instant('2026-11-25T09:02:11Z');

/** So many minutes after the run of these reports was frozen. */
export function at(minutes: number): Instant {
  return later(FROZEN, minutes * MINUTE);
}

export function digest(of: string): Digest {
  return digestOf(of);
}

export function shard(n: number, some: Partial<ShardReport>): ShardReport {
  const rows = some.rows ?? 20_000;
  return {
    shard: n,
    kind: 'first',
    batchId: `batch_6925${(n * 7919).toString(16).padStart(6, '0')}c0ffee`,
    rows,
    state: 'settled',
    done: rows,
    ok: rows,
    failed: 0,
    queuedMs: (3 + (n % 4)) * MINUTE,
    ranMs: 171 * MINUTE + n * MINUTE,
    createdAt: at(31 + n),
    expiresAt: at(31 + n + 24 * 60),
    usd: null,
    error: null,
    ...some,
  };
}

export function live(n: number, state: ShardReport['state'], done: number): ShardReport {
  const open = { ok: null, failed: null, ranMs: null, usd: null, settled: false };
  return {
    ...shard(n, { rows: 5_000 }),
    ...open,
    state,
    done,
    ...(state === 'running' ? {} : { queuedMs: null }),
  };
}

export function times(some: Partial<RunTimes>): RunTimes {
  return {
    frozenAt: FROZEN,
    canarySentAt: at(1),
    canaryDoneAt: at(29),
    sentAt: at(31),
    lastSettledAt: null,
    appliedAt: null,
    deadlineAt: at(3 * 24 * 60),
    ...some,
  };
}

export function money(some: {
  settledUsd: number | null;
  reservedUsd: number | null;
  items?: number;
}): Money {
  const items = some.items ?? 100_000;
  const synchronousUsd = some.settledUsd === null ? null : some.settledUsd * 2;
  return {
    estimate: estimate(items),
    settledUsd: some.settledUsd,
    settledInputTokens: Math.round(items * 522),
    settledOutputTokens: Math.round(items * 38),
    cachedTokens: 3_104_000,
    assumedUsd: 0,
    reservedUsd: some.reservedUsd,
    synchronousUsd,
    wastedUsd: 0.3,
    perThousandAppliedUsd: 0.2834,
    perRunUsd: items > 500_000 ? 400 : 40,
    owner: { monthUsd: 212.4, ofUsd: 500 },
    unknownCost: 0,
  };
}

function estimate(items: number): Estimate {
  return {
    requests: items,
    inputTokens: items * 519,
    outputTokens: items * 34,
    outputTokensCap: items * 60,
    usd: items * 0.0002711,
    ceilingUsd: items * 0.0003296,
    pricesOf: '2026-11-24',
  };
}

export function pastRun(run: number): PastRun {
  const frozenAt = later(FROZEN, -(8 - run) * 14 * 24 * HOUR);
  return {
    run,
    generation: run,
    reason: run === 6 ? 'model changed: gpt-5.4-nano → gpt-5.4-mini' : 'source changed: 1 file',
    items: 99_700,
    dispositions: { applied: 89_280, reused: 9_900, held: 320, failed: 200 },
    settledUsd: 26.9,
    frozenAt,
    appliedAt: later(frozenAt, (run === 6 ? 1_420 : 1_333) * MINUTE),
  };
}

interface Marked {
  readonly type: Condition['type'];
  readonly reason: string;
  readonly message: string;
}

export function conditions(phase: Phase, marked?: Marked): readonly Condition[] {
  const isDone = phase === 'complete';
  const list: Condition[] = [
    condition('Ready', isDone ? 'True' : 'False', isDone ? 'Succeeded' : 'PartialFailure'),
    condition('Stalled', 'False', 'NotStalled'),
    condition('Balanced', 'True', 'Balanced'),
  ];
  if (marked === undefined) return list;
  const status = marked.type === 'Stalled' ? 'True' : 'False';
  return [
    ...list.filter(({ type }) => type !== marked.type),
    { ...condition(marked.type, status, marked.reason), message: marked.message },
  ];
}

function condition(type: Condition['type'], status: Condition['status'], reason: string): Condition {
  return { type, status, reason, message: reason, generation: 7, since: at(1600) };
}
