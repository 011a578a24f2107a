import { openSession } from '../context.ts';
import { userError } from '../errors.ts';
import { type Instant, later } from '../ids.ts';
import { PATIENT } from '../plan/snapshot.ts';
import { fleetJson } from '../report/json.ts';
import { fleetSummary } from '../report/terminal.ts';
import { durationMs } from '../spec/duration.ts';
import type { Common } from './common.ts';
import { EXIT } from './common.ts';
import { exitCode } from './exit-code.ts';
import { refuseVanishingStore } from './lasting-store.ts';
import { logLine } from './log.ts';
import { nowInstant, type PassesOptions, runPasses, wallSleep } from './passes.ts';
import { realPlace } from './place.ts';
import { progressPrinter } from './progress.ts';
import { selected, withContext } from './session.ts';
import { onStopSignal } from './signals.ts';

export interface ReconcileOptions extends Common {
  readonly jobs: readonly string[];
  readonly watch: boolean;
  /** `10m`; null: as `watch` says. */
  readonly wait: string | null;
  readonly strict: boolean;
  /** Commit and push the pages where something has happened. */
  readonly commit: boolean;
}

/** One pass, or pass after pass. A scheduled pass that did its work exits 0, whatever the jobs' state. */
export async function runReconcile(options: ReconcileOptions): Promise<number> {
  const only = await withContext(options, async (ctx) => {
    refuseVanishingStore(options.root, ctx.settings, process.env);
    return selected(options.jobs, ctx.repository);
  });
  const log = (text: string) => process.stderr.write(text);
  using signal = onStopSignal(log);
  const session = await openSession({
    ...realPlace(options.root),
    pacing: PATIENT,
    only,
    say: (entry) => log(logLine(entry, options.color)),
    stopping: signal.stopping,
  });
  const printer = progressPrinter({
    out: log,
    live: process.stderr.isTTY === true && !options.json,
    color: options.color,
  });
  try {
    const result = await runPasses({
      session,
      again: options.watch || options.wait !== null,
      until: deadline(options.wait),
      stopping: signal.stopping,
      sleep: wallSleep(signal.stopping),
      ...(options.commit ? { publish: pagesPublisher() } : {}),
      onPass: (fleet) => printer.show(fleet),
    });
    printer.end();
    options.out(
      options.json
        ? `${JSON.stringify(fleetJson(result.fleet), null, 2)}\n`
        : fleetSummary(result.fleet, { color: options.color }),
    );
    return signal.stopping() ? EXIT.interrupted : exitCode(result, { strict: options.strict, only });
  } finally {
    await session.close();
  }
}

/** The module reads git and may call the host: only where pages are to be committed. */
function pagesPublisher(): NonNullable<PassesOptions['publish']> {
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  return async (ctx, fleet) => {
    const { publishPages } = await import('../publish/pages.ts');
    return publishPages(ctx, fleet, { env: process.env, pause });
  };
}

function deadline(wait: string | null): Instant | null {
  if (wait === null) return null;
  try {
    return later(nowInstant(), durationMs(wait));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw userError('bad-duration', `--wait takes a duration such as 10m or 2h, not ${JSON.stringify(wait)}`);
  }
}
