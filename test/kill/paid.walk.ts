import { expect, it } from 'vitest';
import { failuresAfter, isPaid, live, liveAfter, localLife } from '../support/life.ts';

/** Of the second process: its beginning, where it reads what the first one left, and some effects after that. */
const SECOND = new Set([0, 9]);

it('two processes lost in a row, the first around a call that is paid for', {
  timeout: 600_000,
}, async () => {
  const life = localLife();
  const { moments, chosen } = await live(life, { loss: 'process', isChosen: isPaid });
  expect(chosen, 'before and after three creates').toBe(6);
  const failures: string[] = [];
  for (const first of moments) {
    const seconds = await liveAfter(life, first, {
      loss: 'process',
      isChosen: (effect, at) => SECOND.has(at) || isPaid(effect),
    });
    expect(seconds.chosen).toBeGreaterThanOrEqual(SECOND.size);
    const found = await failuresAfter(life, seconds.moments, 'process');
    failures.push(...found.map((failure) => `${first.at}, then ${failure}`));
  }
  expect(failures).toEqual([]);
});
