import { expect, it } from 'vitest';
import { repository, world } from '../support/world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STUCK = { rules: [{ on: 'create' as const, nth: 1, do: { stuck: 'validating' as const } }] };

it('B036: a clock that is minutes off is said in the report', async () => {
  const w = await world(repository(), STUCK);
  w.clockAhead(12 * MINUTE);
  await w.pass();
  w.emulator.clock.advance(HOUR);
  await w.pass();
  expect((await w.report()).waits).toMatchObject([
    {
      what: 'the clock of the machine that runs the passes',
      waitsFor: expect.stringContaining('12 min ahead of'),
    },
  ]);
  w.clockAhead(0);
  w.emulator.clock.advance(HOUR);
  await w.pass();
  expect((await w.report()).waits).toEqual([]);
});

it('B036: a batch is stuck by the clock that it was made by', async () => {
  // Stuck is what has not ended thirty hours after its creation.
  const w = await world(repository(), STUCK);
  w.clockAhead(4 * HOUR);
  await w.pass();
  w.emulator.clock.advance(28 * HOUR);
  await w.pass();
  const commands = async () => (await w.report()).waits.map(({ command }) => command);
  expect(await commands()).not.toContain('batchwright cancel tickets');
  w.emulator.clock.advance(3 * HOUR);
  await w.pass();
  expect(await commands()).toContain('batchwright cancel tickets');
});
