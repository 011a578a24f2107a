import { expect, it } from 'vitest';
import { effectsOfLife, killAndFinish } from '../support/life.ts';

/** How many effects of its own the second process may still have before it is lost too. */
const SECOND = [0, 9];

it('two processes lost in a row, the first around a call that is paid for', {
  timeout: 600_000,
}, async () => {
  const effects = await effectsOfLife();
  const paid = [...effects.entries()].filter(([, effect]) => effect.target.startsWith('create '));
  expect(paid.map(([, effect]) => effect.name)).toEqual([
    'http.send',
    'http.answered',
    'http.send',
    'http.answered',
    'http.send',
    'http.answered',
  ]);
  const failures: string[] = [];
  for (const [at] of paid) {
    for (const second of SECOND) {
      const failure = await killAndFinish([at, second]);
      if (failure !== null) failures.push(`${at}, then ${second}: ${failure}`);
    }
  }
  expect(failures).toEqual([]);
});
