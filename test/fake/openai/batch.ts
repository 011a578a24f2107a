import type { View } from '../batch.ts';
import { toSeconds } from '../clock.ts';
import type { ResultFile } from '../files.ts';
import type { Json } from '../json.ts';
import type { Phase } from '../life.ts';
import type { Part } from '../model.ts';
import type { Quirks } from '../world.ts';

/** A batch as `GET /v1/batches/{id}` shows it. */
export function writeBatch(view: View, quirks: Quirks): Json {
  const { batch, line, phase } = view;
  const ended = (last: Phase) => (phase === last ? toSeconds(Math.min(line.endedAt, view.at)) : null);
  const passed = (at: number | null) => (at === null || at > view.at ? null : toSeconds(at));
  const started = phase === 'failed' || phase === 'validating' ? null : passed(line.startedAt);
  const errorFile = findPart(view.results, 'error');
  const shown = {
    id: batch.id,
    object: 'batch',
    ...batch.details,
    model: batch.rows[0]?.model ?? null,
    errors: phase === 'failed' ? writeErrors(view) : null,
    input_file_id: batch.inputFile,
    status: view.word ?? nameStatus(phase),
    output_file_id: findPart(view.results, 'output'),
    error_file_id: errorFile ?? (quirks.emptyErrorId === true ? '' : null),
    created_at: toSeconds(batch.createdAt),
    in_progress_at: started,
    expires_at: toSeconds(batch.createdAt + batch.plan.windowMs),
    finalizing_at: phase === 'completed' || phase === 'finalizing' ? passed(line.finalizingAt) : null,
    completed_at: ended('completed'),
    failed_at: ended('failed'),
    expired_at: ended('expired'),
    cancelling_at: passed(line.cancellingAt),
    cancelled_at: ended('cancelled'),
    ...writeCounts(view),
    usage: writeUsage(view),
  };
  return quirks.absentNulls === true ? dropNulls(shown) : shown;
}

function dropNulls(shown: Json): Json {
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null));
}

function nameStatus(phase: Phase): string {
  return phase === 'running' ? 'in_progress' : phase;
}

function findPart(files: ResultFile[], part: Part): string | null {
  return files.find((file) => file.part === part)?.id ?? null;
}

/** Zeros until it is validated, and of what failed its validation. Unrun lines count as neither. */
function writeCounts({ counts, phase }: View): Json {
  if (counts === undefined) return {};
  if (counts === null) return { request_counts: null };
  const unknown = phase === 'validating' || phase === 'failed';
  const { total, succeeded, errored } = counts;
  return {
    request_counts: unknown
      ? { total: 0, completed: 0, failed: 0 }
      : { total, completed: succeeded, failed: errored },
  };
}

function writeErrors({ batch }: View): Json | null {
  const { end } = batch.plan;
  if (end.as !== 'failed') return null;
  const { code, message, param, line } = end;
  return { object: 'list', data: [{ code, message, param: param ?? null, line: line ?? null }] };
}

function writeUsage({ batch, at }: View): Json {
  const ran = [...batch.runs.values()].filter((run) => run.at <= at && run.billed);
  const input = ran.reduce((sum, { usage }) => sum + usage.input, 0);
  const output = ran.reduce((sum, { usage }) => sum + usage.output, 0);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
