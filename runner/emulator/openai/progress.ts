import type { World } from '../face.ts';
import type { Table } from '../state-log.ts';
import type { Files } from './files.ts';
import { isTerminal, stageAt, validatedAt } from './lifecycle.ts';
import type { RunResult } from './run-lines.ts';
import type { Runs } from './runs.ts';
import { settle } from './settle.ts';
import type { BatchRow } from './types.ts';
import { verdictOf } from './verdict.ts';

/** Moves batches on, whenever somebody looks. */
export interface Progress {
  /** Takes up a batch that is new, or that an earlier emulator left. */
  follow(batch: BatchRow): void;
  /** Writes down what has become of every live batch up to now. Calls wait for each other. */
  refresh(): Promise<void>;
}

export function createProgress(world: World, rows: Table<BatchRow>, files: Files, runs: Runs): Progress {
  const live = new Set<string>();
  let last: Promise<void> = Promise.resolve();

  async function refreshAll(): Promise<void> {
    for (const id of [...live]) {
      const row = rows.get(id);
      if (row !== undefined) await moveOn(row);
    }
  }

  async function moveOn(before: BatchRow): Promise<void> {
    const row = needsVerdict(before) ? await validated(before) : before;
    const stage = stageAt(row, world.clock.now());
    if (!isTerminal(stage.status)) return;
    rows.put(row.id, { ...row, end: await settle(row, stage, files, runs) });
    live.delete(row.id);
    runs.forget(row.id);
    files.release(row.inputFileId);
  }

  /** The batch with its verdict, where validation is over by the clock. */
  async function validated(row: BatchRow): Promise<BatchRow> {
    const planned = validatedAt(row);
    if (world.clock.now() < planned) return row;
    if (row.inputPath === null || row.fault.fail !== undefined) return withVerdict(row, null, planned);
    // A clock that stands still would never let the work catch up, so there a look waits for it.
    const isManual = world.clock.mode === 'manual';
    const run = isManual ? await runs.wait(row.id) : runs.finished(row.id);
    if (run === null) return row;
    const at = isManual ? planned : Math.max(planned, row.createdAt + run.tookMs);
    // Somebody may have cancelled it while we waited.
    return withVerdict(rows.get(row.id) ?? row, run.result, at);
  }

  function withVerdict(row: BatchRow, result: RunResult | null, at: number): BatchRow {
    const others = rows.all().filter((other) => other.id !== row.id);
    const limit = world.scenario().limits.enqueued_tokens;
    return rows.put(row.id, { ...row, verdict: verdictOf(row, result, at, limit, others) });
  }

  return {
    follow(batch) {
      live.add(batch.id);
      if (batch.verdict === null && batch.fault.fail === undefined) runs.start(batch);
    },
    refresh() {
      last = last.catch(() => {}).then(refreshAll);
      return last;
    },
  };
}

/** One that was cancelled while it was validated never gets a verdict. */
function needsVerdict(row: BatchRow): boolean {
  return row.verdict === null && (row.cancelAt === null || row.cancelAt >= validatedAt(row));
}
