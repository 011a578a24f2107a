import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, StateConflict } from '../errors.ts';
import { sizeOf } from '../files.ts';
import { later } from '../ids.ts';
import { type BatchView, isTerminal } from '../journal/batch.ts';
import type { JournalEvent, RawFile } from '../journal/events.ts';
import { runState } from '../journal/fold.ts';
import { JournalMoved } from '../journal/journal.ts';
import type { IntentState, RunState } from '../journal/state.ts';
import { costUsd } from '../manifest/price.ts';
import type { Usage } from '../outcome/outcome.ts';
import type { Provider } from '../provider/port.ts';
import { besideRule } from './beside.ts';
import { checkOf } from './checks.ts';
import type { PassContext } from './context.ts';
import { fetchFiles } from './fetch.ts';
import { storedPath } from './ledgers.ts';
import { payerOf } from './payer.ts';
import { downloadPath } from './raw.ts';
import { isLost, putOutcomes, rawFilesOf, readOutcomes } from './read-outcomes.ts';
import { runFolder } from './recipe.ts';
import type { Settled } from './settle.ts';

/**
 * Collects every batch that has ended, whatever its end: bytes first, meaning later. Each batch by itself: one that
 * cannot be fetched or read must not hold up the others.
 */
export async function collectEnded(ctx: PassContext): Promise<void> {
  for (const intent of Object.values(ctx.journal.state.intents).filter(isCollectable)) {
    if (ctx.stopping()) return;
    try {
      await collectOne(ctx, intent);
    } catch (error) {
      if (error instanceof JournalMoved || error instanceof StateConflict) throw error;
      ctx.say({
        level: 'error',
        job: intent.job,
        text: `batch ${intent.batch?.id}: ${messageOf(error)}; it is tried again in the next pass`,
      });
    }
  }
}

function isCollectable(intent: IntentState): boolean {
  return intent.phase === 'ended' || intent.phase === 'collected' || isGivenUp(intent);
}

async function collectOne(ctx: PassContext, intent: IntentState): Promise<void> {
  const run = runState(ctx.journal.state, intent.job, intent.run);
  if (run !== undefined && intent.lost !== null) return giveUp(ctx, intent, run);
  const provider = await payerOf(ctx, intent);
  if (run === undefined || intent.batch === null || provider === null) return;
  const work = join(ctx.work, 'collect', intent.intent);
  // Empty: what lies in it later was downloaded by this very call.
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const files = isDownloadDue(ctx, intent)
    ? await download(ctx, provider, intent, run, work)
    : lastFiles(intent);
  // Between two looks for missing lines there is nothing to do.
  if (files !== null) await settle(ctx, provider, latest(ctx, intent), run, files, work);
  await rm(work, { recursive: true, force: true });
}

/** A person has said so: nothing more is asked, and what was collected of it before is all there is. */
async function giveUp(ctx: PassContext, intent: IntentState, run: RunState): Promise<void> {
  const work = join(ctx.work, 'collect', intent.intent);
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  await settle(ctx, ctx.codec(run.spec.model.provider), intent, run, rawFilesOf(intent), work);
  await rm(work, { recursive: true, force: true });
}

/** The intent with what the download has just added to the journal. */
function latest(ctx: PassContext, intent: IntentState): IntentState {
  return ctx.journal.state.intents[intent.intent] ?? intent;
}

function isGivenUp({ lost, phase }: IntentState): boolean {
  return lost !== null && (phase === 'intent' || phase === 'live');
}

function isDownloadDue(ctx: PassContext, intent: IntentState): boolean {
  if (intent.collections.length === 0) return true;
  return intent.lookAgainAt !== null && ctx.now() >= intent.lookAgainAt;
}

/** Collected but not settled: a pass died in between, and the bytes are ours already. */
function lastFiles(intent: IntentState): readonly RawFile[] | null {
  return intent.lookAgainAt === null ? (intent.collections.at(-1)?.files ?? null) : null;
}

async function download(
  ctx: PassContext,
  provider: Provider,
  intent: IntentState,
  run: RunState,
  work: string,
): Promise<readonly RawFile[]> {
  const batch = await latestView(provider, intent);
  if (batch === null) return [];
  const { files, lost } = await fetchFiles(ctx, provider, intent, batch, runFolder(run), work);
  const collected: JournalEvent = {
    type: 'raw.collected',
    intent: intent.intent,
    job: intent.job,
    state: batch.state,
    files,
    lost,
  };
  const observed: JournalEvent = { type: 'batch.observed', intent: intent.intent, job: intent.job, batch };
  await ctx.journal.append(batch === intent.batch ? [collected] : [observed, collected]);
  return files;
}

