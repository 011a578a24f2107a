import { expect, it } from 'vitest';
import type { Effect } from '../../runner/effects.ts';
import { effectsOfLife, killAndFinish } from '../support/life.ts';

it('a machine lost before or after any push, around a paid call, and in between: a fresh clone finishes the work', {
  timeout: 1_200_000,
}, async () => {
  const effects = await effectsOfLife('git-ref');
  const points = [...effects.entries()]
    .filter(([at, effect]) => isBoundary(effect) || at % 30 === 5)
    .map(([at]) => at);
  expect(points.length).toBeGreaterThan(20);
  const failures: string[] = [];
  for (const at of points) {
    const failure = await killAndFinish([at], 'machine', 'git-ref');
    if (failure !== null) failures.push(`${at} ${effects[at]?.name} ${effects[at]?.target}: ${failure}`);
  }
  expect(failures).toEqual([]);
});

/** After a push of files nothing comes but the push of the segment, before which a machine is lost as well. */
function isBoundary({ name, target }: Effect): boolean {
  if (name === 'git.pushed') return target.endsWith('/journal');
  return name === 'git.push' || target.startsWith('create ');
}
