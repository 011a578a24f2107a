import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { openSession } from '../context.ts';
import { UserError } from '../errors.ts';
import { QUICK } from '../plan/snapshot.ts';
import { fleetJson } from '../report/json.ts';
import { rehearsalSummary } from '../report/rehearsal.ts';
import { loadRepository, type Repository } from '../spec/load.ts';
import type { Common } from './common.ts';
import { EXIT } from './common.ts';
import { logLine } from './log.ts';
import { nowInstant, runPasses, wallSleep } from './passes.ts';
import { rehearsalHome, rehearsalPlace } from './place.ts';
import { showPlan } from './plan.ts';
import { progressPrinter } from './progress.ts';
import { selected } from './session.ts';
import { onStopSignal } from './signals.ts';

export interface RehearseOptions extends Common {
  readonly jobs: readonly string[];
  /** Forget earlier rehearsals first. */
  readonly fresh: boolean;
}

/**
 * The real thing against the built-in emulator: the same passes, the official SDK, HTTP on loopback. State, reports
 * and sinks stand in `rehearsal/`, apart from real ones, and nothing of it is spend.
 */
export async function runRehearse(options: RehearseOptions): Promise<number> {
  const home = rehearsalHome(options.root);
  if (options.fresh) await rm(home, { recursive: true, force: true });
  const repository = await loadRepository(options.root, { now: nowInstant() });
  refuseBroken(repository);
  const only = selected(options.jobs, repository);
  const log = (text: string) => process.stderr.write(text);
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
    if (!options.json) await showPlan(await session.context(), options);
    const printer = progressPrinter({
      out: log,
      live: process.stderr.isTTY === true && !options.json,
      color: options.color,
    });
    const result = await runPasses({
      session,
      again: true,
      until: null,
      stopping: signal.stopping,
      sleep: wallSleep(signal.stopping),
      onPass: (fleet) => printer.show(fleet),
    });
    printer.end();
    const reports = result.fleet.jobs.map((job) => ({
      job: job.job,
      path: relative(options.root, join(home, 'state', job.job, 'README.md')),
    }));
    options.out(
      options.json
        ? `${JSON.stringify(fleetJson(result.fleet), null, 2)}\n`
        : rehearsalSummary(result.fleet, { color: options.color, reports, nothingToDo: result.done === 0 }),
    );
    return signal.stopping() ? EXIT.interrupted : EXIT.ok;
  } finally {
    await session.close();
  }
}

function refuseBroken(repository: Repository): void {
  const errors = repository.findings.filter((finding) => finding.level === 'error');
  if (errors.length > 0) throw new UserError(errors);
}
