import { describe, expect, it } from 'vitest';
import { failuresAfter, isPaid, live, localLife } from '../support/life.ts';
import { EVERY_KIND } from '../support/providers.ts';

/** OpenAI's life is ended at each of its effects elsewhere; what differs at the others is uploads, creates and finding. */
const OTHERS = EVERY_KIND.filter(({ kind }) => kind !== 'openai');
const STEP = 40;

describe.each(OTHERS)('$kind', ({ model }) => {
  it(`a process lost before every ${STEP}th effect, and around each call that is paid for`, {
    timeout: 600_000,
  }, async () => {
    const life = localLife(model);
    const { moments } = await live(life, {
      loss: 'process',
      isChosen: (effect, at) => at % STEP === 2 || isPaid(effect),
    });
    expect(moments.length).toBeGreaterThan(9);
    expect(await failuresAfter(life, moments, 'process')).toEqual([]);
  });
});
