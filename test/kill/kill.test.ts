import { describe, expect, it } from 'vitest';
import { expectSound } from '../support/invariants.ts';
import { killedAt } from '../support/kill.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const ROWS = TICKETS.slice(0, 5);
const KEYS = ROWS.map((row) => row.id);

/** Two shards, and one row whose first try fails: a life with every kind of effect. */
async function smallWorld(): Promise<World> {
  return world(repository('shard: { max_items: 3 }\n', ROWS), {
    rules: [{ on: 'line', batch: 1, line: 2, do: { status: 500 } }],
  });
}

/** Kills the work before its `at`-th effect; another process then finishes it. */
async function killOnce(at: number): Promise<{ readonly killed: boolean; readonly effect: string }> {
  const w = await smallWorld();
  const { result, effects } = await killedAt(at, () => w.finish());
  if (result === null) {
    await w.restart();
    await w.finish();
  }
  await expectSound(w, { keys: KEYS });
  return { killed: result === null, effect: effects.at(-1)?.name ?? 'none' };
}

describe('killed at every boundary', () => {
  it('counts', async () => {
    const w = await smallWorld();
    const t = Date.now();
    const { effects } = await killedAt(Number.POSITIVE_INFINITY, () => w.finish());
    console.log(effects.length, Date.now() - t);
    const kinds: Record<string, number> = {};
    for (const e of effects) kinds[e.name] = (kinds[e.name] ?? 0) + 1;
    console.log(kinds);
    await expectSound(w, { keys: KEYS });
  });
  it.each(Array.from({ length: 12 }, (_, index) => index * 25))('at %i', async (at) => {
    expect((await killOnce(at)).killed).toBe(true);
  });
});
