import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Effect, withEffects } from '../../runner/effects.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { startEmulator } from '../../runner/emulator/server.ts';
import { testFolder } from './folder.ts';
import type { Machine } from './machine.ts';
import { type World, worldAt } from './world.ts';

/** What a process leaves that vanishes right before one of its effects: a copy of everything that outlives it. */
export interface Moment {
  /** How many effects it had before this one. */
  readonly at: number;
  readonly effect: Effect;
  /** Where each folder of the world stood, and the copy of what was in it. */
  readonly copies: readonly { readonly path: string; readonly copy: string }[];
}

/** Moments of a life, and how many effects it had in all. */
export interface Remembered {
  readonly moments: readonly Moment[];
  readonly effects: number;
}

/**
 * Lives once and keeps the chosen moments. A copy is what a lost process leaves, without any of its `finally`: it takes
 * a hundredth of the time of living up to there again. It is made between two statements, so nothing of this thread is
 * half done in it but what a crash would leave half done as well.
 */
export async function remember(
  w: World,
  live: () => Promise<unknown>,
  isChosen: (at: number, effect: Effect) => boolean,
): Promise<Remembered> {
  const kept = await testFolder();
  const moments: Moment[] = [];
  let at = 0;
  await withEffects((effect) => {
    if (isChosen(at, effect)) {
      const copies = w.folders.map((path, nth) => ({ path, copy: join(kept, `${at}-${nth}`) }));
      for (const { path, copy } of copies) duplicate(path, copy);
      moments.push({ at, effect, copies });
    }
    at += 1;
  }, live);
  return { moments, effects: at };
}

/**
 * Another process, on what is left: everything stands where it stood, but the emulator, whose port is another one. The
 * world in which the moment was kept must have ended.
 * @param files with `EMULATOR` in the settings, for its address
 */
export async function worldAfter(
  moment: Moment,
  files: Readonly<Record<string, string>>,
  scenario: Scenario,
  machine: Machine,
): Promise<World> {
  for (const { path, copy } of moment.copies) {
    rmSync(path, { recursive: true, force: true });
    duplicate(copy, path);
  }
  const [root, dir] = moment.copies.map(({ path }) => path);
  if (root === undefined || dir === undefined) throw new Error('a world has a root and an emulator');
  const w = await worldAt(root, await startEmulator({ dir, clock: { mode: 'manual' }, scenario }), machine);
  await w.write({ 'batchwright.yaml': files['batchwright.yaml'] ?? '' });
  return w;
}

function duplicate(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}
