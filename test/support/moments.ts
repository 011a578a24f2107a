import { createHash, type Hash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Effect, withEffects } from '../../runner/effects.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { startEmulator } from '../../runner/emulator/server.ts';
import { messageOf } from '../../runner/errors.ts';
import { isCode } from '../../runner/files.ts';
import { testFolder } from './folder.ts';
import type { Machine } from './machine.ts';
import { type World, worldAt } from './world.ts';

/** What is lost. `machine`: everything that is not in git or the store as well. */
export type Loss = 'process' | 'machine';

/** What a process leaves that vanishes right before one of its effects: a copy of everything that outlives it. */
export interface Moment {
  /** How many effects it had before this one. */
  readonly at: number;
  readonly effect: Effect;
  /** Where each folder of the world stood, and the copy of what was in it. */
  readonly copies: readonly { readonly path: string; readonly copy: string }[];
}

/** Moments of a life. Of those that leave the very same files one stands for all: whoever goes on cannot tell them apart. */
export interface Remembered {
  readonly moments: readonly Moment[];
  /** How many effects were chosen, and how many the whole life had. */
  readonly chosen: number;
  readonly effects: number;
}

export interface Choice {
  readonly loss: Loss;
  /** True for an effect before which the work is to end. Absent: each. */
  readonly isChosen?: (effect: Effect, at: number) => boolean;
  /** Only each so-many-th of what is left: tests that share the work. `part` from 0. */
  readonly share?: { readonly part: number; readonly of: number };
}

/**
 * Lives once and keeps the chosen moments. A copy is what a lost process leaves, without any of its `finally`: it takes
 * a hundredth of the time of living up to there again. It is made between two statements, so nothing of this thread is
 * half done in it but what a crash would leave half done as well.
 */
export async function remember(
  w: World,
  live: () => Promise<unknown>,
  { loss, isChosen = () => true, share = { part: 0, of: 1 } }: Choice,
): Promise<Remembered> {
  const kept = await testFolder();
  const moments: Moment[] = [];
  const known = new Set<string>();
  let [chosen, effects] = [0, 0];
  await withEffects((effect) => {
    const at = effects;
    effects += 1;
    if (!isChosen(effect, at)) return;
    chosen += 1;
    const left = digestOfLeft(w, loss);
    if (known.has(left)) return;
    known.add(left);
    // By the place and not by how many were kept: another life may have a state more or less.
    if (at % share.of !== share.part) return;
    const copies = w.folders.map((path, nth) => ({ path, copy: join(kept, `${at}-${nth}`) }));
    for (const { path, copy } of copies) duplicate(path, copy);
    moments.push({ at, effect, copies });
  }, live);
  return { moments, chosen, effects };
}

/** Of the names and bytes of all files that the next process finds. */
function digestOfLeft({ root, folders, machine }: World, loss: Loss): string {
  const hash = createHash('sha1');
  for (const folder of folders) {
    const isThere = (path: string) => loss === 'process' || folder !== root || machine.keeps(path);
    addFiles(hash, folder, isThere);
  }
  return hash.digest('hex');
}

function addFiles(hash: Hash, folder: string, isThere: (path: string) => boolean): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) {
    const path = relative(folder, file);
    if (isThere(path)) hash.update(`\n${path}\n`).update(bytesOf(file));
  }
}

/** Another thread, or git, may remove a temporary file while we look. */
function bytesOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return new Uint8Array();
    throw error;
  }
}

/** Where a world was, and its settings with `EMULATOR` for an address. */
export interface Place {
  readonly files: Readonly<Record<string, string>>;
  readonly scenario: Scenario;
  readonly machine: Machine;
}

/** What `ends` throws where another process goes on after each moment, named by the effect before which it was lost. */
export async function failuresAt(
  moments: readonly Moment[],
  place: Place,
  ends: (w: World) => Promise<void>,
): Promise<string[]> {
  const failures: string[] = [];
  for (const moment of moments) {
    const w = await worldAfter(moment, place);
    const { at, effect } = moment;
    try {
      await ends(w);
    } catch (error) {
      failures.push(`${at} ${effect.name} ${effect.target}: ${messageOf(error)}`);
    } finally {
      await w.end();
    }
  }
  return failures;
}

/**
 * Another process, on what is left: everything stands where it stood, but the emulator, whose port is another one. The
 * world in which the moment was kept must have ended.
 */
export async function worldAfter(moment: Moment, { files, scenario, machine }: Place): Promise<World> {
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
  for (let tries = 1; ; tries += 1) {
    try {
      cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      return;
    } catch (error) {
      if (tries === 5 || !isCode(error, 'ENOENT')) throw error;
      rmSync(to, { recursive: true, force: true });
    }
  }
}
