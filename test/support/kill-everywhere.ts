import { expect, it } from 'vitest';
import { failuresAfter, type Loss, live, localLife } from './life.ts';

/**
 * A test that ends the work before each effect in turn and lets another process finish it. In parts, so that two
 * workers can share them; the parts together leave no effect out.
 */
export function killEverywhere(loss: Loss, part: number, parts: number): void {
  it(`a ${loss} lost before any effect is made good by the next one (part ${part} of ${parts})`, {
    timeout: 600_000,
  }, async () => {
    const life = localLife();
    const { moments, effects } = await live(life, (at) => at % parts === part - 1);
    expect(effects).toBeGreaterThan(200);
    expect(moments.length).toBeGreaterThanOrEqual(Math.floor(effects / parts));
    expect(await failuresAfter(life, moments, loss)).toEqual([]);
  });
}
