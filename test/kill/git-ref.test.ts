import { expect, it } from 'vitest';
import type { Effect } from '../../runner/effects.ts';
import { failuresAfter, gitLife, isPaid, live } from '../support/life.ts';

it('a machine lost before or after any push, around a paid call, and in between: a fresh clone finishes the work', {
  timeout: 1_200_000,
}, async () => {
  const life = await gitLife();
  const { moments } = await live(life, (at, effect) => isBoundary(effect) || at % 30 === 5);
  expect(moments.length).toBeGreaterThan(20);
  expect(await failuresAfter(life, moments, 'machine')).toEqual([]);
});

/** After a push of files nothing comes but the push of the segment, before which a machine is lost as well. */
function isBoundary(effect: Effect): boolean {
  if (effect.name === 'git.pushed') return effect.target.endsWith('/journal');
  return effect.name === 'git.push' || isPaid(effect);
}
