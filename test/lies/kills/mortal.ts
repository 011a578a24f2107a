import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MINUTE } from '../../fake/clock.ts';
import type { Moment } from '../../fake/server.ts';
import type { Schedule } from '../schedule.ts';
import { type Place, startPlace, type Walk, walkOn } from '../walk.ts';

/** Where a process gets its SIGKILL: at a moment of a call, or before one of its changes of files (from 1). */
export type Death = { readonly call: number; readonly stage: Moment['stage'] } | { readonly file: number };

/** One or two processes that begin together; `death` is that of the first, or of both. */
export interface Round {
  readonly deaths: readonly Death[];
  /** Until the next round. */
  readonly pauseMinutes: number;
}

/** A schedule, and what befalls the processes that go through it. */
export interface MortalLife {
  readonly schedule: Schedule;
  readonly rounds: readonly Round[];
}

const CLI = join(import.meta.dirname, '../../../runner/cli.ts');
const PRELOADED = pathToFileURL(join(import.meta.dirname, '../../support/mortal-process.ts')).href;
const TIME_OUT_MS = 120_000;

/** What a life came to: how many were killed, what those that were not have said, and how it ended. */
export interface Lived {
  readonly kills: number;
  readonly failures: readonly string[];
  readonly walk: Walk;
}

/** Lets real processes go through a schedule and kills them; then one that nobody kills goes on to the end. */
export async function liveAndDie({ schedule, rounds }: MortalLife, cache: string): Promise<Lived> {
  const watchers = new Set<(moment: Moment) => void>();
  const place = await startPlace(schedule, {
    watch: (moment) => {
      for (const watch of watchers) watch(moment);
    },
  });
  let kills = 0;
  const failures: string[] = [];
  for (const { deaths, pauseMinutes } of rounds) {
    const ends = await Promise.all(deaths.map((death) => runOnce(place, death, watchers, cache)));
    kills += ends.filter((end) => end === 'killed').length;
    failures.push(...ends.filter((end) => end !== 'killed' && end !== 'well'));
    place.fake.clock.advance(pauseMinutes * MINUTE);
  }
  return { kills, failures, walk: await walkOn(place, schedule) };
}

/** `killed`, `well`, or what went wrong. */
async function runOnce(
  { fake, root }: Place,
  death: Death,
  watchers: Set<(moment: Moment) => void>,
  cache: string,
): Promise<string> {
  const child = spawn(process.execPath, ['--import', PRELOADED, CLI, 'reconcile', '--root', root], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: TIME_OUT_MS,
    env: {
      PATH: process.env.PATH,
      HOME: '/nowhere',
      NODE_COMPILE_CACHE: cache,
      TEST_KEY: 'key',
      TEST_CLOCK: String(fake.clock.now()),
      ...('file' in death ? { TEST_KILL_AT: String(death.file) } : {}),
    },
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  let calls = 0;
  const watch = (moment: Moment) => {
    if (!('call' in death) || moment.stage !== death.stage) return;
    calls += 1;
    if (calls === death.call) child.kill('SIGKILL');
  };
  watchers.add(watch);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (code, signal) => resolve([code, signal])),
  );
  watchers.delete(watch);
  if (signal === 'SIGKILL') return 'killed';
  return code === 0 ? 'well' : `exit code ${code}, signal ${signal}: ${said}`;
}
