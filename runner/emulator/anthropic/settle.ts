import { join } from 'node:path';
import type { JsonObject } from '../../ids.ts';
import { linesOfFile, textOf } from '../../lines.ts';
import type { Stage } from '../batch/lifecycle.ts';
import type { EndStatus } from '../batch/row.ts';
import type { Runs } from '../batch/runs.ts';
import { type Ran, ranBy, writeWithUnrun } from '../batch/unrun.ts';
import type { World } from '../face.ts';
import { failedLine, unrunLine } from './result-line.ts';
import type { AnthropicBatch, AnthropicEnd, ResultCounts } from './types.ts';

const NONE: ResultCounts = { succeeded: 0, errored: 0, canceled: 0, expired: 0 };

/** What a batch that is at its end leaves behind: one file, with a line for each request whatever became of it. */
export async function settle(
  batch: AnthropicBatch,
  stage: Stage,
  world: World,
  runs: Runs<AnthropicBatch>,
): Promise<AnthropicEnd> {
  const status = stage.status as EndStatus;
  const log = join(world.dir, runs.paths(batch.id).log);
  const ran = await ranBy(batch, stage, log, runs.signal);
  const end =
    ran === null ? await settleFailed(batch, world, runs) : await settleRan(batch, ran, status, world, runs);
  const isLost = batch.fault.output_file === 'dropped';
  return { status, ran: ran?.totals ?? null, ...end, results: isLost ? null : end.results };
}

type Left = Pick<AnthropicEnd, 'results' | 'counts'>;

async function settleRan(
  batch: AnthropicBatch,
  { totals, unrun }: Ran,
  status: EndStatus,
  world: World,
  runs: Runs<AnthropicBatch>,
): Promise<Left> {
  const paths = runs.paths(batch.id);
  const type = status === 'expired' ? 'expired' : 'canceled';
  const counts = { ...NONE, succeeded: totals.completed, errored: totals.failed, [type]: unrun.length };
  if (unrun.length === 0) return { counts, results: { path: paths.output, bytes: totals.outputBytes } };
  const bytes = await writeWithUnrun(
    { path: join(world.dir, paths.output), bytes: totals.outputBytes },
    unrun,
    (customId) => unrunLine(customId, type),
    join(world.dir, paths.partialErrors),
    runs.signal,
  );
  return { counts, results: { path: paths.partialErrors, bytes } };
}

/** There is no batch here that fails as a whole: where a scenario wants it, each request does. */
async function settleFailed(batch: AnthropicBatch, world: World, runs: Runs<AnthropicBatch>): Promise<Left> {
  const path = runs.paths(batch.id).partialErrors;
  const bytes = await writeWithUnrun(
    { path: '', bytes: 0 },
    customIdsIn(join(world.dir, batch.inputPath ?? '')),
    (customId) => failedLine(customId, batch.fault),
    join(world.dir, path),
    runs.signal,
  );
  return { counts: { ...NONE, errored: batch.requests }, results: { path, bytes } };
}

function customIdsIn(path: string): string[] {
  return [...linesOfFile(path)].map((line) =>
    String((JSON.parse(textOf(line) ?? '') as JsonObject).custom_id),
  );
}
