import type { Effect } from '../../runner/effects.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { expectSound } from './invariants.ts';
import { killedAt } from './kill.ts';
import { repeatCreate } from './second.ts';
import { repository, TICKETS, type World, world } from './world.ts';

const ROWS = TICKETS.slice(0, 3);

/** Batches that end at once: both have answers before anybody can stop one. */
const LIFE: Scenario = {
  phases: { validating_ms: 0, running_ms: 0, running_ms_per_1000: 0, finalizing_ms: 0, cancelling_ms: 0 },
  rules: [{ on: 'create', nth: 1, do: { when: 'after_commit', reset: true } }],
};

/** Each call to the provider, and a part of what lies between them. */
export const ADOPTION = {
  stride: 9,
  everyOf: ({ name }: Effect) => name.startsWith('http'),
};

/** Two batches of one intent, of which the journal knows none. */
async function twoUnknown(): Promise<World> {
  const w = await world(repository('', ROWS), LIFE);
  await w.pass();
  await repeatCreate(w);
  w.emulator.clock.advance(1_000);
  return w;
}

export async function lifeEffects(): Promise<readonly Effect[]> {
  const w = await twoUnknown();
  const { effects } = await killedAt(Number.POSITIVE_INFINITY, () => w.finish());
  await sound(w);
  await w.end();
  return effects;
}

/** @returns what is not sound in the end, or null */
export async function livesOn(killedBefore: number): Promise<string | null> {
  const w = await twoUnknown();
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
