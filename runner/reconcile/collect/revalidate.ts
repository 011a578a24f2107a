import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedFiles, messageOf, StateConflict } from '../../errors.ts';
import type { OutcomesRevised } from '../../journal/events.ts';
import { runState } from '../../journal/fold.ts';
import type { IntentState } from '../../journal/state.ts';
import { costUsd } from '../../manifest/price.ts';
import type { Rest, Revalidate } from '../../plan/action.ts';
import { checkOf } from '../checks.ts';
import type { PassContext } from '../context.ts';
import { priceOfIntent } from '../price-of-intent.ts';
import { provenPath } from '../stored.ts';
import { besideAsSettled } from './beside.ts';
import { putOutcomes, readOutcomes } from './read-outcomes.ts';

/**
 * Holds answers that were paid for against the schema as it is now: reads the raw files of each intent again, puts new
 * outcomes, and journals them together. Asks nobody for anything; repeating it after a crash gives the same files.
 * @returns why it could not be done, or null.
 */
export async function revalidate(ctx: PassContext, action: Revalidate): Promise<Rest | null> {
  const revised: OutcomesRevised[] = [];
  for (const id of action.intents) {
    if (ctx.stopping()) break;
    const intent = ctx.journal.state.intents[id];
    if (intent === undefined) continue;
    const work = join(ctx.work, 'revalidate', id);
    try {
      await mkdir(work, { recursive: true });
      revised.push(...(await revise(ctx, intent, work)));
    } catch (error) {
      if (error instanceof StateConflict || error instanceof DamagedFiles) throw error;
      return unreadable(intent, error);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  if (revised.length === 0) return null;
  const before = validIn(ctx, revised);
  await ctx.journal.append(revised);
  const text = `${action.answers} answers were held against the edited schema or sinks, 0 requests: ${before} were valid, ${validIn(ctx, revised)} are`;
  ctx.say({ level: 'info', job: action.job, text });
  return null;
}

async function revise(ctx: PassContext, intent: IntentState, work: string): Promise<OutcomesRevised[]> {
  const run = runState(ctx.journal.state, intent.job, intent.run);
  if (run === undefined) return [];
  const { check, recipe } = await checkOf(ctx, run);
  if (check === null) return [];
  const settled = await readOutcomes({
    intent,
    run,
    provider: ctx.codec(run.spec.model.provider),
    recipe,
    pathOf: (file) => provenPath(ctx.store, file.stored),
    apartMs: ctx.pacing.missingMs,
    beside: await besideAsSettled(ctx, intent),
    work,
  });
  const price = priceOfIntent(intent, run);
  return [
    {
      type: 'outcomes.revised',
      why: 'check',
      intent: intent.intent,
      job: intent.job,
      run: intent.run,
      check,
      outcomes: await putOutcomes(ctx, intent, settled.outcomesPath),
      summary: settled.summary,
      usd: price === null ? null : costUsd(settled.summary.usage, price),
      wastedUsd: price === null ? null : costUsd(settled.wasted, price),
      collections: intent.collections.length,
    },
  ];
}

function validIn(ctx: PassContext, revised: readonly OutcomesRevised[]): number {
  const counts = revised.map(
    ({ intent }) => ctx.journal.state.intents[intent]?.settled?.summary.counts.ok ?? 0,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Nothing is sent or applied on the word of answers that cannot be read. */
function unreadable(intent: IntentState, error: unknown): Rest {
  return {
    job: intent.job,
    kind: 'blocked',
    reason: 'RawUnreadable',
    message: `the answers of shard ${intent.shard} of run ${intent.run} cannot be held against the edited schema or sinks: ${messageOf(error)}`,
    next: `batchwright verify ${intent.job}`,
  };
}
