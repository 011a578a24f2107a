import { expect, it } from 'vitest';
import { standingOf } from '../../runner/report/summary.ts';
import { repository, world } from '../support/world.ts';

it('while the looks of the first hour are not over, nobody is needed', async () => {
  const w = await world(repository('retry: { unreadable: { share: 0 } }\n'), {
    rules: [{ on: 'line', line: 3, do: { result: 'drop' } }],
  });
  await w.pass();
  w.emulator.clock.advance(5_000);
  const { rests } = await w.pass();
  expect(rests).toMatchObject([{ kind: 'waiting', reason: 'ResultsUnreadable' }]);
  const report = await w.report();
  expect(standingOf(report)).toBe('under way');
  expect(report.run?.needs).toEqual([]);
});

it('a reconciler that stays goes on downloading results until they are read or lost', async () => {
  const w = await world(repository('retry: { unreadable: { share: 0 } }\n'), {
    rules: [{ on: 'line', line: 3, do: { result: 'drop' } }],
  });
  const { runPasses } = await import('../../runner/commands/passes.ts');
  const { PATIENT } = await import('../../runner/plan/snapshot.ts');
  let passes = 0;
  await runPasses({
    session: { context: async () => ({ ...(await w.context()), pacing: PATIENT }), close: async () => {} },
    again: true,
    until: null,
    stopping: () => passes > 400,
    sleep: async (ms) => {
      w.emulator.clock.advance(ms);
    },
    onPass: () => {
      passes += 1;
    },
  });
  const [intent] = Object.values((await w.journal()).intents);
  expect(intent?.collections.length).toBeGreaterThan(3);
});
