import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobName } from '../../ids.ts';
import type { OutcomesRevised } from '../../journal/events.ts';
import { intentsOf, jobState } from '../../journal/fold.ts';
import type { IntentState, RunState } from '../../journal/state.ts';
import { costUsd } from '../../manifest/price.ts';
import type { Usage } from '../../outcome/outcome.ts';
import { checkOf } from '../checks.ts';
import type { PassContext } from '../context.ts';
import { priceOfIntent } from '../price-of-intent.ts';
import { provenPath } from '../stored.ts';
import { besideElsewhere } from './beside.ts';
import { mergeOutcomes, type OutcomeChange } from './merge-outcomes.ts';
import { putOutcomes, readOutcomes } from './read-outcomes.ts';

/** What reading kept result files again has shown, and what the journal is to be told of it. */
export interface Reprocessed {
  /** Batches that were read. */
  readonly batches: number;
  readonly changes: readonly OutcomeChange[];
  readonly events: readonly OutcomesRevised[];
}

/**
 * Reads the kept result files of a job again, with the decoders of this version: asks nobody, sends nothing.
 * @param all false: rows with an accepted answer stay as they stand, and batches without others are not read
 */
export async function reprocessJob(ctx: PassContext, job: JobName, all: boolean): Promise<Reprocessed> {
  const runs = jobState(ctx.journal.state, job).runs.filter((run) => run.dropped === undefined);
  const due = runs.flatMap((run) =>
    intentsOf(ctx.journal.state, run)
      .filter((intent) => isReadable(intent) && (all || hasRowsWithoutAnswer(intent)))
      .map((intent) => ({ run, intent })),
  );
  const changes: OutcomeChange[] = [];
  const events: OutcomesRevised[] = [];
  for (const { run, intent } of due) {
    const work = join(ctx.work, 'reprocess', intent.intent);
    try {
      await mkdir(work, { recursive: true });
      const read = await reprocess(ctx, run, intent, { all, work });
      changes.push(...read.changes);
      events.push(...read.events);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  return { batches: due.length, changes: sumOf(changes), events };
}

/** Where nothing was downloaded there is nothing to read. */
function isReadable({ settled, collections }: IntentState): boolean {
  return settled !== null && collections.some(({ files }) => files.length > 0);
}

function hasRowsWithoutAnswer({ settled, count }: IntentState): boolean {
  const { ok = 0, duplicate = 0 } = settled?.summary.counts ?? {};
  return ok + duplicate < count;
}

async function reprocess(
  ctx: PassContext,
  run: RunState,
  intent: IntentState,
  { all, work }: { readonly all: boolean; readonly work: string },
): Promise<Pick<Reprocessed, 'changes' | 'events'>> {
  if (intent.settled === null) return { changes: [], events: [] };
  const { check, recipe } = await checkOf(ctx, run);
  const read = await readOutcomes({
    intent,
    run,
    provider: ctx.codec(run.spec.model.provider),
    recipe,
    pathOf: (file) => provenPath(ctx.store, file.stored),
    apartMs: ctx.pacing.missingMs,
    beside: await besideElsewhere(ctx, intent),
    work,
  });
  const merged = await mergeOutcomes({
    before: await provenPath(ctx.store, intent.settled.outcomes),
    fresh: read.outcomesPath,
    all,
    lines: read.summary.lines,
    path: join(work, 'merged.parquet'),
  });
  if (merged.changes.length === 0) return { changes: [], events: [] };
  const price = priceOfIntent(intent, run);
  const money = (usage: Usage) => (price === null ? null : costUsd(usage, price));
  const event: OutcomesRevised = {
    type: 'outcomes.revised',
    why: 'reprocess',
    intent: intent.intent,
    job: intent.job,
    run: intent.run,
    check,
    outcomes: await putOutcomes(ctx, intent, merged.outcomesPath),
    summary: merged.summary,
    usd: money(merged.summary.usage),
    wastedUsd: money(merged.wasted),
    duplicateUsd: money(merged.duplicated),
    contested: true,
    collections: intent.settled.collections,
  };
  return { changes: merged.changes, events: [event] };
}

/** The same change in several batches as one. */
function sumOf(changes: readonly OutcomeChange[]): OutcomeChange[] {
  const groups = Map.groupBy(changes, ({ from, to }) => `${from} ${to}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ ...first, rows: group.reduce((sum, { rows }) => sum + rows, 0) }];
  });
}
