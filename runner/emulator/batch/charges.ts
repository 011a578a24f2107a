import type { BatchEntry, LedgerEntry } from '../ledger.ts';
import { createPause } from '../pause.ts';
import { stageAt } from './lifecycle.ts';
import type { BatchRow } from './row.ts';
import { addTo, logLines, noSums, type Sums } from './run-log.ts';

/** What else a provider keeps of a batch that tells whose it is. */
export type Marks = Pick<BatchEntry, 'input_file_id' | 'metadata'>;

/** What a batch has cost by now: its own entry and one for each request that ran. @param log is its run log's path. */
export async function* chargesOf(
  batch: BatchRow,
  marks: Marks,
  log: string,
  now: number,
): AsyncGenerator<LedgerEntry> {
  const ran = ranBy(batch, now);
  const pause = createPause();
  yield { ...entryOf(batch, await sumsOf(log, ran), now), ...marks };
  let count = 0;
  for (const line of ran === 0 ? [] : logLines(log)) {
    count += 1;
    if (count > ran) return;
    const { custom_id, body_hash, status, input_tokens, output_tokens } = line;
    const charged = status === 200;
    yield {
      kind: 'request',
      batch: batch.id,
      custom_id,
      body_hash,
      status,
      charged,
      input_tokens,
      output_tokens,
    };
    if (pause.due()) await pause.take();
  }
}

/** Requests that have ended by now. */
function ranBy(batch: BatchRow, now: number): number {
  if (batch.verdict?.kind !== 'valid') return 0;
  return batch.end?.ran?.requests ?? Math.floor(batch.verdict.run.requests * stageAt(batch, now).share);
}

async function sumsOf(log: string, ran: number): Promise<Sums> {
  const sums = noSums();
  const pause = createPause();
  for (const line of ran === 0 ? [] : logLines(log)) {
    if (sums.requests === ran) break;
    addTo(sums, line);
    if (pause.due()) await pause.take();
  }
  return sums;
}

function entryOf(batch: BatchRow, sums: Sums, now: number): Omit<BatchEntry, keyof Marks> {
  return {
    kind: 'batch',
    id: batch.id,
    number: batch.number,
    status: stageAt(batch, now).status,
    total: batch.verdict?.kind === 'valid' ? batch.verdict.run.requests : 0,
    ran: sums.requests,
    charged: sums.completed,
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
  };
}
