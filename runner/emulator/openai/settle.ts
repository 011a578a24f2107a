import { createReadStream } from 'node:fs';
import { type BlockWriter, openBlockWriter } from '../block-writer.ts';
import { createPause } from '../pause.ts';
import type { Files } from './files.ts';
import type { Stage } from './lifecycle.ts';
import { unrunLine } from './result-line.ts';
import { addTo, logLines, noSums, type Sums } from './run-log.ts';
import type { Runs } from './runs.ts';
import type { BatchRow, End, RunTotals } from './types.ts';

/** What a batch that is at its end leaves behind; its result files are added to `files`. */
export async function settle(batch: BatchRow, stage: Stage, files: Files, runs: Runs): Promise<End> {
  const status = stage.status as End['status'];
  if (batch.verdict?.kind !== 'valid') return { status, ran: null, outputFileId: null, errorFileId: null };
  const { run } = batch.verdict;
  const ran = Math.floor(run.requests * stage.share);
  const left =
    ran === run.requests || status === 'completed' || status === 'failed'
      ? { totals: run, errorPath: runs.paths(batch.id).errors, errorBytes: run.errorBytes }
      : await settlePartly(batch, run, ran, status, files, runs);
  return {
    status,
    ran: left.totals,
    ...addFiles(batch, left, stage.at[status] ?? batch.createdAt, files, runs),
  };
}

interface Left {
  readonly totals: RunTotals;
  readonly errorPath: string;
  readonly errorBytes: number;
}

/**
 * Where not all have run: the sums of the first `ran` requests of the run log, and a new error file with their errors
 * and one line for each request that never ran. The output file simply counts as shorter.
 */
async function settlePartly(
  batch: BatchRow,
  all: RunTotals,
  ran: number,
  why: 'expired' | 'cancelled',
  files: Files,
  runs: Runs,
): Promise<Left> {
  const paths = runs.paths(batch.id);
  const { sums, rest } = await splitLog(files.absolute(paths.log), ran, runs.signal);
  const pause = createPause(runs.signal);
  const writer = openBlockWriter(files.absolute(paths.partialErrors));
  let errorBytes = 0;
  try {
    errorBytes += await copyStart(files.absolute(paths.errors), sums.errorBytes, writer);
    for (const customId of rest) {
      errorBytes += writer.write(unrunLine(batch.id, customId, why));
      if (pause.due()) await pause.take();
    }
  } finally {
    writer.close();
  }
  return { totals: { ...sums, model: all.model }, errorPath: paths.partialErrors, errorBytes };
}

async function splitLog(
  path: string,
  ran: number,
  signal: AbortSignal,
): Promise<{ readonly sums: Sums; readonly rest: readonly string[] }> {
  const sums = noSums();
  const rest: string[] = [];
  const pause = createPause(signal);
  for (const line of logLines(path)) {
    if (sums.requests < ran) addTo(sums, line);
    else rest.push(line.custom_id);
    if (pause.due()) await pause.take();
  }
  return { sums, rest };
}

async function copyStart(path: string, bytes: number, writer: BlockWriter): Promise<number> {
  if (bytes === 0) return 0;
  for await (const piece of createReadStream(path, { end: bytes - 1 })) writer.write(piece as Buffer);
  return bytes;
}

function addFiles(
  batch: BatchRow,
  { totals, errorPath, errorBytes }: Left,
  createdAt: number,
  files: Files,
  runs: Runs,
): Pick<End, 'outputFileId' | 'errorFileId'> {
  const add = (what: string, path: string, bytes: number): string =>
    files.add({
      filename: `${batch.id}_${what}.jsonl`,
      purpose: 'batch_output',
      bytes,
      path,
      createdAt,
      expiresAt: createdAt + batch.outputKeptMs,
      batch: batch.number,
    }).id;
  const { error_file: errors, output_file: answers } = batch.fault;
  const outputFileId =
    totals.outputBytes > 0 && answers !== 'dropped'
      ? add('output', runs.paths(batch.id).output, totals.outputBytes)
      : null;
  if (errors === 'dropped') return { outputFileId, errorFileId: null };
  if (errorBytes > 0 || errors === 'zero_bytes') {
    return { outputFileId, errorFileId: add('error', errorPath, errorBytes) };
  }
  return { outputFileId, errorFileId: errors === 'empty_id' ? '' : null };
}