/** For the second look the batch is asked again: a file that it had not named before may hold what was missing. */
async function latestView(provider: Provider, intent: IntentState): Promise<BatchView | null> {
  if (intent.batch === null || intent.collections.length === 0) return intent.batch;
  const answer = await provider.poll(intent.batch.id);
  if (answer.kind !== 'ok' || !isTerminal(answer.value.state)) return intent.batch;
  // A gateway may wrap an id anew in each answer until it fits nothing (litellm#33988): the first one told stays.
  const outputFileId = intent.batch.outputFileId ?? answer.value.outputFileId;
  const errorFileId = intent.batch.errorFileId ?? answer.value.errorFileId;
  return { ...answer.value, outputFileId, errorFileId };
}

async function settle(
  ctx: PassContext,
  provider: Pick<Provider, 'decode'>,
  intent: IntentState,
  run: RunState,
  files: readonly RawFile[],
  work: string,
): Promise<void> {
  // A batch that failed validation has nothing to look for a second time, nor has one whose files are gone.
  const lastLook =
    intent.collections.length >= 2 ||
    intent.batch?.state === 'failed' ||
    isLost(intent) ||
    intent.lost !== null;
  const { check, schema } = await checkOf(ctx, run);
  const beside = await besideRule(ctx, intent);
  const settled = await readOutcomes({
    intent,
    run,
    provider,
    schema,
    rawFiles: await Promise.all([
      ...files.map((file) => readablePath(ctx, file, work)),
      ...earlierFiles(intent, files).map((file) => storedPath(ctx.store, file.stored.name)),
    ]),
    countMissing: lastLook,
    beside,
    work,
  });
  if (settled.missing > 0 && !lastLook) return lookAgain(ctx, intent, settled.missing);
  sayOddLines(ctx, intent, settled);
  const stored = await putOutcomes(ctx, intent, settled);
  const money = (usage: Usage) => (run.price === null ? null : costUsd(usage, run.price));
  await ctx.journal.append([
    {
      type: 'outcomes.settled',
      intent: intent.intent,
      job: intent.job,
      run: intent.run,
      outcomes: stored,
      summary: settled.summary,
      usd: money(settled.summary.usage),
      wastedUsd: money(settled.wasted),
      check,
      ...(beside === null ? {} : { duplicateUsd: money(settled.duplicated), contested: true }),
    },
  ]);
}

/** A line that any complete download had was paid for, whatever a later one lacks. */
function earlierFiles(intent: IntentState, last: readonly RawFile[]): RawFile[] {
  const names = new Set(last.map((file) => file.stored.name));
  return rawFilesOf(intent).filter((file) => !names.has(file.stored.name));
}

/** The download itself where it has just been made: the store has the same bytes, packed. */
async function readablePath(ctx: PassContext, file: RawFile, work: string): Promise<string> {
  const downloaded = downloadPath(work, file.kind);
  return (await sizeOf(downloaded)) === file.bytes ? downloaded : storedPath(ctx.store, file.stored.name);
}

/** Lines that no row will ever show: an answer that was paid for may be among them. */
function sayOddLines(ctx: PassContext, intent: IntentState, { summary, unreadable }: Settled): void {
  if (summary.foreign + unreadable === 0) return;
  const text = `batch ${intent.batch?.id}: its files hold ${summary.foreign} lines of requests that are not its own and ${unreadable} that cannot be read; they stand in the raw files`;
  ctx.say({ level: 'warning', job: intent.job, text });
}

async function lookAgain(ctx: PassContext, intent: IntentState, missing: number): Promise<void> {
  const lookAgainAt = later(ctx.now(), ctx.pacing.missingMs);
  await ctx.journal.append([
    { type: 'collect.incomplete', intent: intent.intent, job: intent.job, missing, lookAgainAt },
  ]);
  const text = `batch ${intent.batch?.id}: ${missing} rows are in neither file; it is downloaded again after ${lookAgainAt}`;
  ctx.say({ level: 'warning', job: intent.job, text });
}
