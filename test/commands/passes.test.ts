import { expect, it } from 'vitest';
import { type PassesOptions, runPasses } from '../../runner/commands/passes.ts';
import { instantOf } from '../../runner/ids.ts';
import { PATIENT } from '../../runner/plan/snapshot.ts';
import { repository, world } from '../support/world.ts';

/** Passes over a batch that runs for two hours, by a clock that jumps from look to look. */
async function passes(publish: NonNullable<PassesOptions['publish']>) {
  const w = await world(repository(), { phases: { running_ms: 7_200_000 } });
  let count = 0;
  const result = await runPasses({
    session: { context: () => w.context(), close: async () => {} },
    again: true,
    until: instantOf(w.emulator.clock.now() + 4 * 3_600_000),
    stopping: () => false,
    sleep: async (ms) => w.emulator.clock.advance(Math.max(ms, 60_000)),
    publish,
    onPass: () => {
      count += 1;
    },
  });
  return { ...result, count };
}

it('commits pages after passes that changed some, and not after each look', async () => {
  let asked = 0;
  const { count, published, changed } = await passes(async () => {
    asked += 1;
    return true;
  });
  expect(published).toBe(true);
  expect(changed.length).toBeGreaterThan(3);
  expect(asked).toBeGreaterThan(1);
  expect(asked).toBeLessThan(count / 2);
});

it('asks again after each pass as long as it is refused', async () => {
  let asked = 0;
  const { count, published } = await passes(async () => {
    asked += 1;
    return false;
  });
  expect(published).toBe(false);
  expect(asked).toBe(count);
});

it('a server that is not there is asked less and less often', async () => {
  const w = await world(repository(), { rules: [{ on: 'upload', do: { status: 500 } }] });
  const pauses: number[] = [];
  await runPasses({
    session: { context: async () => ({ ...(await w.context()), pacing: PATIENT }), close: async () => {} },
    again: true,
    until: instantOf(w.emulator.clock.now() + 3_600_000),
    stopping: () => false,
    sleep: async (ms) => {
      pauses.push(ms / 60_000);
      w.emulator.clock.advance(ms);
    },
    onPass: () => {},
  });
  // The first pass has frozen the run.
  expect(pauses).toEqual([0, 1, 2, 4, 8, 10, 10, 10, 10, 10]);
});
