import { expect, it } from 'vitest';
import { effectsOfLife, killAndFinish, type Loss } from './life.ts';

/**
 * A test that ends the work before each effect in turn and lets another process finish it. In parts, so that two
 * workers can share them; the parts together leave no effect out.
 */
export function killEverywhere(loss: Loss, part: number, parts: number): void {
  it(`a ${loss} lost before any effect is made good by the next one (part ${part} of ${parts})`, {
    timeout: 600_000,
  }, async () => {
    const effects = await effectsOfLife();
    expect(effects.length).toBeGreaterThan(200);
    const failures: string[] = [];
    for (const [at, effect] of effects.entries()) {
      if (at % parts !== part - 1) continue;
      const failure = await killAndFinish([at], loss);
      if (failure !== null) failures.push(`${at} ${effect.name} ${effect.target}: ${failure}`);
    }
    expect(failures).toEqual([]);
  });
}
