import { expect, it } from 'vitest';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { expectSound } from './invariants.ts';
import { FOLDER } from './machine.ts';
import { failuresAt, remember } from './moments.ts';
import { TICKETS, type World, world } from './world.ts';

const ROWS = TICKETS.slice(0, 3);
export const ADOPTION_ROWS: readonly object[] = ROWS;

/** Batches that end at once: both have answers before anybody can stop one. */
const WELL: Scenario = {
  phases: { validating_ms: 0, running_ms: 0, running_ms_per_1000: 0, finalizing_ms: 0, cancelling_ms: 0 },
};

const LOST_CREATE: Scenario = {
  ...WELL,
  rules: [{ on: 'create', nth: 1, do: { when: 'after_commit', reset: true } }],
};

/** The way in which the answer of a create was lost. */
export interface LostCreate {
  readonly files: Readonly<Record<string, string>>;
  /** The create once more, as a proxy repeats it. */
  readonly repeat: (w: World) => Promise<unknown>;
  /** Until somebody may judge it. */
  readonly waitMs: number;
}

/** Calls to the provider each in turn, and every so many of the effects between them. */
const STRIDE = 7;

/**
 * A test that ends the process before the effects of finding two batches of one intent, of which the journal knows
 * none, and of collecting both; another process finishes.
 */
export function killAdoption(lost: LostCreate): void {
  it('a process lost while it adopts two batches of one intent is made good by the next one', {
    timeout: 600_000,
  }, async () => {
    const w = await twoUnknown(lost);
    const { moments, effects } = await remember(w, () => w.finish(), {
      loss: 'process',
      isChosen: ({ name }, at) => at % STRIDE === 0 || name.startsWith('http'),
    });
    await sound(w);
    await w.end();
    expect(effects).toBeGreaterThan(100);
    const failures = await failuresAt(
      moments,
      { files: lost.files, scenario: WELL, machine: FOLDER },
      async (next) => {
        await next.finish();
        await sound(next);
      },
    );
    expect(failures).toEqual([]);
  });
}

async function twoUnknown({ files, repeat, waitMs }: LostCreate): Promise<World> {
  const w = await world(files, LOST_CREATE);
  await w.pass();
  await repeat(w);
  w.emulator.clock.advance(waitMs);
  return w;
}

function sound(w: World): Promise<void> {
  return expectSound(w, { keys: ROWS.map(({ id }) => id), twice: ROWS.length });
}
