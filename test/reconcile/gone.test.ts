import { expect, it } from 'vitest';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { repository, world } from '../support/world.ts';

const GONE = { status: 404, code: 'not_found', message: 'No such File object' };
const always: Scenario = { rules: [{ on: 'download', do: GONE }] };

it('B059: results that are gone are said to be lost, and are not bought again without a person', async () => {
  const w = await world(repository(), always);
  await w.pass();
  w.emulator.clock.advance(10_000);
  await w.pass();
  w.emulator.clock.advance(25 * 3_600_000);
  const { jobs } = await w.finish();
  expect(jobs[0]?.run).toMatchObject({
    books: { dispositions: { held: 8 } },
    needs: [{ class: 'lost', cause: 'its result is gone at the provider' }],
  });
  expect(
    w.said.some(({ text }) => text.includes('has said for a day that it does not have its results')),
  ).toBe(true);
  expect(await w.paid()).toHaveLength(8);
});

it('B058: a "no such file" soon after the end is not believed', async () => {
  const w = await world(repository(), { rules: [{ on: 'download', first: 2, do: GONE }] });
  const { jobs } = await w.finish();
  expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: 8 });
  expect(await w.paid()).toHaveLength(8);
});

it('answers of the first look are kept where later looks find nothing any more', async () => {
  const w = await world(repository('retry: { unreadable: { share: 0 } }\n'), {
    rules: [
      { on: 'line', line: 3, do: { result: 'drop' } },
      { on: 'download', nth: [2, 3, 4, 5, 6, 7, 8], do: GONE },
    ],
  });
  const { jobs } = await w.finish();
  expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: 7, unreadable: 1 });
  expect(await w.rows()).toHaveLength(7);
});
