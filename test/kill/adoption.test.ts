import { expect, it } from 'vitest';
import { ADOPTION, lifeEffects, livesOn } from '../support/adoption.ts';

/**
 * The answer of a create is lost and the create repeated on its way: two batches carry one tag. Whoever adopts and
 * collects them may be lost at any point.
 */
it('a process lost while it adopts two batches of one intent is made good by the next one', {
  timeout: 600_000,
}, async () => {
  const effects = await lifeEffects();
  expect(effects.length).toBeGreaterThan(100);
  const failures: string[] = [];
  for (const [at, effect] of effects.entries()) {
    if (at % ADOPTION.stride !== 0 && !ADOPTION.everyOf(effect)) continue;
    const failure = await livesOn(at);
    if (failure !== null) failures.push(`${at} ${effect.name} ${effect.target}: ${failure}`);
  }
  expect(failures).toEqual([]);
});
