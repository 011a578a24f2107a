import { describe, expect, it } from 'vitest';
import type { Effect } from '../../runner/effects.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { expectSound } from '../support/invariants.ts';
import { killedAt } from '../support/kill.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const ROWS = TICKETS.slice(0, 5);
const KEYS = ROWS.map((row) => row.id);

/** Two shards, and one row whose first try fails: a life with every kind of effect, in as few passes as it can have. */
const LIFE: Scenario = {
  phases: { validating_ms: 0, running_ms: 0, running_ms_per_1000: 0, finalizing_ms: 0, cancelling_ms: 0 },
  rules: [{ on: 'line', batch: 1, line: 2, do: { status: 500 } }],
};

function smallWorld(): Promise<World> {
  return world(repository('shard: { max_items: 3 }\n', ROWS), LIFE);
}

/** The effects of an undisturbed life, in order. */
async function effectsOfLife(): Promise<readonly Effect[]> {
  const w = await smallWorld();
  const { effects } = await killedAt(Number.POSITIVE_INFINITY, () => w.finish());
  await expectSound(w, { keys: KEYS });
  return effects;
}

/** Kills one process after the other, each before the given effect of its own; the last one is left to finish. */
async function killAndFinish(points: readonly number[]): Promise<void> {
  const w = await smallWorld();
  for (const at of points) {
    const { result } = await killedAt(at, () => w.finish());
    if (result !== null) break;
    await w.restart();
  }
  await w.finish();
  await expectSound(w, { keys: KEYS });
}

describe('a process that is killed before any of its effects is finished by the next one', () => {
  it('at each in turn', { timeout: 600_000 }, async () => {
    const effects = await effectsOfLife();
    const failures: string[] = [];
    for (const [at, effect] of effects.entries()) {
      await killAndFinish([at]).catch((error: Error) =>
        failures.push(`${at} ${effect.name} ${effect.target}: ${error.message}`),
      );
    }
    expect(effects.length).toBeGreaterThan(100);
    expect(failures).toEqual([]);
  });

  it('twice in a row around each call that is paid for', { timeout: 600_000 }, async () => {
    const effects = await effectsOfLife();
    const paid = [...effects.entries()]
      .filter(([, effect]) => effect.target.startsWith('create '))
      .map(([at]) => at);
    expect(paid.length).toBe(6);
    const failures: string[] = [];
    for (const first of paid) {
      for (const second of [0, 5, 12, 20]) {
        await killAndFinish([first, second]).catch((error: Error) =>
          failures.push(`${first}, ${second}: ${error.message}`),
        );
      }
    }
    expect(failures).toEqual([]);
  });
});
