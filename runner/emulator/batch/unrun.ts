import { createReadStream } from 'node:fs';
import { openBlockWriter } from '../block-writer.ts';
import { createPause } from '../pause.ts';
import type { Stage } from './lifecycle.ts';
import type { BatchRow, RunTotals } from './row.ts';
import { addTo, logLines, noSums } from './run-log.ts';

/** What a batch had come to when it ended: what ran, and the ids of those that never did. */
export interface Ran {
  readonly totals: RunTotals;
  readonly unrun: readonly string[];
}

/** Null where validation failed, so that nothing ran. @param log path of the run log */
export async function ranBy(
  batch: BatchRow,
  stage: Stage,
  log: string,
  signal: AbortSignal,
): Promise<Ran | null> {
  if (batch.verdict?.kind !== 'valid') return null;
  const { run } = batch.verdict;
  const isPartial = stage.status === 'expired' || stage.status === 'cancelled';
  const ran = Math.floor(run.requests * stage.share);
  return ran === run.requests || !isPartial
    ? { totals: run, unrun: [] }
    : splitLog(log, ran, run.model, signal);
}

async function splitLog(path: string, ran: number, model: string, signal: AbortSignal): Promise<Ran> {
  const sums = noSums();
  const unrun: string[] = [];
  const pause = createPause(signal);
  for (const line of logLines(path)) {
    if (sums.requests < ran) addTo(sums, line);
    else unrun.push(line.custom_id);
    if (pause.due()) await pause.take();
  }
  return { totals: { ...sums, model }, unrun };
}

/** The first `bytes` of one file, and then a line for each request that never ran. @returns the length of the new file. */
export async function writeWithUnrun(
  from: { readonly path: string; readonly bytes: number },
  unrun: readonly string[],
  lineOf: (customId: string) => string,
  to: string,
  signal: AbortSignal,
): Promise<number> {
  const pause = createPause(signal);
  const writer = openBlockWriter(to);
  let bytes = 0;
  try {
    for await (const piece of startOf(from)) bytes += writer.write(piece);
    for (const customId of unrun) {
      bytes += writer.write(lineOf(customId));
      if (pause.due()) await pause.take();
    }
  } finally {
    writer.close();
  }
  return bytes;
}

async function* startOf({ path, bytes }: { path: string; bytes: number }): AsyncGenerator<Buffer> {
  if (bytes > 0) yield* createReadStream(path, { end: bytes - 1 }) as AsyncIterable<Buffer>;
}
