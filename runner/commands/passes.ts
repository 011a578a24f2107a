import type { Session } from '../context.ts';
import { epochMs, type Instant, instantOf, later } from '../ids.ts';
import type { Rest } from '../plan/action.ts';
import { isOpen } from '../plan/spend.ts';
import type { PassContext } from '../reconcile/context.ts';
import { describeFleet, publishReports } from '../reconcile/describe/publish.ts';
import { newMemory, type PassMemory } from '../reconcile/memory.ts';
import { reconcileOnce } from '../reconcile/pass.ts';
import { isQuiet, writePassNote } from '../reconcile/pass-note.ts';
import { keepLooks, liveIntents, nextLook, readLooks } from '../reconcile/poll/looks.ts';
import type { FleetReport } from '../report/report.ts';

export interface PassesOptions {
  readonly session: Session;
  /** Pass after pass until nothing is under way; false: one pass. */
  readonly again: boolean;
  /** No new pass after this time. */
  readonly until: Instant | null;
  /** Where nothing but time can bring news: no look at git in between. Absent: as often as the pacing says. */
  readonly mostPauseMs?: number;
  stopping(): boolean;
  sleep(ms: number): Promise<void>;
  /** Commits the pages of a pass; false where that was refused. */
  publish?(ctx: PassContext, fleet: FleetReport): Promise<boolean>;
  /** After each pass. */
  onPass(fleet: FleetReport, rests: readonly Rest[]): void;
}

export interface PassesResult {
  readonly fleet: FleetReport;
  readonly rests: readonly Rest[];
  /** Report files that changed, over all passes. */
  readonly changed: readonly string[];
  /** Actions carried out, over all passes. */
  readonly done: number;
  /** Whether the last pass's pages are where they should be. */
  readonly published: boolean;
}

/** Runs passes, each on git as it is then, and writes the reports after each. */
export async function runPasses(options: PassesOptions): Promise<PassesResult> {
  let memory: PassMemory | null = null;
  const changed = new Set<string>();
  let done = 0;
  let idle = 0;
  // What an earlier process has left uncommitted is owed as well.
  let published = false;
  for (;;) {
    const ctx = await options.session.context();
    memory ??= await memoryOf(ctx);
    const before = ctx.journal.state.seq;
    const result = await reconcileOnce(ctx, memory);
    await keepLooks(ctx, memory.looks);
    const fleet = await describeFleet(ctx, result.rests);
    const pages = await publishReports(ctx, fleet);
    const note = await writePassNote(ctx, result.rests);
    if (note !== null) pages.push(note);
    for (const path of pages) changed.add(path);
    // Each asks the remote where its branch is: a look that changed no page need not.
    if (pages.length > 0 || !published) published = (await options.publish?.(ctx, fleet)) ?? true;
    done += result.done;
    options.onPass(fleet, result.rests);
    const moved = ctx.journal.state.seq > before;
    if (
      !options.again ||
      options.stopping() ||
      isOver(ctx, options.until) ||
      (!moved && isQuiet(ctx.journal.state, result.rests))
    ) {
      return { fleet, rests: result.rests, changed: [...changed].sort(), done, published };
    }
    idle = moved ? 0 : idle + 1;
    await options.sleep(idle === 0 ? 0 : pauseMs(ctx, memory, result.rests, idle, options.mostPauseMs));
  }
}

/** Whoever passed here before has left word of looks at single batches; how often it looked is its own business. */
async function memoryOf(ctx: PassContext): Promise<PassMemory> {
  const fresh = newMemory();
  return { ...fresh, looks: { ...fresh.looks, alone: (await readLooks(ctx)).alone } };
}

function isOver(ctx: PassContext, until: Instant | null): boolean {
  return until !== null && ctx.now() >= until;
}

/** Until the first batch or job is due. @param idle so many passes in a row have moved nothing */
function pauseMs(
  ctx: PassContext,
  memory: PassMemory,
  rests: readonly Rest[],
  idle: number,
  mostMs = ctx.pacing.mostPollMs,
): number {
  const looks = liveIntents(ctx.journal.state).map((intent) =>
    nextLook(ctx, intent, memory.looks.last.get(intent.intent) ?? ctx.now()),
  );
  const times = rests.flatMap(({ until }) => until ?? []);
  const now = ctx.now();
  // A server that is not there gets room, as one does that fails rows.
  const soon = later(now, Math.min(mostMs, ctx.pacing.pollMs * 2 ** Math.min(idle - 1, 20)));
  // What was due was tried by this very pass, and came to nothing.
  const wasTried = times.some((time) => time <= now);
  const untimed = wasTried || (looks.length === 0 && hasUntimed(ctx, rests)) ? [soon] : [];
  const due = [...looks, ...times.filter((time) => time > now), ...untimed].sort()[0] ?? soon;
  return Math.min(mostMs, Math.max(MIN_PAUSE_MS, epochMs(due) - epochMs(now)));
}

/** True where something waits for nobody knows what. */
function hasUntimed({ journal }: PassContext, rests: readonly Rest[]): boolean {
  const isUntimed = rests.some(({ kind, until }) => kind === 'waiting' && until === undefined);
  return isUntimed || Object.values(journal.state.intents).some(isOpen);
}

const MIN_PAUSE_MS = 50;

/** Sleeps by the wall clock in short steps: a laptop that slept wakes up to what is due, and a signal ends it. */
export function wallSleep(stopping: () => boolean): (ms: number) => Promise<void> {
  return async (ms) => {
    const end = Date.now() + ms;
    while (Date.now() < end && !stopping()) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(STEP_MS, end - Date.now())));
    }
  };
}

const STEP_MS = 500;

export function nowInstant(): Instant {
  return instantOf(Date.now());
}
