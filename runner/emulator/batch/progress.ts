import type { World } from '../face.ts';
import type { Table } from '../state-log.ts';
import { isTerminal, type Stage, stageAt, validatedAt } from './lifecycle.ts';
import type { BatchRow, Verdict } from './row.ts';
import type { RunResult } from './run-lines.ts';
import type { Runs } from './runs.ts';

/** Moves batches on, whenever somebody looks. */
export interface Progress<Row extends BatchRow> {
  /** Takes up a batch that is new, or that an earlier emulator left. */
  follow(batch: Row): void;
  /** Writes down what has become of every live batch up to now. Calls wait for each other. */
  refresh(): Promise<void>;
}

/** A face's part in the life of its batches. */
export interface Turns<Row extends BatchRow> {
  /** What validation says at its end, `at`. @param result null where there was nothing to run. */
  verdict(batch: Row, result: RunResult | null, at: number): Verdict;
  /** What a batch that is at its end leaves behind. */
  settle(batch: Row, stage: Stage): Promise<NonNullable<Row['end']>>;
  /** The batch is at its end, and nobody reads its input any more. */
  settled(batch: Row): void;
}

export function createProgress<Row extends BatchRow>(
  world: World,
  rows: Table<Row>,
  runs: Runs<Row>,
  turns: Turns<Row>,
): Progress<Row> {
  const live = new Set<string>();
  let last: Promise<void> = Promise.resolve();

  async function refreshAll(): Promise<void> {
    for (const id of [...live]) {
      const row = rows.get(id);
      if (row !== undefined) await moveOn(row);
    }
  }

  async function moveOn(before: Row): Promise<void> {
    const row = needsVerdict(before) ? await validated(before) : before;
    const stage = stageAt(row, world.clock.now());
    if (!isTerminal(stage.status)) return;
    rows.put(row.id, { ...row, end: await turns.settle(row, stage) });
    live.delete(row.id);
    runs.forget(row.id);
    turns.settled(row);
  }

  /** The batch with its verdict, where validation is over by the clock. */
  async function validated(row: Row): Promise<Row> {
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

  function withVerdict(row: Row, result: RunResult | null, at: number): Row {
    return rows.put(row.id, { ...row, verdict: turns.verdict(row, result, at) });
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
