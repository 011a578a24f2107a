import { expect, it } from 'vitest';
import { standingOf } from '../../runner/report/summary.ts';
import { walkThrough } from '../lies/walk.ts';
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

it('and is not said to be looked at again', async () => {
  const walk = await walkThrough({
    name: 'strange for ever',
    provider: 'gemini',
    days: 6,
    job: 'canary: false\n',
    lies: [{ on: 'download', what: { kind: 'strange_content', content: 'null', count: 1 } }],
    ends: { as: 'told' },
  });
  const last = walk.steps.at(-1)?.report;
  expect(last?.run?.books.dispositions.unreadable).toBeUndefined();
  expect(JSON.stringify([last?.waits, last?.conditions, last?.run?.needs])).not.toContain('again by');
});

it('nobody is needed for a row without a line while the looks of the first hour are not over', async () => {
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
