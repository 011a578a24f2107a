import { expect } from 'vitest';
import { explained } from '../../runner/commands/run.ts';
import { type Effect, withEffects } from '../../runner/effects.ts';
import { NO_ROOM } from '../../runner/reconcile/faults.ts';
import type { World } from './world.ts';

/** As Node throws it where a disk is full; a write to an open file does not say which. */
export function noRoom(): NodeJS.ErrnoException {
  return Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    errno: -28,
    syscall: 'write',
  });
}

/** Effects that take room on a disk, and such as a disk may refuse with them. */
export function takesRoom({ name }: Effect): boolean {
  return ON_DISK.has(name);
}

const ON_DISK = new Set([
  'file.write',
  'file.sync',
  'file.rename',
  'file.link',
  'folder.sync',
  'store.put',
  'sink.write',
  'duck.open',
]);

function canDoWithout({ name, target }: Effect): boolean {
  return name === 'duck.open' || target.includes('journal/snapshot-');
}

/** What a pass came to whose disk said no: nothing, words for a person, or a job that is held back. */
export type Passed = 'undisturbed' | 'held' | 'ended';

/**
 * One pass with its pages, as the command line would end it; a process that ended is followed by another. Whatever
 * happens, no stack is shown, and a full disk is called one.
 */
export async function passOn(w: World, refuse: (effect: Effect) => boolean): Promise<Passed> {
  const refused: Effect[] = [];
  const disk = (effect: Effect) => {
    if (!takesRoom(effect) || !refuse(effect)) return;
    refused.push(effect);
    throw noRoom();
  };
  try {
    const { rests } = await withEffects(disk, () => w.pass());
    if (rests.some(({ reason }) => reason === NO_ROOM)) return 'held';
    // Nothing that matters was refused: a ledger lives in memory as well, and without a snapshot the segments are read.
    expect(refused.filter((effect) => !canDoWithout(effect))).toEqual([]);
    return 'undisturbed';
  } catch (error) {
    const { code, text } = await explained(error);
    expect(text).toMatch(/^There is no room left on the disk: ENOSPC/);
    expect(text).toContain('Make room');
    expect(code).toBe(1);
    expect(refused).not.toEqual([]);
    await w.restart();
    return 'ended';
  }
}
