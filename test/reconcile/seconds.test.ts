import { describe, expect, it } from 'vitest';
import { repeatCreate } from '../support/second.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const MINUTE = 60_000;
/** Past the time in which a create may be on its way and lists may lag. */
const LATER = 41 * MINUTE;
const APPLIED = { applied: TICKETS.length };

const shards = async (w: World) =>
  Object.values((await w.journal()).intents).map(({ phase, secondOf, settled, cancel }) => ({
    phase,
    second: secondOf !== null,
    counts: settled?.summary.counts ?? null,
    cancel: cancel?.why ?? null,
  }));
const first = { phase: 'settled', second: false, cancel: null };
const second = { phase: 'settled', second: true, cancel: null };

/** Sent, repeated on the way, and lived until the second batch has been found and nothing is left to do. */
async function lived(w: World): Promise<void> {
  await w.pass();
  await repeatCreate(w);
  await w.finish();
  w.emulator.clock.advance(LATER);
  await w.finish();
}

describe('two batches of ours', () => {
  it('B039: a repeated create is found, collected and counted; the first answer counts', async () => {
    const w = await world();
    await lived(w);
    expect(await shards(w)).toEqual([
      { ...first, counts: { ok: 8 } },
      { ...second, counts: { duplicate: 8 } },
    ]);
    expect(w.said.map(({ text }) => text).join('\n')).toContain('nobody announced it');
    const { run } = await w.report();
    expect(run?.books).toMatchObject({
      dispositions: APPLIED,
      balanced: true,
      rounds: [{ attempts: 8, ok: 8 }],
    });
    expect(await w.rows()).toHaveLength(8);
    expect(await w.paid()).toHaveLength(16);
  });

  it('B039: the answer was lost as well: the older one is adopted, the other one followed', async () => {
    const w = await world(repository(), {
      rules: [{ on: 'create', nth: 1, do: { when: 'after_commit', reset: true } }],
    });
    await lived(w);
    // Nothing of it had run when both were found, so it was asked to end.
    expect(await shards(w)).toEqual([
      { ...first, counts: { ok: 8 } },
      { ...second, counts: { duplicate: 8 }, cancel: 'second' },
    ]);
    expect(await w.paid()).toHaveLength(8);
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
  });

  it('takes the answers of whichever ends first', async () => {
    const w = await world(repository(), {
      rules: [{ on: 'create', nth: 1, do: { stuck: 'in_progress', stuck_for_ms: 2 * 3_600_000 } }],
    });
    await w.pass();
    await repeatCreate(w);
    w.emulator.clock.advance(LATER);
    await w.pass();
    await w.pass();
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
    w.emulator.clock.advance(3 * 3_600_000);
    await w.finish();
    expect(await shards(w)).toEqual([
      { ...first, counts: { duplicate: 8 } },
      { ...second, counts: { ok: 8 } },
    ]);
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
  });

  it('ends the one of which nothing has run, which costs nothing then', async () => {
    const w = await world(repository(), {
      rules: [{ on: 'create', nth: 2, do: { stuck: 'validating' } }],
    });
    await lived(w);
    expect(await shards(w)).toEqual([
      { ...first, counts: { ok: 8 } },
      { ...second, counts: { duplicate: 8 }, cancel: 'second' },
    ]);
    expect(await w.paid()).toHaveLength(8);
    expect((await w.report()).run?.money).toMatchObject({ reservedUsd: 0, wastedUsd: 0 });
  });

  it('serves rows that the first one failed on, and uses no try of theirs up', async () => {
    const w = await world(repository('retry: { max_attempts: 1 }\n'), {
      rules: [
        { on: 'line', batch: 1, line: [1, 2], do: { status: 500 } },
        { on: 'line', batch: 2, line: [2, 3], do: { status: 500 } },
      ],
    });
    await lived(w);
    expect(await shards(w)).toEqual([
      { ...first, counts: { ok: 6, provider_error: 2 } },
      { ...second, counts: { late: 2, duplicate: 6 } },
    ]);
    const { run } = await w.report();
    expect(run?.books.dispositions).toEqual({ applied: 7, failed: 1 });
    expect(run?.needs).toMatchObject([{ rows: 1, class: 'provider_error', cause: 'HTTP 500 server_error' }]);
    expect(await w.rows()).toHaveLength(7);
  });

  it('deletes the remote files of both when their answers are applied', async () => {
    const w = await world();
    await lived(w);
    const files = await fetch(`${w.emulator.url}/files`, { headers: { authorization: 'Bearer key' } });
    expect(((await files.json()) as { data: unknown[] }).data).toEqual([]);
    expect(Object.values((await w.journal()).intents).map(({ discarded }) => discarded)).toEqual([
      true,
      true,
    ]);
  });

  it('looks once, not in every pass', async () => {
    const w = await world();
    await w.finish();
    w.emulator.clock.advance(LATER);
    const lists = async () => {
      for await (const entry of w.emulator.ledger()) if (entry.kind === 'calls') return entry.calls.list ?? 0;
    };
    for (let passes = 0; passes < 4; passes += 1) await w.pass();
    expect(await lists()).toBe(1);
  });
});

/** Proved absent, and yet it is there: it was in no list for hours. */
const HIDDEN = {
  rules: [
    {
      on: 'create' as const,
      nth: 1,
      do: { when: 'after_commit' as const, reset: true, hide_in_list_ms: 5 * 3_600_000 },
    },
  ],
};

describe('a batch that turns up after it was given up', () => {
  it('gives duplicates where its rows were sent again and answered', async () => {
    const w = await world(repository(), HIDDEN);
    await w.finish();
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
    w.emulator.clock.advance(30 * 3_600_000);
    await w.finish();
    expect(await shards(w)).toEqual([
      { ...first, phase: 'absent', counts: null },
      { ...first, counts: { ok: 8 } },
      { ...second, counts: { duplicate: 8 } },
    ]);
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
  });

  it('serves rows that have no answer, and nothing is bought for them again', async () => {
    const w = await world(repository(), HIDDEN);
    await w.pass();
    const job = repository()['jobs/tickets.yaml'] as string;
    await w.write({ 'jobs/tickets.yaml': `${job}suspend: { reason: "wait" }\n` });
    for (let passes = 0; passes < 12; passes += 1) {
      w.emulator.clock.advance(10 * MINUTE);
      await w.pass();
    }
    expect(await shards(w)).toEqual([{ ...first, phase: 'absent', counts: null }]);
    w.emulator.clock.advance(26 * 3_600_000);
    await w.pass();
    await w.pass();
    await w.write({ 'jobs/tickets.yaml': job });
    await w.finish();
    expect((await shards(w))[1]).toEqual({ ...second, counts: { late: 8 } });
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
    expect(await w.paid()).toHaveLength(8);
  });

  it('a batch that ended without a file, and counts answers: its rows wait until it has one', async () => {
    const w = await world(repository('retry: { max_attempts: 1 }\n'), {
      rules: [{ on: 'create', nth: 1, do: { expire_with: 0.5, files_after_ms: 20 * 3_600_000 } }],
    });
    await w.pass();
    w.emulator.clock.advance(25 * 3_600_000);
    await w.finish();
    expect((await shards(w))[0]).toEqual({ ...first, counts: { unreadable: 8 } });
    w.emulator.clock.advance(26 * 3_600_000);
    await w.finish();
    expect((await shards(w)).map(({ counts }) => counts)).toEqual([{ ok: 4, expired: 4 }]);
    expect((await w.report()).run?.books.dispositions).toEqual({ applied: 4, failed: 4 });
  });
});
