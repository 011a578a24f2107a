import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { type Emulator, startEmulator } from '../../runner/emulator/server.ts';
import { instantOf } from '../../runner/ids.ts';
import { openJournal } from '../../runner/journal/journal.ts';
import type { JournalState } from '../../runner/journal/state.ts';
import { isOpen } from '../../runner/plan/spend.ts';
import { localStore } from '../../runner/store/local.ts';
import { testFolder } from './folder.ts';
import { type KillingProxy, type Moment, startKillingProxy } from './killing-proxy.ts';
import { LIFE, lifeFiles } from './life.ts';
import { type World, worldAt } from './world.ts';

/** Where a process gets its SIGKILL: around one of its calls, or before one of its changes of files (from 1). */
export type Death = Moment | { readonly file: number };

export interface MortalLife {
  readonly world: World;
  /** Deaths whose moment came; a process may be done before. */
  readonly kills: number;
}

const CLI = join(import.meta.dirname, '../../runner/cli.ts');
const PRELOADED = pathToFileURL(join(import.meta.dirname, 'mortal-process.ts')).href;

/** More than any death delays an end: an intent without a batch takes six looks. */
const MOST_PROCESSES = 40;

/** The clock between two processes, as of a schedule: by then whatever waits for a time may go on. */
const HOUR_MS = 3_600_000;

/**
 * Runs `batchwright reconcile` as real processes, one pass each and an hour apart, with a death for each of the first,
 * until nothing is under way.
 */
export async function liveWithDeaths(deaths: readonly Death[]): Promise<MortalLife> {
  const emulator = await startEmulator({ clock: { mode: 'manual' }, scenario: LIFE });
  try {
    return await liveAt(emulator, deaths);
  } catch (error) {
    await emulator.close();
    throw error;
  }
}

async function liveAt(emulator: Emulator, deaths: readonly Death[]): Promise<MortalLife> {
  const root = await testFolder();
  await using proxy = await startKillingProxy(emulator.port);
  await writeFiles(root, lifeFiles(), proxy.url);
  let kills = 0;
  let before = -1;
  for (let processes = 1; processes <= MOST_PROCESSES; processes += 1) {
    const isKilled = await onePass(root, emulator, proxy, deaths[processes - 1] ?? null);
    kills += isKilled ? 1 : 0;
    emulator.clock.advance(HOUR_MS);
    const state = await journalAt(root);
    const isDone = !isKilled && state.seq === before && !Object.values(state.intents).some(isOpen);
    if (isDone) return { world: await worldAt(root, emulator), kills };
    before = state.seq;
  }
  throw new Error(`still not done after ${MOST_PROCESSES} processes`);
}

/** True where the process was killed. @throws where it ended in another way than well. */
async function onePass(
  root: string,
  emulator: Emulator,
  proxy: KillingProxy,
  death: Death | null,
): Promise<boolean> {
  const child = execa(process.execPath, ['--import', PRELOADED, CLI, 'reconcile', '--root', root], {
    env: {
      TEST_KEY: 'key',
      TEST_CLOCK: String(emulator.clock.now()),
      ...(death !== null && 'file' in death ? { TEST_KILL_AT: String(death.file) } : {}),
    },
    reject: false,
    timeout: 60_000,
  });
  proxy.arm(death !== null && 'call' in death ? death : null, () => child.kill('SIGKILL'));
  const result = await child;
  if (result.signal === 'SIGKILL' && !result.timedOut) return true;
  if (result.exitCode !== 0) throw new Error(`exit code ${result.exitCode}: ${result.stderr}`);
  return false;
}

function journalAt(root: string): Promise<JournalState> {
  const writer = { writer: 'test', commit: null, now: () => instantOf(0), nonce: () => 'none' };
  return openJournal(localStore(join(root, 'state')), writer).refresh();
}

async function writeFiles(root: string, files: Readonly<Record<string, string>>, url: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text.replaceAll('EMULATOR', url));
  }
}
