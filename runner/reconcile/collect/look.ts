import { type BatchView, isTerminal } from '../../journal/batch.ts';
import type { JournalEvent, RawCollected, ResultsLost } from '../../journal/events.ts';
import type { IntentState, RunState } from '../../journal/state.ts';
import { isDeleted, resultsKeptUntil } from '../../plan/downloads.ts';
import type { Provider } from '../../provider/port.ts';
import type { PassContext } from '../context.ts';
import { ownView } from '../poll/own-view.ts';
import { DownloadFailed } from '../raw.ts';
import { runFolder } from '../recipe.ts';
import { fetchFiles } from './fetch.ts';

export interface LookOrder {
  readonly intent: IntentState;
  readonly batch: BatchView;
  readonly run: RunState;
  /** A folder of the caller's own, where the downloads are left. */
  readonly work: string;
}

/** What the journal is to be told of a look at a batch's result files. */
export interface Looked {
  readonly events: readonly JournalEvent[];
  readonly bytes: number;
}

/**
 * One look at the result files of an ended batch: what they hold, as it came, and what the batch counts.
 * @throws DownloadFailed where a file could not be had whole, and may be had later
 */
export async function look(ctx: PassContext, provider: Provider, order: LookOrder): Promise<Looked> {
  const { intent, run, work } = order;
  const seen = await latestView(provider, order);
  const isOver = ctx.now() >= resultsKeptUntil(intent, provider.profile);
  const fetched = await fetchFiles(ctx, provider, seen.batch, runFolder(run), work).catch(
    (error: unknown) => {
      // What could not be had until now will not be had any more.
      if (error instanceof DownloadFailed && isOver) return null;
      throw error;
    },
  );
  if (fetched === null) return { events: [resultsLost(ctx, intent, 'expired')], bytes: 0 };
  const collected: RawCollected = {
    type: 'raw.collected',
    intent: intent.intent,
    job: intent.job,
    state: seen.batch.state,
    ...fetched,
    counts: seen.counts,
  };
  const observed: JournalEvent = {
    type: 'batch.observed',
    intent: intent.intent,
    job: intent.job,
    batch: seen.batch,
  };
  const events = seen.batch === order.batch ? [collected] : [observed, collected];
  const bytes = fetched.files.reduce((sum, file) => sum + file.bytes, 0);
  return { events: [...events, ...endOfResults(ctx, intent, collected, isOver)], bytes };
}

interface Seen {
  readonly batch: BatchView;
  /** Null where the batch could not be asked at this look. */
  readonly counts: BatchView['progress'];
}

/**
 * From the second look on the batch is asked again: it may name a file that it had not named before, and counts that were
 * wrong may be right by now.
 */
async function latestView(provider: Provider, { intent, batch }: LookOrder): Promise<Seen> {
  if (intent.collections.length === 0) return { batch, counts: batch.progress };
  const answer = await provider.poll(batch.id);
  const own = answer.kind === 'ok' ? ownView(intent, answer.value) : null;
  if (own === null || !isTerminal(own.state)) return { batch, counts: null };
  // A gateway may wrap an id anew in each answer until it fits nothing (litellm#33988): the first one told stays.
  const outputFileId = batch.outputFileId ?? own.outputFileId;
  const errorFileId = batch.errorFileId ?? own.errorFileId;
  return { batch: { ...own, outputFileId, errorFileId }, counts: own.progress };
}

/** The last look has been made: nothing that it did not bring will come. */
function endOfResults(
  ctx: PassContext,
  intent: IntentState,
  collected: RawCollected,
  isOver: boolean,
): ResultsLost[] {
  if (isOver) return [resultsLost(ctx, intent, 'expired')];
  const { files, gone, counts } = collected;
  const collections = [...intent.collections, { at: ctx.now(), files, gone, counts }];
  return isDeleted({ ...intent, collections }, ctx.now(), ctx.pacing.missingMs)
    ? [resultsLost(ctx, intent, 'deleted')]
    : [];
}

function resultsLost(ctx: PassContext, intent: IntentState, why: ResultsLost['why']): ResultsLost {
  const what =
    why === 'deleted'
      ? 'the provider has said for a day that it does not have its results'
      : 'the provider keeps its results no longer';
  const text = `batch ${intent.batch?.id}: ${what}; answers that were not read are lost, and are not bought again by themselves`;
  ctx.say({ level: 'error', job: intent.job, text });
  return { type: 'results.lost', intent: intent.intent, job: intent.job, why };
}
