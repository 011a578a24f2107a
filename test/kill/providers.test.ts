import { describe, expect, it } from 'vitest';
import { effectsOfLife, killAndFinish } from '../support/life.ts';
import { EVERY_KIND } from '../support/providers.ts';

/** OpenAI's life is ended at each of its effects elsewhere; what differs at the others is uploads, creates and finding. */
const OTHERS = EVERY_KIND.filter(({ kind }) => kind !== 'openai');
const STEP = 25;

describe.each(OTHERS)('$kind', ({ model }) => {
  it(`a process lost before every ${STEP}th effect, and around each call that is paid for`, {
    timeout: 600_000,
  }, async () => {
    const effects = await effectsOfLife('local', model);
    const points = [...effects.entries()]
      .filter(([at, { target }]) => at % STEP === 2 || target.startsWith('create '))
      .map(([at]) => at);
    const failures: string[] = [];
    for (const at of points) {
      const failure = await killAndFinish([at], 'process', 'local', model);
      if (failure !== null) failures.push(`${at} ${effects[at]?.name} ${effects[at]?.target}: ${failure}`);
    }
    expect(failures).toEqual([]);
    expect(points.length).toBeGreaterThan(12);
  });
});
