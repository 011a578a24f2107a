import { expect, it } from 'vitest';
import { scratchDuck } from '../runner/duck.ts';

const SMALL = 1_000;
const LARGE = 2_000_000;

async function settings(duck: Awaited<ReturnType<typeof scratchDuck>>) {
  const [row] = await duck.rows(
    `SELECT current_setting('TimeZone') AS zone, current_setting('disabled_optimizers') AS disabled,
       current_setting('preserve_insertion_order') AS ordered, current_setting('threads')::INTEGER AS threads`,
  );
  return row;
}

it('the kept DuckDB has one thread, UTC and unswapped joins for whoever comes, and the settings of others do not reach it', async () => {
  const first = await scratchDuck(SMALL, {});
  const large = await scratchDuck(LARGE, {}, 'SET preserve_insertion_order = false');
  const second = await scratchDuck(SMALL, {}, 'SET preserve_insertion_order = false');
  const kept = { zone: 'UTC', disabled: 'build_side_probe_side', ordered: true, threads: 1 };
  expect(await settings(first)).toEqual(kept);
  expect(await settings(second)).toEqual(kept);
  expect(await settings(large)).toMatchObject({ ordered: false, threads: 1 });
  expect(second.instance).toBe(first.instance);
  expect(large.instance).not.toBe(first.instance);
  for (const duck of [first, second, large]) duck.close();
});

it('goes on after another user has closed its own, or asked what cannot be answered', async () => {
  const [one, other] = [await scratchDuck(SMALL, {}), await scratchDuck(SMALL, {})];
  await expect(one.rows('SELECT * FROM nowhere')).rejects.toThrow(/nowhere/);
  one.close();
  expect(await other.rows('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  other.close();
});
