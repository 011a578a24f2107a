import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runPasses } from '../../runner/commands/passes.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import type { BatchView } from '../../runner/journal/batch.ts';
import { withoutLag } from '../../runner/reconcile/poll/survey.ts';
import { readSegments } from '../../runner/reconcile/verify/chain.ts';
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
    for (let looks = 0; looks < 4; looks += 1) {
      w.emulator.clock.advance(600_000);
      await w.pass();
    }
    const during = await calls(w);
    // Four looks, and one search for a second batch of the same intents.
    expect((during.list ?? 0) - (before.list ?? 0)).toBe(5);
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

/** A list that shows no change for ten days, as one that a broken replica answers. */
const LAGGING: Scenario = { ...SLOW, rules: [{ on: 'list', do: { lag_ms: 864_000_000 } }] };
const HOUR_MS = 3_600_000;

/** Passes until nothing is open; how long after the end of the batches (they run for two hours) that is. */
async function msUntilSettled(
  w: World,
  stepMs: number,
  pass: () => Promise<unknown> = w.pass,
): Promise<number> {
  const start = w.emulator.clock.now();
  for (let passes = 0; passes < 40; passes += 1) {
    await pass();
    const { intents } = await w.journal();
    const phases = Object.values(intents).map(({ phase }) => phase);
    if (phases.length === 8 && phases.every((phase) => phase === 'settled'))
      return w.emulator.clock.now() - start - 2 * HOUR_MS;
    w.emulator.clock.advance(stepMs);
  }
  return Number.POSITIVE_INFINITY;
}

describe('a list that lags behind hides no end', () => {
  it('from a process that goes on running', async () => {
    const w = await world(repository(SHARDS, ROWS), LAGGING);
    expect(await msUntilSettled(w, 600_000)).toBeLessThanOrEqual(HOUR_MS);
    expect(await w.paid()).toHaveLength(24);
    expect(await statesTold(w)).not.toContain('running validating');
    // At least once an hour, and not in each of the passes.
    expect((await calls(w)).poll).toBeLessThanOrEqual(8 * 5);
  });

  it('from a new process each pass, on a machine that keeps nothing', async () => {
    const w = await world(repository(SHARDS, ROWS), LAGGING);
    const elsewhere = async () => {
      await w.restart();
      await w.loseMachine();
      await w.pass();
    };
    expect(await msUntilSettled(w, 900_000, elsewhere)).toBeLessThanOrEqual(HOUR_MS);
    expect(await w.paid()).toHaveLength(24);
  });

  it('from a new process each pass, in a folder that stays: what it knows is when each was looked at', async () => {
    const w = await world(repository(SHARDS, ROWS), LAGGING);
    const again = () => onePass(w);
    expect(await msUntilSettled(w, 900_000, again)).toBeLessThanOrEqual(HOUR_MS);
    expect(await w.paid()).toHaveLength(24);
    expect((await calls(w)).poll).toBeLessThanOrEqual(8 * 5);
  });

  it.each([
    ['by a clock that went ahead', '2099-01-01T00:00:00.000Z'],
    ['in words that make no sense', 'just now'],
    ['by a file of another form', null],
  ])('from one that was told of a look %s', async (_, at) => {
    const w = await world(repository(SHARDS, ROWS), LAGGING);
    await onePass(w);
    w.emulator.clock.advance(2 * HOUR_MS);
    const intents = Object.keys((await w.journal()).intents);
    const alone = at === null ? 'all of them' : Object.fromEntries(intents.map((id) => [id, at]));
    await writeFile(join(w.root, 'state/.work/looks.json'), JSON.stringify({ last: {}, alone }));
    w.emulator.clock.advance(600_000);
    await onePass(w);
    expect((await calls(w)).poll).toBe(8);
  });

  it('takes the word of the list where a look by itself fails, and tries again in each pass', async () => {
    const w = await world(repository(SHARDS, ROWS), {
      ...SLOW,
      rules: [{ on: 'poll', batch: 3, do: { status: 404 } }],
    });
    await w.pass();
    for (let passes = 0; passes < 4; passes += 1) {
      w.emulator.clock.advance(1_500_000);
      await w.pass();
    }
    const [, , third] = Object.values((await w.journal()).intents);
    expect(third?.unseenSince).toBeNull();
    expect(w.said.filter(({ level }) => level === 'warning')).toHaveLength(1);
  });
});

const KNOWN = { id: 'batch_1', state: 'running', progress: { total: 9, done: 4, failed: 1 } } as BatchView;

it.each([
  ['nothing is known', null, { state: 'validating' }, 'listed'],
  ['an earlier state', KNOWN, { state: 'validating' }, 'known'],
  ['a later state', KNOWN, { state: 'finalizing', progress: null }, 'listed'],
  ['fewer requests done', KNOWN, { progress: { total: 9, done: 4, failed: 0 } }, 'known'],
  ['no count any more', KNOWN, { progress: null }, 'known'],
  ['more requests done', KNOWN, { progress: { total: 9, done: 5, failed: 1 } }, 'listed'],
  ['a word that was not known', { ...KNOWN, state: 'unknown' } as BatchView, { state: 'running' }, 'listed'],
] as const)('the word of a list: %s', (_, known, says, wins) => {
  const listed = { ...KNOWN, ...says, serverNow: '2026-11-30T10:00:00.000Z' } as BatchView;
  const expected = wins === 'listed' ? listed : { ...known, serverNow: listed.serverNow };
  expect(withoutLag(known, listed)).toEqual(expected);
});

/** Which state of a batch followed which in the journal. */
async function statesTold(w: World): Promise<string[]> {
  const { store } = await w.context();
  const events = (await readSegments(store)).flatMap(({ segment }) => segment?.events ?? []);
  const told = new Map<string, string[]>();
  for (const event of events)
    if (event.type === 'batch.observed')
      told.set(event.intent, [...(told.get(event.intent) ?? []), event.batch.state]);
  return [...told.values()].flatMap((states) => states.slice(1).map((state, at) => `${states[at]} ${state}`));
}

/** A pass as `batchwright reconcile` makes it: a process of its own. */
async function onePass(w: World): Promise<void> {
  await w.restart();
  await runPasses({
    session: { context: () => w.context(), close: async () => {} },
    again: false,
    until: null,
    stopping: () => false,
    sleep: async () => {},
    onPass: () => {},
  });
}
