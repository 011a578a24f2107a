import type { Stage } from '../batch/lifecycle.ts';
import type { EndStatus } from '../batch/row.ts';
import type { Runs } from '../batch/runs.ts';
import { type Ran, ranBy, writeWithUnrun } from '../batch/unrun.ts';
import type { Files } from './files.ts';
import { unrunLine } from './result-line.ts';
import type { OpenaiBatch, OpenaiEnd } from './types.ts';

/** What a batch that is at its end leaves behind; its result files are added to `files`. */
export async function settle(
  batch: OpenaiBatch,
  stage: Stage,
  files: Files,
  runs: Runs<OpenaiBatch>,
): Promise<OpenaiEnd> {
  const status = stage.status as EndStatus;
  const ran = await ranBy(batch, stage, files.absolute(runs.paths(batch.id).log), runs.signal);
  if (ran === null) return { status, ran, outputFileId: null, errorFileId: null };
  const errors = await errorFileOf(batch, ran, status, files, runs);
  const left = { ...ran, errors, createdAt: stage.at[status] ?? batch.createdAt };
  return { status, ran: ran.totals, ...addFiles(batch, left, files, runs) };
}

interface ErrorFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Where not all have run it is a new file, with the errors of those that did and a line for each that never ran. The
 * output file simply counts as shorter.
 */
async function errorFileOf(
  batch: OpenaiBatch,
  { totals, unrun }: Ran,
  status: EndStatus,
  files: Files,
  runs: Runs<OpenaiBatch>,
): Promise<ErrorFile> {
  const { errors, partialErrors } = runs.paths(batch.id);
  if (unrun.length === 0) return { path: errors, bytes: totals.errorBytes };
  const why = status === 'expired' ? 'expired' : 'cancelled';
  const bytes = await writeWithUnrun(
    { path: files.absolute(errors), bytes: totals.errorBytes },
    unrun,
    (customId) => unrunLine(batch.id, customId, why),
    files.absolute(partialErrors),
    runs.signal,
  );
  return { path: partialErrors, bytes };
}

type Left = Ran & { readonly errors: ErrorFile; readonly createdAt: number };

function addFiles(
  batch: OpenaiBatch,
  { totals, errors, createdAt }: Left,
  files: Files,
  runs: Runs<OpenaiBatch>,
): Pick<OpenaiEnd, 'outputFileId' | 'errorFileId'> {
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
  const { error_file, output_file } = batch.fault;
  const outputFileId =
    totals.outputBytes > 0 && output_file !== 'dropped'
      ? add('output', runs.paths(batch.id).output, totals.outputBytes)
      : null;
  if (error_file === 'dropped') return { outputFileId, errorFileId: null };
  if (errors.bytes > 0 || error_file === 'zero_bytes') {
    return { outputFileId, errorFileId: add('error', errors.path, errors.bytes) };
  }
  return { outputFileId, errorFileId: error_file === 'empty_id' ? '' : null };
}
