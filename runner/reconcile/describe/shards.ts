import { epochMs, type Instant, later } from '../../ids.ts';
import { intentsOf } from '../../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../../journal/state.ts';
import type { OutcomeClass, OutcomeSummary } from '../../outcome/outcome.ts';
import type { RunTimes, ShardReport } from '../../report/report.ts';

/** Pure: a line for each batch of the run, in the order of their announcement. */
export function shardReports(state: JournalState, run: RunState): ShardReport[] {
  return intentsOf(state, run).map((intent) => ({
    ...shardReport(intent),
    ...(intent.secondOf === null ? {} : { secondOf: state.intents[intent.secondOf]?.shard ?? null }),
  }));
}

function shardReport(intent: IntentState): ShardReport {
  const { batch, settled } = intent;
  const counts = settled?.summary.counts ?? {};
  const ok = settled === null ? null : (counts.ok ?? 0);
  return {
    shard: intent.shard,
    kind: intent.kind,
    batchId: batch?.id ?? null,
    rows: intent.count,
    state: stateOf(intent),
    done: settled === null ? (batch?.progress?.done ?? 0) : sumOf(counts, ANSWERED),
    ok,
    failed: ok === null ? null : intent.count - ok - sumOf(counts, NOT_FAILED),
    queuedMs: between(batch?.createdAt, batch?.startedAt),
    ranMs: between(batch?.startedAt, batch?.endedAt),
    createdAt: batch?.createdAt ?? null,
    expiresAt: batch?.expiresAt ?? null,
    usd: settled?.usd ?? null,
    error: intent.error?.message ?? batch?.errors[0]?.message ?? null,
  };
}

function sumOf(counts: OutcomeSummary['counts'], classes: readonly OutcomeClass[]): number {
  return classes.reduce((sum, of) => sum + (counts[of] ?? 0), 0);
}

/** Of rows that another batch has answered, and of those whose result cannot be read, nobody says that they failed. */
const NOT_FAILED: readonly OutcomeClass[] = ['duplicate', 'late', 'unreadable'];

/** Rows that a model has answered, whatever the answer is worth. */
const ANSWERED = [
  'ok',
  'invalid_output',
  'truncated',
  'refused',
  'conflict',
  'duplicate',
  'late',
] as const satisfies readonly OutcomeClass[];

function stateOf(intent: IntentState): ShardReport['state'] {
  switch (intent.phase) {
    case 'intent':
      return 'submitting';
    case 'refused':
    case 'absent':
    case 'settled':
      return intent.phase;
    case 'live':
    case 'ended':
    case 'collected':
      return intent.batch?.state ?? 'unknown';
    default:
      return intent.phase satisfies never;
  }
}

function between(from: Instant | null | undefined, to: Instant | null | undefined): number | null {
  return from == null || to == null ? null : Math.max(0, epochMs(to) - epochMs(from));
}

export function timesOf(state: JournalState, run: RunState): RunTimes {
  const intents = intentsOf(state, run);
  const canaries = intents.filter((intent) => intent.kind === 'canary');
  const shards = intents.filter((intent) => intent.kind !== 'canary');
  return {
    frozenAt: run.frozenAt,
    canarySentAt: canaries[0]?.at ?? null,
    canaryDoneAt: canaries.at(-1)?.settled?.at ?? null,
    sentAt: shards[0]?.at ?? null,
    lastSettledAt: newest(intents.map((intent) => intent.settled?.at ?? null)),
    appliedAt: newest(Object.values(run.applied).map((proof) => proof.at)),
    deadlineAt: later(run.frozenAt, run.spec.sla.deadlineMs),
  };
}

function newest(times: readonly (Instant | null)[]): Instant | null {
  return (
    times
      .filter((time) => time !== null)
      .sort()
      .at(-1) ?? null
  );
}
