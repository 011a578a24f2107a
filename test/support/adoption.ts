import { expect, it } from 'vitest';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { expectSound } from './invariants.ts';
import { killedAt } from './kill.ts';
import { TICKETS, type World, world } from './world.ts';

const ROWS = TICKETS.slice(0, 3);
export const ADOPTION_ROWS: readonly object[] = ROWS;

/** Batches that end at once: both have answers before anybody can stop one. */
const LIFE: Scenario = {
  phases: { validating_ms: 0, running_ms: 0, running_ms_per_1000: 0, finalizing_ms: 0, cancelling_ms: 0 },
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
const STRIDE = 15;

/**
 * A test that ends the process before the effects of finding two batches of one intent, of which the journal knows
 * none, and of collecting both; another process finishes.
 */
export function killAdoption(lost: LostCreate): void {
  it('a process lost while it adopts two batches of one intent is made good by the next one', {
    timeout: 600_000,
  }, async () => {
    const undisturbed = await twoUnknown(lost);
    const { effects } = await killedAt(Number.POSITIVE_INFINITY, () => undisturbed.finish());
    await sound(undisturbed);
    await undisturbed.end();
    expect(effects.length).toBeGreaterThan(100);
    const failures: string[] = [];
    for (const [at, effect] of effects.entries()) {
      if (at % STRIDE !== 0 && !effect.name.startsWith('http')) continue;
      const failure = await livesOn(lost, at);
      if (failure !== null) failures.push(`${at} ${effect.name} ${effect.target}: ${failure}`);
    }
    expect(failures).toEqual([]);
  });
}

async function twoUnknown({ files, repeat, waitMs }: LostCreate): Promise<World> {
  const w = await world(files, LIFE);
  await w.pass();
  await repeat(w);
  w.emulator.clock.advance(waitMs);
  return w;
}

/** @returns what is not sound in the end, or null */
async function livesOn(lost: LostCreate, killedBefore: number): Promise<string | null> {
  const w = await twoUnknown(lost);
  try {
    await killedAt(killedBefore, () => w.finish());
    await w.restart();
    await w.finish();
    await sound(w);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await w.end();
  }
}

function sound(w: World): Promise<void> {
  return expectSound(w, { keys: ROWS.map(({ id }) => id), twice: ROWS.length });
}
