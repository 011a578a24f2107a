import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobName } from '../../ids.ts';
import type { OutcomesRevised } from '../../journal/events.ts';
import { intentsOf, jobState, runState } from '../../journal/fold.ts';
import { JournalMoved } from '../../journal/journal.ts';
import type { IntentState, RunState } from '../../journal/state.ts';
import { costUsd } from '../../manifest/price.ts';
import type { Usage } from '../../outcome/outcome.ts';
import { checkOf, readJudge } from '../checks.ts';
import type { PassContext } from '../context.ts';
import { priceOfIntent } from '../price-of-intent.ts';
import { provenPath } from '../stored.ts';
import { besideElsewhere } from './beside.ts';
import { mergeOutcomes, type OutcomeChange } from './merge-outcomes.ts';
import { putOutcomes, readOutcomes } from './read-outcomes.ts';

export interface ReprocessOrder {
  /** Rows with an accepted answer too, and batches that have no others. */
  readonly all: boolean;
  /** The journal is told; false: what it would be told is only counted. */
  readonly append: boolean;
}

/** What reading kept result files again has shown. */
export interface Reprocessed {
  /** Batches that were read. */
  readonly batches: number;
  readonly changes: readonly OutcomeChange[];
}

/**
 * Reads the kept result files of a job again, with the decoders of this version: asks nobody, sends nothing. Batch after
 * batch, each told before the next is read: of two that have the same row the first one answers it.
 */
export async function reprocessJob(
  ctx: PassContext,
  job: JobName,
  order: ReprocessOrder,
): Promise<Reprocessed> {
  const due = jobState(ctx.journal.state, job)
    .runs.filter((run) => run.dropped === undefined)
    .flatMap((run) => intentsOf(ctx.journal.state, run))
    .filter((intent) => isReadable(intent) && (order.all || hasRowsWithoutAnswer(intent)));
  const changes: OutcomeChange[] = [];
  for (const { intent } of due) changes.push(...(await reprocessUntilTold(ctx, intent, order)));
  return { batches: due.length, changes: sumOf(changes) };
}

/** Where nothing was downloaded there is nothing to read. */
function isReadable({ settled, collections }: IntentState): boolean {
  return settled !== null && collections.some(({ files }) => files.length > 0);
}

function hasRowsWithoutAnswer({ settled, count }: IntentState): boolean {
  const { ok = 0, duplicate = 0 } = settled?.summary.counts ?? {};
  return ok + duplicate < count;
}

/** Another writer that is at work moves the journal now and then. */
const MOST_TRIES = 10;

async function reprocessUntilTold(
  ctx: PassContext,
  id: IntentState['intent'],
  order: ReprocessOrder,
): Promise<readonly OutcomeChange[]> {
  for (let tries = 1; ; tries += 1) {
    const { changes, events } = await reprocessInFolder(ctx, id, order.all);
    if (!order.append || events.length === 0) return changes;
    try {
      await ctx.journal.append(events);
      return changes;
    } catch (error) {
      if (!(error instanceof JournalMoved) || tries === MOST_TRIES) throw error;
    }
  }
}

interface Reread {
  readonly changes: readonly OutcomeChange[];
  readonly events: readonly OutcomesRevised[];
}

const UNCHANGED: Reread = { changes: [], events: [] };

async function reprocessInFolder(ctx: PassContext, id: IntentState['intent'], all: boolean): Promise<Reread> {
  const intent = ctx.journal.state.intents[id];
  const run = intent === undefined ? undefined : runState(ctx.journal.state, intent.job, intent.run);
  if (intent === undefined || run === undefined) return UNCHANGED;
  const work = join(ctx.work, 'reprocess', id);
  try {
    await mkdir(work, { recursive: true });
    return await reprocess(ctx, run, intent, { all, work });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function reprocess(
  ctx: PassContext,
  run: RunState,
  intent: IntentState,
  { all, work }: { readonly all: boolean; readonly work: string },
): Promise<Reread> {
  if (intent.settled === null) return UNCHANGED;
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
  if (merged.changes.length === 0) return UNCHANGED;
  const price = priceOfIntent(intent, run);
  const money = (usage: Usage) => (price === null ? null : costUsd(usage, price));
  const event: OutcomesRevised = {
    type: 'outcomes.revised',
    why: 'reprocess',
    intent: intent.intent,
    job: intent.job,
    run: intent.run,
    // Rows that stay as they stand were not held against an edited schema: that is still to be done.
    check: all ? check : await readJudge(ctx, intent),
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
