import { expect, it } from 'vitest';
import { failuresAfter, live, localLife } from './life.ts';

/**
 * A test that ends the work before each effect in turn and lets another process finish it. In parts, so that workers
 * can share them; the parts together leave no effect out.
 */
export function killEverywhere(part: number, parts: number): void {
  it(`a process lost before any effect is made good by the next one (part ${part} of ${parts})`, {
    timeout: 600_000,
  }, async () => {
    const life = localLife();
    const share = { part: part - 1, of: parts };
    const { moments, effects } = await live(life, { loss: 'process', share });
    expect(effects).toBeGreaterThan(200);
    expect(moments.length).toBeGreaterThan(effects / parts / 3);
    expect(await failuresAfter(life, moments, 'process')).toEqual([]);
  });
}
