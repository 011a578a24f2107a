import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expectSound } from '../support/invariants.ts';
import { KEYS } from '../support/life.ts';
import { type Death, liveWithDeaths } from '../support/mortal-life.ts';

/**
 * `KILL_RUNS=100 npx vitest run test/kill/real` lives a hundred lives, `KILL_SEED=7` other ones. Each has some processes
 * that get a SIGKILL at moments of the seed's choice, and then as many as it takes.
 */
const RUNS = Number(process.env.KILL_RUNS ?? 2);
const SEED = Number(process.env.KILL_SEED ?? 1);

const call = fc.record({
  call: fc.integer({ min: 1, max: 5 }),
  when: fc.constantFrom('before' as const, 'after' as const),
});
const file = fc.record({ file: fc.integer({ min: 1, max: 45 }) });
const deaths: fc.Arbitrary<Death[]> = fc.array(fc.oneof(call, call, file), {
  minLength: 6,
  maxLength: 6,
});

it(`a real process that gets a SIGKILL at random moments, and the next ones too: ${RUNS} lives of seed ${SEED}`, {
  timeout: 200_000 * RUNS,
}, async () => {
  let kills = 0;
  const failures: string[] = [];
  for (const [at, life] of fc.sample(deaths, { seed: SEED, numRuns: RUNS }).entries()) {
    try {
      const { world, kills: killed } = await liveWithDeaths(life);
      kills += killed;
      await expectSound(world, { keys: KEYS });
      await world.end();
    } catch (error) {
      failures.push(`life ${at}, ${JSON.stringify(life)}: ${error}`);
    }
  }
  expect(failures).toEqual([]);
  expect(kills, 'deaths that came in time').toBeGreaterThan(RUNS);
});
