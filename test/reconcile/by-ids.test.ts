import { describe, expect, it } from 'vitest';
import { callsOf, foreignBatch, repeatRequests, tagless } from '../support/foreign.ts';
import { TICKETS, type World, world } from '../support/world.ts';

const HOUR = 3_600_000;
const APPLIED = { applied: TICKETS.length };
const LOST = { on: 'create' as const, nth: 1, do: { when: 'after_commit' as const, reset: true } };
const NEVER = { on: 'create' as const, nth: 1, do: { reset: true } };
/** Runs for five hours, so that there is something to presume. */
const LONG = { running_ms: 5 * HOUR };

async function passAfter(w: World, hours: number): Promise<void> {
  w.emulator.clock.advance(hours * HOUR);
  await w.pass();
}

const intents = async (w: World) => Object.values((await w.journal()).intents);
const phases = async (w: World) => (await intents(w)).map(({ phase }) => phase);

describe('a create without an answer, where no batch bears a tag', () => {
  it('B039: the sole batch of its time and count is presumed to be it, and adopted by the ids in its results', async () => {
    const w = await world(tagless(), { phases: LONG, rules: [LOST] });
    await w.pass();
    await passAfter(w, 1);
    const [intent] = await intents(w);
    expect(intent).toMatchObject({ phase: 'intent', batch: null });
    const presumed = intent?.candidates?.presumed;
    expect(presumed).toMatch(/^msgbatch_/);
    const report = await w.report();
    expect(report.run?.books.dispositions).toEqual({ ambiguous: 8 });
    expect(report.waits).toMatchObject([
      {
        waitsFor: expect.stringContaining(`${presumed} (running), which is presumed to be it`),
        command: `batchwright cancel tickets --lost ${intent?.intent}`,
      },
    ]);
    await passAfter(w, 5);
    await w.finish();
    expect((await intents(w))[0]).toMatchObject({ phase: 'settled', batch: { id: presumed } });
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
    expect(await w.paid()).toHaveLength(8);
  });

  it('is absent only when all batches of its time have ended, and is sent again then', async () => {
    const w = await world(tagless(), { rules: [NEVER] });
    await w.pass();
    for (let hours = 0; hours < 24; hours += 2) await passAfter(w, 2);
    expect(await phases(w)).toEqual(['intent']);
    expect((await w.report()).waits[0]?.waitsFor).toContain('bear no tag');
    await passAfter(w, 1);
    await w.finish();
    expect(await phases(w)).toEqual(['absent', 'settled']);
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
    expect(await w.paid()).toHaveLength(8);
  });

  it('a foreign look-alike is released by its ids; nothing is done to it', async () => {
    const w = await world(tagless(), { phases: LONG, rules: [NEVER] });
    await w.pass();
    const theirs = await foreignBatch(w, TICKETS.length);
    await passAfter(w, 1);
    expect((await intents(w))[0]?.candidates?.presumed).toBe(theirs);
    await passAfter(w, 6);
    // A gateway may rename ids for a while: what is another's now is another's an hour later too.
    expect((await intents(w))[0]).toMatchObject({
      phase: 'intent',
      candidates: { batches: [{ id: theirs, ids: 'unread', foreignSince: expect.any(String) }] },
    });
    await passAfter(w, 1);
    expect((await intents(w))[0]).toMatchObject({
      phase: 'intent',
      candidates: { presumed: null, batches: [{ id: theirs, ids: 'foreign' }] },
    });
    for (const hours of [18, 1, 1, 1, 6]) await passAfter(w, hours);
    await w.finish();
    expect(await phases(w)).toEqual(['absent', 'settled']);
    const { cancel = 0, delete: deleted = 0 } = await callsOf(w);
    // Our own batch is deleted when its answers are applied.
    expect({ cancel, deleted }).toEqual({ cancel: 0, deleted: 1 });
    const list = await fetch(`${w.emulator.origin}/v1/messages/batches/${theirs}`, {
      headers: { 'x-api-key': 'key' },
    });
    expect(list.status).toBe(200);
  });

  it('of several look-alikes none is presumed; the results tell them apart', async () => {
    const w = await world(tagless(), {
      phases: LONG,
      rules: [{ ...LOST, do: { ...LOST.do, lookalikes: 2 } }],
    });
    await w.pass();
    await passAfter(w, 1);
    const [intent] = await intents(w);
    expect(intent?.candidates).toMatchObject({ presumed: null });
    expect(intent?.candidates?.batches).toHaveLength(3);
    expect((await w.report()).waits[0]?.waitsFor).toContain('one of 3 batches of that time with 8 requests');
    await passAfter(w, 6);
    await w.finish();
    expect(await phases(w)).toEqual(['settled']);
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
    expect(await w.paid()).toHaveLength(8);
  });

  it('two of ours: the older one is adopted, the other one collected as well', async () => {
    const w = await world(tagless(), { rules: [LOST] });
    await w.pass();
    await repeatRequests(w);
    await passAfter(w, 1);
    await w.finish();
    expect(
      (await intents(w)).map(({ secondOf, settled }) => [secondOf !== null, settled?.summary.counts]),
    ).toEqual([
      [false, { ok: 8 }],
      [true, { duplicate: 8 }],
    ]);
    expect((await w.report()).run?.books).toMatchObject({ dispositions: APPLIED, balanced: true });
  });

  it('a repeated create beside one that was answered is found by its ids', async () => {
    const w = await world(tagless());
    await w.pass();
    await repeatRequests(w);
    await w.finish();
    await passAfter(w, 1);
    await w.finish();
    expect((await intents(w)).map(({ settled }) => settled?.summary.counts)).toEqual([
      { ok: 8 },
      { duplicate: 8 },
    ]);
  });

  it('a look for the seconds of another shard does not take a batch of its own for a second one', async () => {
    const files = tagless('', TICKETS.slice(0, 4));
    const job = (files['jobs/tickets.yaml'] ?? '').replace(
      'canary: false',
      'canary: { items: 2, min_valid: 0.5 }',
    );
    const w = await world({ ...files, 'jobs/tickets.yaml': job }, { rules: [{ ...LOST, nth: 2 }] });
    await w.pass();
    // Late enough that the canary's seconds are looked for before anybody may judge the other shard.
    w.emulator.clock.advance(38 * 60_000);
    await w.pass();
    w.emulator.clock.advance(5 * 60_000);
    await w.pass();
    expect((await intents(w)).filter(({ secondOf }) => secondOf !== null)).toEqual([]);
    await passAfter(w, 1);
    await w.finish();
    expect((await intents(w)).map(({ kind, settled }) => [kind, settled?.summary.counts])).toEqual([
      ['canary', { ok: 2 }],
      ['first', { ok: 2 }],
    ]);
    expect(await w.paid()).toHaveLength(4);
  });

  it('our own canary of the same count is no candidate', async () => {
    const rows = TICKETS.slice(0, 4);
    const files = tagless('', rows);
    const job = (files['jobs/tickets.yaml'] ?? '').replace(
      'canary: false',
      'canary: { items: 2, min_valid: 0.5 }',
    );
    const w = await world(
      { ...files, 'jobs/tickets.yaml': job },
      {
        rules: [{ ...NEVER, nth: 2 }],
      },
    );
    await w.pass();
    w.emulator.clock.advance(10_000);
    await w.pass();
    await passAfter(w, 1);
    const [canary, rest] = await intents(w);
    expect(canary).toMatchObject({ kind: 'canary', phase: 'settled', count: 2 });
    expect(rest).toMatchObject({ phase: 'intent', count: 2, candidates: null });
  });

  it('stays ambiguous, and says so, where a candidate has ended and cannot be read', async () => {
    const w = await world(tagless(), { rules: [{ ...LOST, do: { ...LOST.do, output_file: 'dropped' } }] });
    await w.pass();
    await passAfter(w, 30);
    await passAfter(w, 2);
    expect(await phases(w)).toEqual(['intent']);
    expect((await w.report()).phase).toBe('stalled');
    expect((await w.report()).waits[0]).toMatchObject({
      waitsFor: expect.stringContaining('a person to say whether msgbatch_'),
      until: null,
    });
  });

  it('stays ambiguous where somebody deletes a candidate before anybody could read it', async () => {
    const w = await world(tagless(), { phases: LONG, rules: [LOST] });
    await w.pass();
    await passAfter(w, 1);
    const presumed = (await intents(w))[0]?.candidates?.presumed;
    w.emulator.clock.advance(6 * HOUR);
    const headers = { 'x-api-key': 'key' };
    const at = `${w.emulator.origin}/v1/messages/batches/${presumed}`;
    expect((await fetch(at, { method: 'DELETE', headers })).status).toBe(200);
    await w.pass();
    for (const hours of [20, 1, 1, 1]) await passAfter(w, hours);
    expect(await phases(w)).toEqual(['intent']);
    expect((await w.report()).waits[0]).toMatchObject({
      waitsFor: expect.stringContaining(`a person to say whether ${presumed} is it`),
      command: expect.stringContaining('--lost'),
    });
    expect(await w.paid()).toHaveLength(8);
  });
});

describe('the number of requests of a batch is its only mark', () => {
  it('no two open batches of the account have the same', async () => {
    const w = await world(tagless('shard: { max_items: 4 }\n'), { phases: LONG });
    await w.pass();
    await w.pass();
    const counts = (await intents(w)).map(({ count }) => count);
    expect(new Set(counts).size).toBe(counts.length);
    await passAfter(w, 6);
    await w.finish();
    await passAfter(w, 6);
    await w.finish();
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
    expect(await w.paid()).toHaveLength(8);
  });

  it('nor as many as an open batch of somebody else', async () => {
    const w = await world(tagless(), { phases: LONG });
    await foreignBatch(w, TICKETS.length);
    await w.pass();
    expect((await intents(w)).map(({ count }) => count)).toEqual([7]);
  });
});
