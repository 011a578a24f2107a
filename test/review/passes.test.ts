import { expect, it } from 'vitest';
import { runPasses } from '../../runner/commands/passes.ts';
import { instantOf } from '../../runner/ids.ts';
import { PATIENT } from '../../runner/plan/snapshot.ts';
import { repository, world } from '../support/world.ts';

it('results that cannot be downloaded again are not asked for twenty times a second', async () => {
  const w = await world(repository('retry: { unreadable: { share: 0 } }\n'), {
    rules: [
      { on: 'line', line: 3, do: { result: 'drop' } },
      {
        on: 'download',
        nth: [2, 3, 4, 5, 6, 7, 8, 9, ...Array.from({ length: 5000 }, (_, n) => n + 10)],
        do: { status: 500 },
      },
    ],
  });
  const pauses: number[] = [];
  await runPasses({
    session: { context: async () => ({ ...(await w.context()), pacing: PATIENT }), close: async () => {} },
    again: true,
    until: instantOf(w.emulator.clock.now() + 2 * 3_600_000),
    stopping: () => pauses.length > 60,
    sleep: async (ms) => {
      pauses.push(ms / 1_000);
      w.emulator.clock.advance(ms);
    },
    onPass: () => {},
  });
  expect(pauses.filter((seconds) => seconds > 0 && seconds < 1)).toEqual([]);
});

it('a line that cannot be understood is lost once its results are kept no longer', async () => {
  const w = await world(repository('retry: { unreadable: { share: 0 } }\n'), {
    rules: [
      {
        on: 'line',
        line: 3,
        do: { text: '{"custom_id":"{custom_id}","response":{"status_code":200,"body":{"x":1}}}\n' },
      },
    ],
  });
  await w.finish();
  expect((await w.report()).run?.books.dispositions).toEqual({ applied: 7, unreadable: 1 });
  for (let day = 0; day < 32; day += 1) {
    w.emulator.clock.advance(86_400_000);
    await w.pass();
  }
  const [first] = Object.values((await w.journal()).intents);
  expect(first?.resultsLost?.why).toBe('expired');
  expect((await w.report()).run?.books.dispositions).toEqual({ applied: 7, held: 1 });
});
