import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, StateConflict } from '../../errors.ts';
import { sizeOf } from '../../files.ts';
import { type JobName, later } from '../../ids.ts';
import { type BatchView, isTerminal } from '../../journal/batch.ts';
import type { JournalEvent, RawFile } from '../../journal/events.ts';
import { runState } from '../../journal/fold.ts';
import { JournalMoved } from '../../journal/journal.ts';
import type { IntentState, RunState } from '../../journal/state.ts';
import { costUsd } from '../../manifest/price.ts';
import type { Usage } from '../../outcome/outcome.ts';
import type { Rest } from '../../plan/action.ts';
import type { Provider } from '../../provider/port.ts';
import { checkOf } from '../checks.ts';
import type { PassContext } from '../context.ts';
import { restOfFault } from '../faults.ts';
import { payerOf } from '../payer.ts';
import { priceOfIntent } from '../price-of-intent.ts';
import { downloadPath } from '../raw.ts';
import { runFolder } from '../recipe.ts';
import { provenPath } from '../stored.ts';
import { besideRule, hasSeconds } from './beside.ts';
import { fetchFiles } from './fetch.ts';
import { isLost, putOutcomes, rawFilesOf, readOutcomes } from './read-outcomes.ts';
import type { Settled } from './settle.ts';

/** Batches whose bytes are told to the journal together: where an append is a push to a host, each takes a second. */
const MOST_TOGETHER = 16;
/** Downloads lie on the disk until they are read. */
const MOST_BYTES_TOGETHER = 256_000_000;

/**
 * Collects every batch that has ended, whatever its end: bytes first, meaning later. Each batch by itself: one that
 * cannot be fetched or read must not hold up the others.
 * @returns the jobs that send nothing more for now: what they have bought cannot be kept, or not be read
 */
export async function collectEnded(ctx: PassContext): Promise<readonly Rest[]> {
  const due = Object.values(ctx.journal.state.intents).filter(isCollectable);
  const held = new Map<JobName, Rest>();
  while (due.length > 0 && !ctx.stopping()) await collectSome(ctx, due, held);
  return [...held.values()];
}

function isCollectable(intent: IntentState): boolean {
  return intent.phase === 'ended' || intent.phase === 'collected' || isGivenUp(intent);
}

/** A batch whose bytes are kept, on its way to outcomes. */
interface Collected {
  readonly intent: IntentState;
  readonly run: RunState;
  readonly provider: Pick<Provider, 'decode'>;
  readonly work: string;
  readonly files: readonly RawFile[];
  /** What the journal is to be told of the bytes; nothing where it knows. */
  readonly events: readonly JournalEvent[];
}

/** Takes some from the front of `due`, tells the journal of their bytes, then of what they mean. */
async function collectSome(ctx: PassContext, due: IntentState[], held: Map<JobName, Rest>): Promise<void> {
  const collected: Collected[] = [];
  for (let bytes = 0; collected.length < MOST_TOGETHER && bytes < MOST_BYTES_TOGETHER; ) {
    const intent = ctx.stopping() ? undefined : due.shift();
    if (intent === undefined) break;
    const one = await tolerant(ctx, intent, held, () => fetchOne(ctx, intent));
    if (one === null) continue;
    collected.push(one);
    bytes += one.files.reduce((sum, file) => sum + file.bytes, 0);
  }
  await append(
    ctx,
    collected.flatMap(({ events }) => events),
  );
  const settled: JournalEvent[] = [];
  for (const one of collected) {
    if (ctx.stopping()) break;
    // Which of two batches was first is read from the journal, so it has to stand there.
    if (hasSeconds(ctx.journal.state, one.intent)) await append(ctx, settled.splice(0));
    settled.push(...((await tolerant(ctx, one.intent, held, () => settle(ctx, one))) ?? []));
    await rm(one.work, { recursive: true, force: true });
  }
  await append(ctx, settled);
}

async function append(ctx: PassContext, events: readonly JournalEvent[]): Promise<void> {
  if (events.length > 0) await ctx.journal.append(events);
}

/** Null where it failed, which is said. */
async function tolerant<Result>(
  ctx: PassContext,
  intent: IntentState,
  held: Map<JobName, Rest>,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof JournalMoved || error instanceof StateConflict) throw error;
    const fault = restOfFault(intent.job, error);
    if (fault !== null) held.set(intent.job, fault);
    const text = `batch ${intent.batch?.id}: ${messageOf(error)}; it is tried again in the next pass`;
    ctx.say({ level: 'error', job: intent.job, text });
    return null;
  }
}

