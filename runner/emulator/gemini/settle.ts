import type { Stage } from '../batch/lifecycle.ts';
import type { EndStatus, RunTotals } from '../batch/row.ts';
import type { Runs } from '../batch/runs.ts';
import type { Files } from './files.ts';
import type { GeminiBatch, GeminiEnd } from './types.ts';

/**
 * What a batch that is at its end leaves behind. Only one that succeeded has results; the guide says so of one that
 * expired, and of one that was cancelled it says nothing. What is not given out is not charged.
 */
export function settle(batch: GeminiBatch, stage: Stage, files: Files, runs: Runs<GeminiBatch>): GeminiEnd {
  const status = stage.status as EndStatus;
  if (batch.verdict?.kind !== 'valid') return { status, ran: null, resultFile: null };
  if (status !== 'completed') return { status, ran: nothingOf(batch.verdict.run), resultFile: null };
  const { run } = batch.verdict;
  if (run.outputBytes === 0 || batch.fault.output_file === 'dropped')
    return { status, ran: run, resultFile: null };
  const file = files.add({
    id: `batch-${batch.id}`,
    displayName: `${batch.displayName} results`,
    mimeType: 'application/jsonl',
    bytes: run.outputBytes,
    path: runs.paths(batch.id).output,
    createdAt: stage.at.completed ?? batch.createdAt,
    batch: batch.number,
  });
  return { status, ran: run, resultFile: file.id };
}

function nothingOf(run: RunTotals): RunTotals {
  return { ...run, requests: 0, completed: 0, failed: 0, inputTokens: 0, outputTokens: 0, outputBytes: 0 };
}
