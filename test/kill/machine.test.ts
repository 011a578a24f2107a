import { expect, it } from 'vitest';
import { effectsOfLife, killAndFinish } from '../support/life.ts';

it('a machine lost with all but the store, at every eleventh effect and around each paid call', {
  timeout: 600_000,
}, async () => {
  const effects = await effectsOfLife();
  const points = [...effects.entries()]
    .filter(([at, effect]) => at % 11 === 3 || effect.target.startsWith('create '))
    .map(([at]) => at);
  const failures: string[] = [];
  for (const at of points) {
    const failure = await killAndFinish([at], 'machine');
    if (failure !== null) failures.push(`${at} ${effects[at]?.name} ${effects[at]?.target}: ${failure}`);
  }
  expect(failures).toEqual([]);
});
