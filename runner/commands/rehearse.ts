import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { openSession } from '../context.ts';
import type { JobName } from '../ids.ts';
import { QUICK } from '../plan/snapshot.ts';
import { fleetJson } from '../report/json.ts';
import { rehearsalSummary } from '../report/rehearsal.ts';
import type { FleetReport } from '../report/report.ts';
import { loadRepository } from '../spec/load.ts';
import type { Common } from './common.ts';
import { EXIT } from './common.ts';
import { hasDamage, isNoRoomRest } from './exit-code.ts';
import { logLine } from './log.ts';
import { nowInstant, type PassesResult, runPasses, wallSleep } from './passes.ts';
import { rehearsalHome, rehearsalPlace } from './place.ts';
import { showPlan, tellErrors } from './plan.ts';
import { progressPrinter } from './progress.ts';
import { selected } from './session.ts';
import { onStopSignal } from './signals.ts';

export interface RehearseOptions extends Common {
  readonly jobs: readonly string[];
  /** Forget earlier rehearsals first. */
  readonly fresh: boolean;
  /** Standard error by default. */
  readonly err?: (text: string) => void;
}

/**
 * The real thing against the built-in emulator: the same passes, the official SDK, HTTP on loopback. State, reports
 * and sinks stand in `rehearsal/`, apart from real ones, and nothing of it is spend. What cannot be read as a job is
 * told on standard error and makes the exit code 1; the others are rehearsed all the same.
 */
export async function runRehearse(options: RehearseOptions): Promise<number> {
  const home = rehearsalHome(options.root);
  if (options.fresh) await rm(home, { recursive: true, force: true });
  const log = options.err ?? ((text: string) => process.stderr.write(text));
  const repository = await loadRepository(options.root, { now: nowInstant() });
  const only = selected(options.jobs, repository);
  const isWhole = tellErrors(repository, log);
  using signal = onStopSignal(log);
  const { startEmulator } = await import('../emulator/server.ts');
  await using emulator = await startEmulator({ dir: join(home, 'emulator') });
  const session = await openSession({
    ...rehearsalPlace(options.root, emulator.url),
    pacing: QUICK,
    only,
    say: (entry) => log(logLine(entry, options.color)),
    stopping: signal.stopping,
  });
  try {
    if (!options.json) await showPlan(await session.context(), { ...options, command: null });
    const printer = progressPrinter({
      out: log,
      live: process.stderr.isTTY === true && !options.json,
      color: options.color,
    });
    // A pass a second would try what a full disk does not take for ever.
    let isFull = false;
    const result = await runPasses({
      session,
      again: true,
      until: null,
      stopping: () => signal.stopping() || isFull,
      sleep: wallSleep(signal.stopping),
      onPass(fleet, rests) {
        printer.show(chosen(fleet, only));
        isFull = rests.some(isNoRoomRest);
      },
    });
    printer.end();
    tellEnd(options, result, chosen(result.fleet, only), signal.stopping());
    if (signal.stopping()) return EXIT.interrupted;
    return exitCode({ ...result, fleet: chosen(result.fleet, only) }, isWhole);
  } finally {
    await session.close();
  }
}

/** Whatever became of the jobs, a rehearsal that was lived to its end is good; a full disk ends one, and damaged files. */
function exitCode({ fleet, rests }: PassesResult, isWhole: boolean): number {
  if (hasDamage(fleet.jobs, null)) return EXIT.stateConflict;
  return isWhole && !rests.some(isNoRoomRest) ? EXIT.ok : EXIT.error;
}

/** Batches of other jobs are collected too, as in a real pass; what was not asked for is not shown. */
function chosen(fleet: FleetReport, only: ReadonlySet<JobName> | null): FleetReport {
  return only === null ? fleet : { ...fleet, jobs: fleet.jobs.filter(({ job }) => only.has(job)) };
}

function tellEnd(
  options: RehearseOptions,
  { rests, done }: PassesResult,
  fleet: FleetReport,
  interrupted: boolean,
): void {
  const home = relative(options.root, rehearsalHome(options.root));
  options.out(
    options.json
      ? `${JSON.stringify(fleetJson(fleet), null, 2)}\n`
      : rehearsalSummary(fleet, {
          color: options.color,
          reports: fleet.jobs.map(({ job, run }) => ({
            job,
            path: join(home, 'state', job, 'README.md'),
            // A page names them as the job does; here they stand in a folder of their own.
            sinks: (run?.sinks ?? []).map(({ path }) => join(home, path)),
          })),
          rests,
          done,
          // Not with --fresh: that would begin anew.
          command: ['batchwright rehearse', ...options.jobs].join(' '),
          interrupted,
        }),
  );
}
