import { expect, it } from 'vitest';
import { failuresAfter, isPaid, live, localLife } from '../support/life.ts';

it('a machine lost with all but the store, at every fifth effect and around each paid call', {
  timeout: 600_000,
}, async () => {
  const life = localLife();
  const { moments } = await live(life, (at, effect) => at % 5 === 3 || isPaid(effect));
  expect(moments.length).toBeGreaterThan(50);
  expect(await failuresAfter(life, moments, 'machine')).toEqual([]);
});
