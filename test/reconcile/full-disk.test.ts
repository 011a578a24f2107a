import { describe, expect, it } from 'vitest';
import type { Effect } from '../../runner/effects.ts';
import { type Passed, passOn } from '../support/full-disk.ts';
import { expectSound } from '../support/invariants.ts';
import { KEYS, LIFE, lifeFiles } from '../support/life.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

/** Names of intents, digests and temporary files are others each time. */
function placeOf({ name, target }: Effect): string {
  return `${name} ${target.replaceAll(/[0-9a-z]{16,}|\d+-[0-9a-f]{8}/g, '*')}`;
}

/** Shard by shard, so that there is something to do for long. */
const ROWS = TICKETS.slice(0, 5);

async function passes(w: World, most: number, pass: () => Promise<Passed>): Promise<Record<Passed, number>> {
  const ends = { undisturbed: 0, held: 0, ended: 0 };
  for (let done = 0; done < most; done += 1) {
    const end = await pass();
    ends[end] += 1;
    w.emulator.clock.advance(60_000);
  }
  return ends;
}

describe('a disk that is full', () => {
  it('at each boundary of a life once: it is told, nothing is lost, and the next pass goes on', {
    timeout: 300_000,
  }, async () => {
    const w = await world(lifeFiles(), LIFE);
    const met = new Set<string>();
    const first = (effect: Effect) => {
      const place = placeOf(effect);
      if (met.has(place)) return false;
      met.add(place);
      return true;
    };
    for (let quiet = 0; quiet < 5; ) {
      const before = met.size;
      await passOn(w, first);
      quiet = met.size === before ? quiet + 1 : 0;
      w.emulator.clock.advance(60_000);
    }
    expect(met.size).toBeGreaterThan(60);
    await w.finish();
    await expectSound(w, { keys: KEYS });
  });

  it.each([1, 2, 3])(
    'that fills up in the middle of a pass, and is emptied before the next (%i)',
    {
      timeout: 300_000,
    },
    async (seed) => {
      const w = await world(repository('shard: { max_items: 1, max_in_flight: 1 }\n', ROWS), LIFE);
      let random = seed;
      const ends = await passes(w, 40, () => {
        random = (random * 48_271) % 2_147_483_647;
        let room = random % 40;
        return passOn(w, () => {
          room -= 1;
          return room < 0;
        });
      });
      expect(ends.ended + ends.held).toBeGreaterThan(10);
      await w.finish();
      await expectSound(w, { keys: ROWS.map(({ id }) => id) });
    },
  );

  it('all the time: whoever looks is told where things stand, from a ledger in memory', async () => {
    const w = await world(lifeFiles(), LIFE);
    await w.finish();
    const before = await w.report();
    await w.restart();
    const end = await passOn(w, () => true);
    expect(end).not.toBe('held');
    expect(await w.report()).toEqual(before);
  });
});
