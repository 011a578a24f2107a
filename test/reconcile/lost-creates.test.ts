import { describe, expect, it } from 'vitest';
import { repositoryAt } from '../support/providers.ts';
import { repeatCreate, repeatGeminiCreate } from '../support/second.ts';
import { TICKETS, type World, world } from '../support/world.ts';

const MINUTE = 60_000;
const APPLIED = { applied: TICKETS.length };

const phases = async (w: World) => Object.values((await w.journal()).intents).map(({ phase }) => phase);
const dispositions = async (w: World) => (await w.report()).run?.books.dispositions;

/** Both show a tag in their lists: OpenAI in a batch's metadata, Gemini in its display name. */
const KINDS = [
  { model: 'openai/gpt-5.4-mini', repeat: repeatCreate },
  { model: 'gemini/gemini-3.8-flash', repeat: repeatGeminiCreate },
];

describe.each(KINDS)('a create without an answer at $model', ({ model, repeat }) => {
  const rules = (reset: object) => ({ rules: [{ on: 'create' as const, nth: 1, do: reset }] });

  it('B039: is found by its tag', async () => {
    const w = await world(repositoryAt(model), rules({ when: 'after_commit', reset: true }));
    await w.finish();
    expect(await phases(w)).toEqual(['settled']);
    expect(await dispositions(w)).toEqual(APPLIED);
    expect(await w.paid()).toHaveLength(8);
  });

  it('is not found while the list hides it, and is not sent again for that', async () => {
    const hidden = { when: 'after_commit', reset: true, hide_in_list_ms: 20 * MINUTE };
    const w = await world(repositoryAt(model), rules(hidden));
    await w.pass();
    for (let passes = 0; passes < 2; passes += 1) {
      w.emulator.clock.advance(9 * MINUTE);
      await w.pass();
    }
    expect(await dispositions(w)).toEqual({ ambiguous: 8 });
    w.emulator.clock.advance(3 * MINUTE);
    await w.finish();
    expect(await phases(w)).toEqual(['settled']);
    expect(await w.paid()).toHaveLength(8);
  });

  it('is proved absent by three complete lists, and sent again then', async () => {
    const w = await world(repositoryAt(model), rules({ reset: true }));
    await w.finish();
    expect(await phases(w)).toEqual(['absent', 'settled']);
    expect(await dispositions(w)).toEqual(APPLIED);
    expect(await w.paid()).toHaveLength(8);
  });

  it('two of ours: both are followed, and the first answer to a row counts', async () => {
    const w = await world(repositoryAt(model));
    await w.pass();
    await repeat(w);
    await w.finish();
    w.emulator.clock.advance(41 * MINUTE);
    await w.finish();
    const counts = Object.values((await w.journal()).intents).map(({ settled }) => settled?.summary.counts);
    expect(counts).toEqual([{ ok: 8 }, { duplicate: 8 }]);
    expect(await dispositions(w)).toEqual(APPLIED);
    const { money } = (await w.report()).run ?? {};
    expect(money?.duplicateUsd).toBeGreaterThan(0);
    expect(money?.duplicateUsd).toBeCloseTo((money?.settledUsd ?? 0) / 2);
  });
});
