import { expect, it } from 'vitest';
import { repository, world } from '../support/world.ts';

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
