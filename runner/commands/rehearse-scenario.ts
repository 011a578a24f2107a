import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSession } from '../context.ts';
import type { Scenario } from '../emulator/scenario.ts';
import type { Emulator } from '../emulator/server.ts';
import { epochMs, type Instant, instantOf, type JobName, later } from '../ids.ts';
import type { Rest } from '../plan/action.ts';
import { PATIENT } from '../plan/snapshot.ts';
import type { FleetReport } from '../report/report.ts';
import { scenariosJson } from '../report/scenario-json.ts';
import { scenarioTerminal } from '../report/scenario-terminal.ts';
import type { Charged, ScenarioView } from '../report/scenario-view.ts';
import { loadRepository } from '../spec/load.ts';
import { type Common, EXIT } from './common.ts';
import { nowInstant, runPasses } from './passes.ts';
import { rehearsalHome, rehearsalPlace } from './place.ts';
import { tellErrors } from './plan.ts';
import { scenarioNamed, shippedScenarios } from './scenarios.ts';
import { selected } from './session.ts';
import { onStopSignal } from './signals.ts';

export interface ScenariosOptions extends Common {
  readonly jobs: readonly string[];
  /** `all`: the whole set that comes with the program. */
  readonly scenarios: readonly string[];
  readonly err?: (text: string) => void;
}

/** A batch may hang for days; what is not over by then will not be over by itself. */
const LONGEST_MS = 14 * 86_400_000;

/**
 * Lives whole jobs through bad days, each from the beginning, in a folder of its own. Time is the emulator's and jumps
 * from look to look, so that three days take seconds. Exits 1 where one is not over after fourteen days.
 */
export async function runScenarios(options: ScenariosOptions): Promise<number> {
  const log = options.err ?? ((text: string) => process.stderr.write(text));
  const repository = await loadRepository(options.root, { now: nowInstant() });
  const only = selected(options.jobs, repository);
  const isWhole = tellErrors(repository, log);
  const names = options.scenarios.includes('all') ? await shippedScenarios() : options.scenarios;
  const scenarios = await Promise.all(
    names.map(async (name) => ({ name, scenario: await scenarioNamed(options.root, name) })),
  );
  using signal = onStopSignal(log);
  const views: ScenarioView[] = [];
  for (const { name, scenario } of scenarios) {
    if (signal.stopping()) return EXIT.interrupted;
    const view = await lived(options, name, scenario, only, signal.stopping);
    views.push(view);
    if (!options.json) options.out(scenarioTerminal(view, { color: options.color }));
  }
  if (options.json) options.out(`${JSON.stringify(scenariosJson(views), null, 2)}\n`);
  return isWhole && views.every(({ ended }) => ended) ? EXIT.ok : EXIT.error;
}

async function lived(
  options: ScenariosOptions,
  name: string,
  scenario: Scenario,
  only: ReadonlySet<JobName> | null,
  stopping: () => boolean,
): Promise<ScenarioView> {
  const home = join(rehearsalHome(options.root), 'scenarios', name.replaceAll(/[^\w-]/g, '_'));
  await rm(home, { recursive: true, force: true });
  const { startEmulator } = await import('../emulator/server.ts');
  const start = Date.now();
  await using emulator = await startEmulator({
    dir: join(home, 'emulator'),
    scenario,
    clock: { mode: 'manual', at: start },
  });
  const timeline: ScenarioView['timeline'][number][] = [];
  const session = await openSession({
    ...rehearsalPlace(options.root, emulator.url),
    stateFolder: join(home, 'state'),
    sinkRoot: home,
    pacing: PATIENT,
    only,
    now: () => instantOf(emulator.clock.now()),
    say: ({ level, text }) => timeline.push({ afterMs: emulator.clock.now() - start, level, text }),
    stopping,
  });
  try {
    const until = later(instantOf(start), LONGEST_MS);
    const passes = () =>
      runPasses({
        session,
        again: true,
        until,
        stopping,
        sleep: async (ms) => emulator.clock.advance(Math.max(ms, SHORTEST_MS)),
        mostPauseMs: PATIENT.mostProbeMs,
        onPass: () => {},
      });
    let { fleet, rests } = await passes();
    // A schedule goes on where one call of `reconcile --watch` would end; a day of refusals is no news any more.
    const patience = later(instantOf(emulator.clock.now()), PATIENT.stalledAfterMs);
    for (let due = findPauseEnd(rests); due !== null && due < patience; due = findPauseEnd(rests)) {
      if (stopping()) break;
      emulator.clock.advance(Math.max(epochMs(due) - emulator.clock.now(), SHORTEST_MS));
      ({ fleet, rests } = await passes());
    }
    const jobs = fleet.jobs.filter(({ job }) => only === null || only.has(job));
    return {
      name,
      about: scenario.about?.trim() ?? null,
      timeline,
      tookMs: emulator.clock.now() - start,
      ended: instantOf(emulator.clock.now()) < until,
      jobs,
      charged: await chargedBy(emulator, { ...fleet, jobs }),
    };
  } finally {
    await session.close();
  }
}

/** The account may not spend: when it is asked again. Null: no job waits for that. */
function findPauseEnd(rests: readonly Rest[]): Instant | null {
  const paused = rests.filter(({ reason }) => reason === 'AccountPaused');
  return paused.flatMap(({ until }) => until ?? []).sort()[0] ?? null;
}

/** Real passes take a second or more, and the emulator's work goes on meanwhile. */
const SHORTEST_MS = 1_000;

async function chargedBy(emulator: Emulator, fleet: FleetReport): Promise<Charged> {
  const sum = { requests: 0, inputTokens: 0, outputTokens: 0 };
  const bodies = new Map<string, number>();
  for await (const entry of emulator.ledger()) {
    if (entry.kind !== 'request' || !entry.charged) continue;
    sum.requests += 1;
    sum.inputTokens += entry.input_tokens;
    sum.outputTokens += entry.output_tokens;
    bodies.set(entry.body_hash, (bodies.get(entry.body_hash) ?? 0) + 1);
  }
  const runs = fleet.jobs.flatMap(({ run }) => (run === null ? [] : [run]));
  return {
    ...sum,
    again: [...bodies.values()].filter((times) => times > 1).length,
    settledInputTokens: runs.reduce((total, { money }) => total + money.settledInputTokens, 0),
    settledOutputTokens: runs.reduce((total, { money }) => total + money.settledOutputTokens, 0),
  };
}
