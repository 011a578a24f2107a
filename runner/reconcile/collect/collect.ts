import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, StateConflict } from '../../errors.ts';
import type { JobName } from '../../ids.ts';
import type { DownloadFailed, JournalEvent } from '../../journal/events.ts';
import { runState } from '../../journal/fold.ts';
import { JournalMoved } from '../../journal/journal.ts';
import type { IntentState } from '../../journal/state.ts';
import type { Rest } from '../../plan/action.ts';
import { hasUnreadLook, nextDownload } from '../../plan/downloads.ts';
import type { PassContext } from '../context.ts';
import { restOfFault } from '../faults.ts';
import { payerOf } from '../payer.ts';
import { DownloadFailed as DownloadError } from '../raw.ts';
import { mayShareItems } from './beside.ts';
import { look } from './look.ts';
import { type Collected, readCollected } from './read-collected.ts';

/** Batches whose bytes are told to the journal together: where an append is a push to a host, each takes a second. */
const MOST_TOGETHER = 16;
/** Downloads lie on the disk until they are read. */
const MOST_BYTES_TOGETHER = 256_000_000;

/**
 * Collects every batch that has ended, whatever its end, and looks again at those whose results could not be read: bytes
 * first, meaning later. Each batch by itself: one that cannot be fetched or read must not hold up the others.
 * @returns the jobs that send nothing more for now: what they have bought cannot be kept, or not be read
 */
export async function collectEnded(ctx: PassContext): Promise<readonly Rest[]> {
  const due = Object.values(ctx.journal.state.intents).filter((intent) => isCollectable(ctx, intent));
  const held = new Map<JobName, Rest>();
  while (due.length > 0 && !ctx.stopping()) await collectSome(ctx, due, held);
  return [...held.values()];
}

function isCollectable(ctx: PassContext, intent: IntentState): boolean {
  if (intent.phase === 'ended' || intent.phase === 'collected') return true;
  return isGivenUp(intent) || hasUnreadLook(intent) || isDownloadDue(ctx, intent);
}

function isGivenUp({ lost, phase }: IntentState): boolean {
  return lost !== null && (phase === 'intent' || phase === 'live');
}

/** True for a batch that is settled and of which rows wait for their results. */
function isDownloadDue(ctx: PassContext, intent: IntentState): boolean {
  const run = runState(ctx.journal.state, intent.job, intent.run);
  if (run === undefined || run.dropped !== undefined) return false;
  const { profile } = ctx.codec(run.spec.model.provider);
  const next = nextDownload(intent, profile, ctx.pacing.missingMs);
  return next !== null && ctx.now() >= next;
}

/** Takes some from the front of `due`, tells the journal of their bytes, then of what they mean. */
async function collectSome(ctx: PassContext, due: IntentState[], held: Map<JobName, Rest>): Promise<void> {
  const collected: Collected[] = [];
  const faults: Faults = { held, failures: [] };
  for (let bytes = 0; collected.length < MOST_TOGETHER && bytes < MOST_BYTES_TOGETHER; ) {
    const intent = ctx.stopping() ? undefined : due.shift();
    if (intent === undefined) break;
    const one = await tolerant(ctx, intent, faults, () => collectOne(ctx, intent));
    if (one === null) continue;
    collected.push(one);
    bytes += one.bytes;
  }
  await append(ctx, [...faults.failures, ...collected.flatMap(({ events }) => events)]);
  const settled: JournalEvent[] = [];
  for (const one of collected) {
    if (ctx.stopping()) break;
    // Which of two batches was first is read from the journal, so it has to stand there.
    if (mayShareItems(ctx.journal.state, one.intent)) await append(ctx, settled.splice(0));
    settled.push(...((await tolerant(ctx, one.intent, faults, () => readCollected(ctx, one))) ?? []));
    await rm(one.work, { recursive: true, force: true });
  }
  await append(ctx, settled);
}

async function append(ctx: PassContext, events: readonly JournalEvent[]): Promise<void> {
  if (events.length > 0) await ctx.journal.append(events);
}

/** What could not be done, and is told beside the log. */
interface Faults {
  /** Jobs that a damaged file or a full disk holds back. */
  readonly held: Map<JobName, Rest>;
  /** What the journal is to be told of failed downloads. */
  readonly failures: DownloadFailed[];
}

/** Null where it failed, which is said. */
async function tolerant<Result>(
  ctx: PassContext,
  intent: IntentState,
  faults: Faults,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof JournalMoved || error instanceof StateConflict) throw error;
    if (error instanceof DownloadError) faults.failures.push(...failureNews(intent, error));
    const fault = restOfFault(intent.job, error);
    if (fault !== null) faults.held.set(intent.job, fault);
    const text = `batch ${intent.batch?.id}: ${messageOf(error)}; it is tried again in the next pass`;
    ctx.say({ level: 'error', job: intent.job, text });
    return null;
  }
}

function failureNews(
  { intent, job, downloadFailed }: IntentState,
  { error: { status, about } }: DownloadError,
): DownloadFailed[] {
  const isKnown = downloadFailed?.status === status && downloadFailed.about === about;
  return isKnown ? [] : [{ type: 'download.failed', intent, job, status, about }];
}

/** Null where there is nothing to do: nobody to ask, or no run. */
async function collectOne(ctx: PassContext, intent: IntentState): Promise<Collected | null> {
  const run = runState(ctx.journal.state, intent.job, intent.run);
  if (run === undefined) return null;
  const work = join(ctx.work, 'collect', intent.intent);
  // Empty: what lies in it later was downloaded by this very call.
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  if (!needsLook(intent))
    return { intent, run, provider: ctx.codec(run.spec.model.provider), work, events: [], bytes: 0 };
  const provider = await payerOf(ctx, intent);
  if (intent.batch === null || provider === null) return null;
  const { events, bytes } = await look(ctx, provider, { intent, batch: intent.batch, run, work });
  return { intent, run, provider, work, events, bytes };
}

/** Of a batch that a person has given up, or whose bytes are ours already, nothing more is asked. */
function needsLook(intent: IntentState): boolean {
  if (intent.lost !== null || hasUnreadLook(intent)) return false;
  return intent.settled !== null || (intent.collections.length === 0 && intent.resultsLost === null);
}
