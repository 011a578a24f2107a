import { expect, it } from 'vitest';
import { type PassesOptions, runPasses } from '../../runner/commands/passes.ts';
import { instantOf } from '../../runner/ids.ts';
import { PATIENT } from '../../runner/plan/snapshot.ts';
import { repository, type World, world } from '../support/world.ts';

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

/** The minutes between passes, over so many hours. */
async function pausesOf(w: World, hours: number): Promise<number[]> {
  const pauses: number[] = [];
  await runPasses({
    session: { context: async () => ({ ...(await w.context()), pacing: PATIENT }), close: async () => {} },
    again: true,
    until: instantOf(w.emulator.clock.now() + hours * 3_600_000),
    stopping: () => pauses.length > 100,
    sleep: async (ms) => {
      pauses.push(ms / 60_000);
      w.emulator.clock.advance(ms);
    },
    onPass: () => {},
  });
  return pauses;
}

it('a server that is not there is asked less and less often', async () => {
  const w = await world(repository(), { rules: [{ on: 'upload', do: { status: 500 } }] });
  // The first pass has frozen the run.
  expect(await pausesOf(w, 1)).toEqual([0, 1, 2, 4, 8, 10, 10, 10, 10, 10]);
});

it('and so is one that has the results of a batch, one row of which was not there, and gives them no more', async () => {
  const nth = [...Array(500).keys()].slice(2);
  const w = await world(repository('retry: { unreadable: { share: 0 } }\n'), {
    rules: [
      { on: 'line', line: 3, do: { result: 'drop' } },
      { on: 'download', nth, do: { status: 500 } },
    ],
  });
  const pauses = await pausesOf(w, 2);
  expect(pauses.filter((minutes) => minutes > 0 && minutes < 0.5)).toEqual([]);
  // An hour after it was due somebody is needed, and nobody waits any longer.
  expect(pauses.slice(-4)).toEqual([4, 8, 10, 10]);
});
