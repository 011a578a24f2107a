import { expect, it } from 'vitest';
import { effectsOfLife, killAndFinish } from '../support/life.ts';

it('a machine lost before or after any push, around a paid call, and in between: a fresh clone finishes the work', {
  timeout: 600_000,
}, async () => {
  const effects = await effectsOfLife('git-ref');
  const points = [...effects.entries()]
    .filter(([at, effect]) => isBoundary(effect.name, effect.target) || at % 12 === 5)
    .map(([at]) => at);
  expect(points.length).toBeGreaterThan(25);
  const failures: string[] = [];
  for (const at of points) {
    const failure = await killAndFinish([at], 'machine', 'git-ref');
    if (failure !== null) failures.push(`${at} ${effects[at]?.name} ${effects[at]?.target}: ${failure}`);
  }
  expect(failures).toEqual([]);
});

function isBoundary(name: string, target: string): boolean {
  return name === 'git.push' || name === 'git.pushed' || target.startsWith('create ');
}
