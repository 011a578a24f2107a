import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { repository, type World, world } from '../support/world.ts';

const ROWS = Array.from({ length: 24 }, (_, n) => ({
  id: `T-${n}`,
  text: `Ticket ${n}: the chain is loose`,
}));
/** Eight batches of three, which run for two hours. */
const SLOW: Scenario = { phases: { running_ms: 7_200_000 } };
const SHARDS = 'shard: { max_items: 3, max_in_flight: 10 }\n';

async function calls(w: World): Promise<Readonly<Record<string, number>>> {
  for await (const entry of w.emulator.ledger()) if (entry.kind === 'calls') return entry.calls;
  throw new Error('the emulator has counted nothing');
}

describe('looking at many batches', () => {
  it('asks for one page of the list while they run, and for each when it has ended', async () => {
    const w = await world(repository(SHARDS, ROWS), SLOW);
    await w.pass();
    const before = await calls(w);
    expect(before.create).toBe(8);
    for (let looks = 0; looks < 5; looks += 1) {
      w.emulator.clock.advance(600_000);
      await w.pass();
    }
    const during = await calls(w);
    // Five looks, and one search for a second batch of the same intents.
    expect((during.list ?? 0) - (before.list ?? 0)).toBe(6);
    expect(during.poll ?? 0).toBe(before.poll ?? 0);
    w.emulator.clock.advance(7_200_000);
    await w.finish();
    expect((await calls(w)).poll).toBe(8);
    expect(await w.rows()).toHaveLength(24);
    expect(await w.paid()).toHaveLength(24);
  });

  it('looks at each where the list leaves them out, or cannot be had', async () => {
    for (const fault of [
      { on: 'list', do: { status: 503 } },
      { on: 'create', do: { hide_in_list_ms: 86_400_000 } },
    ] as const) {
      const w = await world(repository(SHARDS, ROWS), { ...SLOW, rules: [fault] });
      await w.pass();
      w.emulator.clock.advance(600_000);
      await w.pass();
      expect((await calls(w)).poll).toBe(8);
      w.emulator.clock.advance(7_200_000);
      await w.finish();
      expect(await w.paid()).toHaveLength(24);
      expect(await w.rows()).toHaveLength(24);
    }
  });

  it('does not ask for a list where there are few', async () => {
    const w = await world(repository('shard: { max_items: 6 }\n', ROWS), SLOW);
    await w.pass();
    w.emulator.clock.advance(600_000);
    await w.pass();
    expect(await calls(w)).toMatchObject({ poll: 4 });
    expect((await calls(w)).list ?? 0).toBe(0);
  });
});
