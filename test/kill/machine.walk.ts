import { expect, it } from 'vitest';
import { failuresAfter, gitLife, type Life, live, localLife } from '../support/life.ts';

const LIVES: readonly (readonly [store: string, life: () => Life | Promise<Life>, least: number])[] = [
  ['local', localLife, 30],
  ['git-ref', gitLife, 15],
];

it.each(LIVES)(
  'a machine lost before any effect, with all but its store of kind %s: a fresh one finishes the work',
  {
    timeout: 1_200_000,
  },
  async (_, begun, least) => {
    const life = await begun();
    const { moments, effects } = await live(life, { loss: 'machine' });
    expect(effects).toBeGreaterThan(100);
    expect(moments.length).toBeGreaterThan(least);
    expect(await failuresAfter(life, moments, 'machine')).toEqual([]);
  },
);
