import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCode } from '../../runner/commands/exit-code.ts';
import { type PassesResult, runPasses } from '../../runner/commands/passes.ts';
import type { Rule } from '../../runner/emulator/scenario.ts';
import { epochMs, instantOf } from '../../runner/ids.ts';
import { PATIENT } from '../../runner/plan/snapshot.ts';
import { nextLookAt } from '../../runner/reconcile/pass-note.ts';
import { EVERY_KIND, repositoryAt } from '../support/providers.ts';
import { type World, world } from '../support/world.ts';

const ROWS = Array.from({ length: 24 }, (_, n) => ({
  id: `T-${n}`,
  text: `Ticket ${n}: the bell is silent`,
}));
const HOUR_MS = 3_600_000;
/** A day of refusals in an hour: each is a batch that is lived through. */
const PACING = { ...PATIENT, stalledAfterMs: HOUR_MS };

/** `reconcile --watch` by a clock that jumps from one thing that is due to the next. */
async function watch(w: World): Promise<PassesResult> {
  return runPasses({
    session: { context: async () => ({ ...(await w.context()), pacing: PACING }), close: async () => {} },
    again: true,
    until: instantOf(w.emulator.clock.now() + 14 * 24 * HOUR_MS),
    mostPauseMs: 6 * HOUR_MS,
    stopping: () => false,
    sleep: async (ms) => w.emulator.clock.advance(Math.max(ms, 1_000)),
    onPass: () => {},
  });
}

const intentsOf = async (w: World) => Object.values((await w.journal()).intents);

/** Until the next thing that is due by itself. */
function waitFor(w: World, { rests }: PassesResult): void {
  const until = rests[0]?.until;
  if (until === undefined) throw new Error('nothing is due');
  w.emulator.clock.advance(epochMs(until) - w.emulator.clock.now());
}

/** How the provider turns away, what is answered all the same, and how many rows ask again. */
const NO_ROOM: readonly (readonly [string, Rule, applied: number, asks: number])[] = [
  ['each create', { on: 'create', do: { status: 429 } }, 0, 10],
  ['each batch, a little later', { on: 'create', do: { fail: 'token_limit_exceeded' } }, 0, 10],
  ['each line', { on: 'line', do: { status: 429 } }, 0, 10],
  ['one row', { on: 'line', custom_id: '_3$', do: { status: 429 } }, 23, 1],
];

describe.each(EVERY_KIND)('$kind has no room', ({ model }) => {
  it.each(NO_ROOM)(
    'for %s: told as stalled after a day, asked by a few rows, and over once there is room',
    async (_name, rule, applied, asks) => {
      const w = await world(repositoryAt(model, '', ROWS), { rules: [rule] });
      const start = w.emulator.clock.now();
      const ended = await watch(w);
      expect(w.emulator.clock.now() - start).toBeGreaterThanOrEqual(PACING.stalledAfterMs);
      expect(w.emulator.clock.now() - start, 'it ends').toBeLessThan(2 * PACING.stalledAfterMs);
      expect(ended.rests).toMatchObject([{ kind: 'blocked', reason: 'NoCapacity' }]);
      expect(ended.fleet.jobs[0]).toMatchObject({ phase: 'stalled' });
      expect([true, false].map((strict) => exitCode(ended, { strict, only: null }))).toEqual([5, 0]);
      const page = await readFile(join(w.root, 'state/tickets/README.md'), 'utf8');
      expect(page).toContain('> **It stands still. NoCapacity: ');
      expect(page).not.toMatch(/nothing needs a person|A person must act/);
      expect(page.includes('## What came back'), 'where a row was let in, its words are shown').toBe(
        !(rule.on === 'create' && 'status' in rule.do),
      );
      const { state } = (await w.context()).journal;
      expect(nextLookAt(state, ended.rests, [], instantOf(w.emulator.clock.now()))).toBe(
        ended.rests[0]?.until,
      );

      waitFor(w, ended);
      const asked = await watch(w);
      expect((await intentsOf(w)).at(-1)?.count).toBeLessThanOrEqual(asks);
      expect(asked.rests[0]?.reason, 'one refusal more').toBe('NoCapacity');
      expect(await w.rows().catch(() => [])).toHaveLength(applied);

      w.emulator.setScenario({});
      waitFor(w, asked);
      const over = await watch(w);
      expect(over.fleet.jobs[0]).toMatchObject({ phase: 'complete' });
      expect(await w.rows()).toHaveLength(ROWS.length);
      expect(await w.paid(), 'nothing was bought twice').toHaveLength(ROWS.length);
    },
  );

  it('for a job that is in a slow queue: that is no want of room', async () => {
    const w = await world(repositoryAt(model, 'shard: { max_items: 12, max_in_flight: 2 }\n', ROWS), {
      phases: { running_ms: 3 * HOUR_MS },
      rules: [{ on: 'create', nth: [2, 3, 4, 5, 6], do: { status: 429 } }],
    });
    const { fleet, rests } = await watch(w);
    expect(rests).toMatchObject([{ kind: 'idle' }]);
    expect(fleet.jobs[0]).toMatchObject({ phase: 'complete' });
    const sent = (await intentsOf(w)).filter(({ phase }) => phase === 'settled');
    expect(
      sent.reduce((sum, { count }) => sum + count, 0),
      'each row once',
    ).toBe(ROWS.length);
  });
});

it('an account that may not spend is asked by a few rows, at pauses that grow', async () => {
  const w = await world(repositoryAt(EVERY_KIND[0]?.model ?? '', '', ROWS), {
    rules: [{ on: 'create', do: { status: 403 } }],
  });
  let ended = await watch(w);
  const start = w.emulator.clock.now();
  while (w.emulator.clock.now() - start < 48 * HOUR_MS) {
    expect(ended.rests).toMatchObject([{ kind: 'blocked', reason: 'AccountPaused' }]);
    waitFor(w, ended);
    ended = await watch(w);
  }
  const sent = await intentsOf(w);
  // At 0, 1, 3, 7, 13 h, and then every six hours.
  expect(sent.map(({ at }) => Math.round((epochMs(at) - epochMs(sent[0]?.at ?? at)) / HOUR_MS))).toEqual([
    0, 1, 3, 7, 13, 19, 25, 31, 37, 43, 49,
  ]);
  expect(sent.map(({ count }) => count)).toEqual([24, ...Array.from({ length: 10 }, () => 10)]);
  w.emulator.setScenario({});
  waitFor(w, ended);
  expect((await watch(w)).fleet.jobs[0]).toMatchObject({ phase: 'complete' });
  expect((await intentsOf(w)).slice(-2).map(({ count }) => count)).toEqual([10, 14]);
});
