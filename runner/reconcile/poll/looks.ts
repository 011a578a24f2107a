import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readTextOrNull, temporaryBeside } from '../../files.ts';
import { epochMs, type Instant, type IntentId, type JobName } from '../../ids.ts';
import { runState } from '../../journal/fold.ts';
import type { IntentState, JournalState } from '../../journal/state.ts';
import { isNoRoom } from '../../machine-trouble.ts';
import type { Pacing } from '../../plan/snapshot.ts';
import { kindOf, profileOf } from '../../spec/profiles.ts';
import type { PassContext } from '../context.ts';

/** When each batch was last looked at: a look that changed nothing is not journaled. */
export type LastLooks = Map<IntentId, Instant>;

export interface KnownLooks {
  /** In whatever way, by this process: what the pace goes by. */
  readonly last: LastLooks;
  /** By itself and not in a list, which may lag for hours; by any process that left word of it. */
  readonly alone: LastLooks;
}

export function noLooks(): KnownLooks {
  return { last: new Map(), alone: new Map() };
}

/**
 * A batch is looked at by itself at least once an hour, whatever a list says of it. Passes come every quarter of an hour
 * at the latest, so that what is owed after three of them is done within the hour.
 */
const ALONE_AFTER_MS = 2_700_000;

/**
 * Pure: whether the word of a list will not do. A create shows the batch by itself; of later looks nobody may have left
 * word, and then it is looked at. A look in the future is one by a clock that was wrong, and counts for nothing.
 */
export function isLookOwed(intent: IntentState, alone: LastLooks, now: Instant): boolean {
  const agoMs = epochMs(now) - epochMs(alone.get(intent.intent) ?? intent.at);
  return agoMs >= ALONE_AFTER_MS || agoMs < 0;
}

export function liveIntents(state: JournalState): IntentState[] {
  return Object.values(state.intents).filter((intent) => intent.phase === 'live');
}

/** When a batch that was last looked at then is due again. */
export function nextLook(ctx: PassContext, intent: IntentState, last: Instant): Instant {
  return lookAfter(intent, last, ctx.pacing, leastPauseMs(ctx, intent));
}

/**
 * A young batch is looked at often; one of ten hours every ten minutes; none more often than its provider allows. Pure.
 * @param leastMs the provider's minimum
 */
export function lookAfter(
  intent: IntentState,
  last: Instant,
  pacing: Pick<Pacing, 'pollMs' | 'mostPollMs'>,
  leastMs: number,
): Instant {
  const age = Math.max(0, epochMs(last) - epochMs(intent.batch?.createdAt ?? intent.at));
  const pause = Math.min(pacing.mostPollMs, Math.max(pacing.pollMs, age / 60));
  return new Date(epochMs(last) + Math.max(pause, leastMs)).toISOString() as Instant;
}

function leastPauseMs({ journal, settings }: PassContext, intent: IntentState): number {
  const provider = runState(journal.state, intent.job, intent.run)?.spec.model.provider ?? '';
  const emulator =
    Object.hasOwn(settings.providers, provider) && settings.providers[provider]?.emulator === true;
  return profileOf(kindOf(provider, settings), emulator).minPollMs;
}

/** The batches of a job that are under way, and when they are seen again. */
export interface JobLook {
  readonly job: JobName;
  /** The newest look; null where none is known here. */
  readonly lookedAt: Instant | null;
  /** When a reconciler that goes on running looks again; null with `lookedAt`. Any other pass looks at once. */
  readonly nextLook: Instant | null;
}

/** By job, in the order of their names. */
export function jobLooks(ctx: PassContext, looks: LastLooks): JobLook[] {
  const jobs = Map.groupBy(liveIntents(ctx.journal.state), ({ job }) => job);
  return [...jobs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([job, intents]) => {
      const known = intents.flatMap((intent) => {
        const last = looks.get(intent.intent);
        return last === undefined ? [] : [{ last, again: nextLook(ctx, intent, last) }];
      });
      const lookedAt =
        known
          .map(({ last }) => last)
          .sort()
          .at(-1) ?? null;
      const again = known.map((look) => look.again).sort()[0] ?? null;
      return { job, lookedAt, nextLook: again };
    });
}

/**
 * For `status` and the next pass, which are other processes. Beside the state and not in it: losing it costs a line of
 * text, and a look at each batch. So a pass that has done its work does not fail for a full disk here.
 */
export async function keepLooks(ctx: PassContext, { last, alone }: KnownLooks): Promise<void> {
  const live = liveIntents(ctx.journal.state);
  const path = looksPath(ctx);
  const temporary = temporaryBeside(path);
  const document = { last: looksOf(last, live), alone: looksOf(alone, live) };
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, `${JSON.stringify(document)}\n`);
    await rename(temporary, path);
  } catch (error) {
    if (!isNoRoom(error)) throw error;
    await rm(temporary, { force: true });
  }
}

function looksOf(looks: LastLooks, live: readonly IntentState[]): Record<string, Instant> {
  const known = live.flatMap(({ intent }) => {
    const at = looks.get(intent);
    return at === undefined ? [] : [[intent, at] as const];
  });
  return Object.fromEntries(known);
}

/** Empty where nobody has left any, or what is there makes no sense. */
export async function readLooks(ctx: PassContext): Promise<KnownLooks> {
  try {
    const read: unknown = JSON.parse((await readTextOrNull(looksPath(ctx))) ?? '{}');
    const { last, alone } = (read ?? {}) as Record<string, unknown>;
    return { last: lastLooks(last), alone: lastLooks(alone) };
  } catch {
    return noLooks();
  }
}

function lastLooks(read: unknown): LastLooks {
  const entries = Object.entries(read ?? {}).filter(
    (entry): entry is [IntentId, Instant] =>
      typeof entry[1] === 'string' && !Number.isNaN(Date.parse(entry[1])),
  );
  return new Map(entries);
}

function looksPath({ stateFolder }: PassContext): string {
  return join(stateFolder, '.work', 'looks.json');
}
