import type { ResultFile } from './files.ts';
import type { Json } from './json.ts';
import { drawTimeline, findRunTime, type Phase, type Plan, readPhase, type Timeline } from './life.ts';
import type { ProviderName, Row, Run } from './model.ts';

/** A batch as its provider truly has it. */
export type Batch = {
  provider: ProviderName;
  id: string;
  /** Which batch of its provider, from 1. */
  nth: number;
  createdAt: number;
  plan: Plan;
  cancelAskedAt: number | null;
  rows: Row[];
  runs: Map<number, Run>;
  /** Null until it has ended. */
  results: ResultFile[] | null;
  deletedAt: number | null;
  /** The uploaded file, where there was one. */
  inputFile: string | null;
  /** What its provider shows of it: endpoint, metadata, display name. */
  details: Json;
};

/** Counts in nobody's words; a provider has its own names and leaves some of them out. */
export type Counts = {
  total: number;
  succeeded: number;
  errored: number;
  canceled: number;
  expired: number;
  pending: number;
};

/** What is told of a batch at a moment. `null` counts are told as null, `undefined` ones not at all. */
export type View = {
  batch: Batch;
  at: number;
  line: Timeline;
  phase: Phase;
  /** A status word in place of the right one. */
  word: string | null;
  counts: Counts | null | undefined;
  results: ResultFile[];
};

/** The moments of a batch's life as they are settled now. */
export function readTimeline(batch: Batch): Timeline {
  return drawTimeline(batch.createdAt, batch.plan, batch.cancelAskedAt);
}

/** The indexes of lines that run until a moment and have not run yet, with their times. */
export function findDueRuns(batch: Batch, until: number): { index: number; at: number }[] {
  const line = readTimeline(batch);
  return batch.rows.flatMap((_, index) => {
    const at = batch.runs.has(index) ? null : findRunTime(line, index, batch.rows.length);
    return at === null || at > until ? [] : [{ index, at }];
  });
}

/** The truth about a batch at a moment that has passed. */
export function readView(batch: Batch, at: number): View {
  const line = readTimeline(batch);
  const phase = readPhase(line, at);
  const results = at >= line.endedAt ? (batch.results ?? []) : [];
  return { batch, at, line, phase, word: null, counts: readCounts(batch, at, phase), results };
}

function readCounts(batch: Batch, at: number, phase: Phase): Counts {
  const ran = [...batch.runs.values()].filter((run) => run.at <= at);
  const succeeded = ran.filter(({ outcome }) => outcome.is === 'answer').length;
  const total = batch.rows.length;
  const left = total - ran.length;
  return {
    total,
    succeeded,
    errored: ran.length - succeeded + (phase === 'failed' ? left : 0),
    canceled: phase === 'cancelled' ? left : 0,
    expired: phase === 'expired' ? left : 0,
    pending: ['failed', 'cancelled', 'expired'].includes(phase) ? 0 : left,
  };
}
