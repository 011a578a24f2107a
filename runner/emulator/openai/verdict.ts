import { isTerminal, stageAt } from '../batch/lifecycle.ts';
import type { BatchError, BatchRow, Verdict } from '../batch/row.ts';
import type { RunResult } from '../batch/run-lines.ts';
import type { AnyCallFault } from '../faults.ts';
import type { OpenaiBatch } from './types.ts';

/**
 * What validation says at its end, `at`. `others` are the batches that may hold enqueued tokens then; `limit` is that
 * of all live batches of one model together, null for none.
 */
export function verdictOf(
  batch: OpenaiBatch,
  result: RunResult | null,
  at: number,
  limit: number | null,
  others: readonly BatchRow[],
): Verdict {
  if (batch.fault.fail !== undefined) return { kind: 'invalid', at, errors: [errorOfScenario(batch.fault)] };
  if (result === null) return { kind: 'invalid', at, errors: [noInput(batch.inputFileId)] };
  if (result.kind === 'invalid') return { kind: 'invalid', at, errors: result.errors };
  const { model, inputTokens } = result.totals;
  const enqueued = others.reduce((sum, other) => sum + enqueuedTokens(other, model, at), 0);
  if (limit !== null && enqueued + inputTokens > limit) {
    return { kind: 'invalid', at, errors: [tokenLimit(model, String(limit))] };
  }
  return { kind: 'valid', at, run: result.totals };
}

/** Tokens count from the end of validation to the batch's own end. */
function enqueuedTokens(batch: BatchRow, model: string, at: number): number {
  if (batch.verdict?.kind !== 'valid' || batch.verdict.run.model !== model) return 0;
  return isTerminal(stageAt(batch, at).status) ? 0 : batch.verdict.run.inputTokens;
}

function errorOfScenario({ fail = '', fail_message, fail_line }: AnyCallFault): BatchError {
  const usual = fail === 'token_limit_exceeded' ? tokenLimit('this model', '2000000') : null;
  return {
    code: fail,
    message: fail_message ?? usual?.message ?? `Validation failed: ${fail}.`,
    param: null,
    line: fail_line ?? null,
  };
}

function tokenLimit(model: string, limit: string): BatchError {
  return {
    code: 'token_limit_exceeded',
    message:
      `Enqueued token limit reached for ${model} in organization org-emulator. Limit: ${limit} enqueued tokens. ` +
      'Please try again once some in_progress batches have been completed.',
    param: null,
    line: null,
  };
}

function noInput(id: string): BatchError {
  return {
    code: 'invalid_request',
    message: `Cannot find file ${id}, or organization org-emulator does not have access to it.`,
    param: 'input_file_id',
    line: null,
  };
}
