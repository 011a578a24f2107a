import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../face.ts';
import type { BatchRow } from './row.ts';
import { type LineWork, type RunOrder, type RunResult, runLines } from './run-lines.ts';

/** The work behind the batches: done ahead, in the background, one file at a time; the clock says when it shows. */
export interface Runs<Row extends BatchRow> {
  start(batch: Row): void;
  /** Null while the work is not done. */
  finished(id: string): FinishedRun | null;
  /** Waits for the work. */
  wait(id: string): Promise<FinishedRun>;
  forget(id: string): void;
  paths(id: string): RunPaths;
  close(): Promise<void>;
  readonly signal: AbortSignal;
}

export interface FinishedRun {
  readonly result: RunResult;
  /** Wall time from the start of the batch to the end of the work. */
  readonly tookMs: number;
}

/** Relative to the emulator's folder. */
export interface RunPaths {
  readonly output: string;
  readonly errors: string;
  readonly partialErrors: string;
  readonly log: string;
}

/** What a face gives for a run: what it does with each line, and how many there may be. */
export type WorkOf<Row extends BatchRow> = (batch: Row) => {
  readonly work: LineWork;
  readonly mostRequests: number;
};

export function createRuns<Row extends BatchRow>(world: World, workOf: WorkOf<Row>): Runs<Row> {
  const stopped = new AbortController();
  const finished = new Map<string, FinishedRun>();
  const running = new Map<string, Promise<FinishedRun>>();
  let last: Promise<unknown> = Promise.resolve();
  mkdirSync(join(world.dir, 'batches'), { recursive: true });

  async function run(order: RunOrder, started: number): Promise<FinishedRun> {
    const result = await runLines(order);
    if (result.kind === 'invalid') removeAll(world.dir, runPaths(order.batchId));
    const done = { result, tookMs: performance.now() - started };
    finished.set(order.batchId, done);
    return done;
  }

  return {
    signal: stopped.signal,
    paths: runPaths,
    start(batch) {
      const { inputPath } = batch;
      if (inputPath === null || running.has(batch.id)) return;
      const started = performance.now();
      // Now and not when its turn comes: the faults are those of the moment of creation.
      const order = { ...orderOf(batch, inputPath, world, stopped.signal), ...workOf(batch) };
      const work = last.then(() => run(order, started));
      running.set(batch.id, work);
      // Whoever waits for the work hears of its failure; the next in the queue must not.
      last = work.catch(() => {});
    },
    finished: (id) => finished.get(id) ?? null,
    async wait(id) {
      const work = running.get(id);
      if (work === undefined) throw new Error(`nothing runs for ${id}`);
      return work;
    },
    forget(id) {
      finished.delete(id);
      running.delete(id);
    },
    async close() {
      stopped.abort(new Error('the emulator closes'));
      await last;
    },
  };
}

function runPaths(id: string): RunPaths {
  const path = (what: string): string => join('batches', `${id}.${what}.jsonl`);
  return {
    output: path('output'),
    errors: path('errors'),
    partialErrors: path('partial-errors'),
    log: path('log'),
  };
}

function orderOf(
  batch: BatchRow,
  inputPath: string,
  world: World,
  signal: AbortSignal,
): Omit<RunOrder, 'work' | 'mostRequests'> {
  const paths = runPaths(batch.id);
  return {
    batchId: batch.id,
    batchNumber: batch.number,
    input: join(world.dir, inputPath),
    output: join(world.dir, paths.output),
    errors: join(world.dir, paths.errors),
    log: join(world.dir, paths.log),
    seed: world.scenario().seed,
    faults: world.faults(),
    allFailed: batch.fault.all_failed === true,
    signal,
  };
}

function removeAll(dir: string, paths: RunPaths): void {
  for (const path of Object.values(paths)) rmSync(join(dir, path), { force: true });
}
