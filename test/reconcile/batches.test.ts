import { describe, expect, it } from 'vitest';
import type { BatchFault, Scenario } from '../../runner/emulator/scenario.ts';
import { PATIENT } from '../../runner/plan/snapshot.ts';
import { classesOf, outcomeRows } from '../support/outcome-rows.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const HOUR_MS = 3_600_000;
const ALL = TICKETS.length;
const OK = { applied: ALL };

/** The first batch has this fault; whatever follows it is well. */
function firstBatch(fault: BatchFault, more: Scenario['rules'] = []): Scenario {
  return { rules: [{ on: 'create', nth: 1, do: fault }, ...more] };
}

async function intentsOf(w: World) {
  return Object.values((await w.journal()).intents);
}

async function books(w: World) {
  return (await w.report()).run?.books;
}

/** A person cancels the first batch at the provider's console. */
async function cancelAtProvider(w: World): Promise<void> {
  const [intent] = await intentsOf(w);
  const answer = await fetch(`${w.emulator.url}/batches/${intent?.batch?.id}/cancel`, {
    method: 'POST',
    headers: { authorization: 'Bearer person' },
  });
  expect(answer.status).toBe(200);
}

describe('batches that end otherwise than completed', () => {
  it('B051: expired with part of it done: what is done is kept, the rest goes again', async () => {
    const w = await world(repository(), firstBatch({ expire_with: 0.5 }));
    await w.pass();
    w.emulator.clock.advance(24 * HOUR_MS + 1_000);
    await w.pass();
    await w.finish();
    const first = await classesOf(w, 1);
    expect(first.filter((of) => of === 'ok')).toHaveLength(ALL / 2);
    expect(first.filter((of) => of === 'expired')).toHaveLength(ALL / 2);
    expect(await books(w)).toMatchObject({ dispositions: OK, attempts: ALL * 1.5 });
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('B051: expired, and its files show only later: nothing is bought twice', async () => {
    const w = await world(repository(), firstBatch({ expire_with: 0.5, files_after_ms: 900 }));
    await w.pass();
    w.emulator.clock.advance(24 * HOUR_MS + 100);
    await w.pass();
    await w.finish();
    expect((await classesOf(w, 1)).filter((of) => of === 'ok')).toHaveLength(ALL / 2);
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('B052: cancelled by a person: what is done is kept, nothing is sent again by itself', async () => {
    const w = await world();
    await w.pass();
    w.emulator.clock.advance(1_100);
    await cancelAtProvider(w);
    await w.pass();
    const { jobs } = await w.finish();
    const done = (await classesOf(w, 1)).filter((of) => of === 'ok').length;
    expect(done).toBeGreaterThan(0);
    expect(await books(w)).toMatchObject({
      dispositions: { applied: done, waiting: ALL - done },
      batches: 1,
    });
    expect(jobs[0]?.phase).toBe('stalled');
    expect(await w.paid()).toHaveLength(done);
  });

  it('B052: cancelled while it was validated: there are no files, and nothing is sent again by itself', async () => {
    const w = await world();
    await w.pass();
    await cancelAtProvider(w);
    await w.finish();
    w.emulator.clock.advance(HOUR_MS);
    await w.finish();
    expect(await classesOf(w, 1)).toEqual(TICKETS.map(() => 'cancelled'));
    expect(await books(w)).toMatchObject({ dispositions: { waiting: ALL }, batches: 1 });
    expect(await w.paid()).toEqual([]);
  });

  it('B043: lines that fail the validation are quarantined, the rest goes again without them', async () => {
    const w = await world(repository(), firstBatch({ fail: 'invalid_json_line', fail_line: 3 }));
    await w.finish();
    expect(await books(w)).toMatchObject({ dispositions: { applied: ALL - 1, failed: 1 }, batches: 2 });
    expect((await w.report()).run?.needs).toMatchObject([
      { class: 'invalid_request', cause: 'batch failed: invalid_json_line', examples: ['T-c'] },
    ]);
    expect(await w.paid()).toHaveLength(ALL - 1);
  });

  it('B043: a batch that fails again and again ends', async () => {
    const w = await world(repository('retry: { max_attempts: 3 }\n'), {
      rules: [{ on: 'create', do: { fail: 'invalid_json_line', fail_line: 1 } }],
    });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books).toMatchObject({ dispositions: { failed: ALL }, batches: 3 });
    expect(await w.paid()).toEqual([]);
  });

  it('B031: a batch that is wrong as a whole marks nothing failed and waits for a person', async () => {
    const w = await world(repository(), { limits: { models: ['another'] } });
    const { jobs } = await w.finish();
    expect(jobs[0]).toMatchObject({ phase: 'stalled', run: { books: { batches: 1 } } });
    expect((await outcomeRows(w))[0]).toMatchObject({ cause: 'batch failed: model_not_found' });
    // In the provider's words: nobody has cancelled anything.
    const words = (await w.journal()).intents;
    const said = Object.values(words)[0]?.batch?.errors[0]?.message ?? '-';
    expect(jobs[0]?.waits[0]?.waitsFor).toContain(said);
    expect(jobs[0]?.conditions.find(({ type }) => type === 'Stalled')?.reason).toBe('BatchFailed');
  });

  it('B047: a state that nobody knows is no end, and is said', async () => {
    const w = await world(
      repository(),
      firstBatch({ state_word: 'paused', stuck: 'in_progress', stuck_for_ms: 60_000 }),
    );
    await w.pass();
    w.emulator.clock.advance(10_000);
    await w.pass();
    expect(await books(w)).toMatchObject({ dispositions: { in_flight: ALL } });
    expect(
      w.said
        .filter(({ level }) => level === 'warning')
        .map(({ text }) => text)
        .join(),
    ).toContain('paused');
    await w.finish();
    expect(await books(w)).toMatchObject({ dispositions: OK, batches: 1 });
  });
});

describe('room and money', () => {
  it('B042: no room, known only after the create: the batch waits, and no attempt is used', async () => {
    const w = await world(
      repository('retry: { max_attempts: 1 }\n'),
      firstBatch({ fail: 'token_limit_exceeded' }),
    );
    await w.pass();
    w.emulator.clock.advance(600);
    const { rests } = await w.pass();
    expect(rests).toMatchObject([{ kind: 'waiting', reason: 'QueueFull' }]);
    expect(rests[0]?.message).toContain('Enqueued token limit reached');
    await w.finish();
    // Later and smaller: nothing else of ours was in the queue.
    expect((await intentsOf(w)).map(({ count }) => count)).toEqual([ALL, ALL / 2, ALL / 2]);
    expect(await books(w)).toMatchObject({ dispositions: OK });
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('B042: shards share the room of a model, and all get through', async () => {
    const w = await world(
      repository('shard: { max_items: 2, max_in_flight: 4 }\nretry: { max_attempts: 1 }\n'),
      {
        limits: { enqueued_tokens: 400 },
      },
    );
    await w.finish();
    expect(await books(w)).toMatchObject({ dispositions: OK });
    expect((await outcomeRows(w)).some((row) => row.class === 'rate_or_capacity')).toBe(true);
    expect(await w.paid()).toHaveLength(ALL);
  });
});

describe('B042, and a batch that is too much by itself', () => {
  it('is sent in smaller ones: nothing is refused unchanged for ever', async () => {
    const w = await world(repository('retry: { max_attempts: 1 }\n'), { limits: { enqueued_tokens: 300 } });
    await w.finish();
    expect(await books(w)).toMatchObject({ dispositions: OK });
    const counts = (await intentsOf(w)).map(({ count }) => count);
    expect([counts[0], Math.max(...counts.slice(1))]).toEqual([ALL, ALL / 2]);
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('what did not end in its window goes again in smaller ones', async () => {
    const w = await world(repository(), firstBatch({ expire_with: 0 }));
    await w.pass();
    w.emulator.clock.advance(24 * HOUR_MS + 1_000);
    await w.pass();
    await w.finish();
    expect((await intentsOf(w)).map(({ count }) => count)).toEqual([ALL, ALL / 2, ALL / 2]);
    expect(await books(w)).toMatchObject({ dispositions: OK });
  });

  it('a queue that others fill makes no batch smaller', async () => {
    const w = await world(repository('shard: { max_items: 4, max_in_flight: 2 }\n'), {
      limits: { enqueued_tokens: 400 },
    });
    await w.finish();
    expect((await intentsOf(w)).map(({ count }) => count)).toEqual([4, 4, 4]);
    expect(await books(w)).toMatchObject({ dispositions: OK });
  });
});

it('patience is longer than a validation', () => {
  expect(PATIENT.missingMs).toBeGreaterThanOrEqual(15 * 60_000);
});
