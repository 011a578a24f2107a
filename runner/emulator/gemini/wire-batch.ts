import { isTerminal, type Stage, type Status } from '../batch/lifecycle.ts';
import { rpcStatus, wordOfCode } from './replies.ts';
import type { GeminiBatch, GeminiEnd } from './types.ts';

/** A batch as the API shows it: a long-running operation with all that matters in its metadata. */
export function wireBatch(batch: GeminiBatch, stage: Stage, now: number): Record<string, unknown> {
  const isDone = isTerminal(stage.status);
  const output = outputOf(batch, stage, now);
  return {
    name: `batches/${batch.id}`,
    metadata: {
      '@type': `type.googleapis.com/google.ai.generativelanguage.v1main.${TYPES[batch.endpoint]}`,
      model: `models/${batch.model}`,
      displayName: batch.displayName,
      state: stateOf(batch, stage),
      createTime: time(batch.createdAt),
      updateTime: time(endOf(stage) ?? stage.at.in_progress ?? batch.createdAt),
      ...(isDone ? { endTime: time(endOf(stage) ?? now) } : {}),
      inputConfig: { fileName: `files/${batch.inputFile}` },
      batchStats: statsOf(batch, stage),
      ...(output === null ? {} : { output }),
      name: `batches/${batch.id}`,
    },
    ...(isDone ? { done: true, ...resultOf(batch, stage, output) } : {}),
  };
}

const TYPES = { generateContent: 'GenerateContentBatch', embedContent: 'EmbedContentBatch' } as const;

/** Fewer than the emulator knows: nothing tells that a batch is being written down, or cancelled. */
const STATES: Readonly<Record<Status, string>> = {
  validating: 'BATCH_STATE_PENDING',
  in_progress: 'BATCH_STATE_RUNNING',
  finalizing: 'BATCH_STATE_RUNNING',
  cancelling: 'BATCH_STATE_RUNNING',
  completed: 'BATCH_STATE_SUCCEEDED',
  failed: 'BATCH_STATE_FAILED',
  expired: 'BATCH_STATE_EXPIRED',
  cancelled: 'BATCH_STATE_CANCELLED',
};

function stateOf({ fault }: GeminiBatch, { status }: Stage): string {
  return fault.state_word === undefined || isTerminal(status) ? STATES[status] : fault.state_word;
}

function time(ms: number): string {
  // Google writes more digits than JavaScript has.
  return new Date(ms).toISOString().replace('Z', '000Z');
}

function endOf({ at }: Stage): number | null {
  return at.completed ?? at.failed ?? at.expired ?? at.cancelled ?? null;
}

function outputOf(batch: GeminiBatch, stage: Stage, now: number): { readonly responsesFile: string } | null {
  const { end, fault } = batch;
  if (end?.resultFile == null) return null;
  const endedAt = stage.at[end.status] ?? now;
  return now < endedAt + (fault.files_after_ms ?? 0) ? null : { responsesFile: `files/${end.resultFile}` };
}

function resultOf(
  { verdict }: GeminiBatch,
  { status }: Stage,
  output: { readonly responsesFile: string } | null,
): Record<string, unknown> {
  if (status === 'completed') return { response: { ...output } };
  if (status === 'failed' && verdict?.kind === 'invalid') {
    const [first] = verdict.errors;
    return { error: rpcStatus(wordOfCode(first?.code ?? ''), first?.message ?? 'The batch failed.') };
  }
  const word = status === 'expired' ? 'DEADLINE_EXCEEDED' : 'CANCELLED';
  return { error: rpcStatus(word, `The batch was ${status}.`) };
}

/** Counts are text, and zeros are left out. */
function statsOf(batch: GeminiBatch, stage: Stage): Record<string, string> {
  const { total, completed, failed } = { ...countsOf(batch, stage), ...batch.fault.counts };
  const counts = {
    requestCount: total,
    successfulRequestCount: completed,
    failedRequestCount: failed,
    pendingRequestCount: Math.max(0, total - completed - failed),
  };
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  return Object.fromEntries(shown.map(([name, count]) => [name, String(count)]));
}

type Counts = Readonly<Record<'total' | 'completed' | 'failed', number>>;

function countsOf({ verdict, end }: GeminiBatch, { status, share }: Stage): Counts {
  if (verdict?.kind !== 'valid' || status === 'validating') return { total: 0, completed: 0, failed: 0 };
  const { run } = verdict;
  const ran: GeminiEnd['ran'] = end?.ran ?? null;
  return {
    total: run.requests,
    completed: ran?.completed ?? Math.floor(run.completed * share),
    failed: ran?.failed ?? Math.floor(run.failed * share),
  };
}