/** Null where there is nothing to do yet: nobody to ask, or too soon for another look for missing lines. */
async function fetchOne(ctx: PassContext, intent: IntentState): Promise<Collected | null> {
  const run = runState(ctx.journal.state, intent.job, intent.run);
  if (run === undefined) return null;
  const work = join(ctx.work, 'collect', intent.intent);
  // Empty: what lies in it later was downloaded by this very call.
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  if (intent.lost !== null) return givenUp(ctx, intent, run, work);
  const provider = await payerOf(ctx, intent);
  if (intent.batch === null || provider === null) return null;
  const got = isDownloadDue(ctx, intent)
    ? await download(ctx, provider, intent, run, work)
    : { files: lastFiles(intent), events: [] };
  return got.files === null ? null : { intent, run, provider, work, ...got, files: got.files };
}

/** A person has said so: nothing more is asked, and what was collected of it before is all there is. */
function givenUp(ctx: PassContext, intent: IntentState, run: RunState, work: string): Collected {
  const provider = ctx.codec(run.spec.model.provider);
  return { intent, run, provider, work, files: rawFilesOf(intent), events: [] };
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
): Promise<Pick<Collected, 'files' | 'events'>> {
  const batch = await latestView(provider, intent);
  if (batch === null) return { files: [], events: [] };
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
  return { files, events: batch === intent.batch ? [collected] : [observed, collected] };
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

async function settle(ctx: PassContext, collected: Collected): Promise<JournalEvent[]> {
  const { provider, run, files, work } = collected;
  const intent = latest(ctx, collected.intent);
  // A batch that failed validation has nothing to look for a second time, nor has one whose files are gone.
  const lastLook =
    intent.collections.length >= 2 ||
    intent.batch?.state === 'failed' ||
    isLost(intent) ||
    intent.lost !== null ||
    intent.via === 'live';
  const { check, schema } = await checkOf(ctx, run);
  const beside = await besideRule(ctx, intent);
  const settled = await readOutcomes({
    intent,
    run,
    provider,
    schema,
    rawFiles: await Promise.all([
      ...files.map((file) => readablePath(ctx, file, work)),
      ...earlierFiles(intent, files).map((file) => provenPath(ctx.store, file.stored)),
    ]),
    countMissing: lastLook,
    beside,
    work,
  });
  if (settled.missing > 0 && !lastLook) return [lookAgain(ctx, intent, settled.missing)];
  sayOddLines(ctx, intent, settled);
  const stored = await putOutcomes(ctx, intent, settled);
  const price = priceOfIntent(intent, run);
  const money = (usage: Usage) => (price === null ? null : costUsd(usage, price));
  return [
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
  ];
}

/** A line that any complete download had was paid for, whatever a later one lacks. */
function earlierFiles(intent: IntentState, last: readonly RawFile[]): RawFile[] {
  const names = new Set(last.map((file) => file.stored.name));
  return rawFilesOf(intent).filter((file) => !names.has(file.stored.name));
}

/** The download itself where it has just been made: the store has the same bytes, packed. */
async function readablePath(ctx: PassContext, file: RawFile, work: string): Promise<string> {
  const downloaded = downloadPath(work, file.kind);
  return (await sizeOf(downloaded)) === file.bytes ? downloaded : provenPath(ctx.store, file.stored);
}

/** Lines that no row will ever show: an answer that was paid for may be among them. */
function sayOddLines(ctx: PassContext, intent: IntentState, { summary, unreadable }: Settled): void {
  if (summary.foreign + unreadable === 0) return;
  const text = `batch ${intent.batch?.id}: its files hold ${summary.foreign} lines of requests that are not its own and ${unreadable} that cannot be read; they stand in the raw files`;
  ctx.say({ level: 'warning', job: intent.job, text });
}

function lookAgain(ctx: PassContext, intent: IntentState, missing: number): JournalEvent {
  const lookAgainAt = later(ctx.now(), ctx.pacing.missingMs);
  const text = `batch ${intent.batch?.id}: ${missing} rows are in neither file; it is downloaded again after ${lookAgainAt}`;
  ctx.say({ level: 'warning', job: intent.job, text });
  return { type: 'collect.incomplete', intent: intent.intent, job: intent.job, missing, lookAgainAt };
}
