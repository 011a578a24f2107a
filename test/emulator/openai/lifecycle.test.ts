import { describe, expect, test } from 'vitest';
import {
  call,
  chargedRequests,
  create,
  HOUR_MS,
  poll,
  requestLines,
  results,
  runBatch,
  startStill,
  upload,
  type WireBatch,
} from '../../support/emulator.ts';

const PHASES = {
  validating_ms: 10_000,
  running_ms: 100_000,
  running_ms_per_1000: 0,
  finalizing_ms: 10_000,
  cancelling_ms: 60_000,
};

test('goes through its states by the clock, with every time that has come', async () => {
  await using emulator = await startStill({ phases: PHASES });
  const start = emulator.clock.now() / 1000;
  const created = await create(emulator, await upload(emulator, requestLines(10)), {
    metadata: { intent: 'abc' },
  });
  expect(created).toMatchObject({
    object: 'batch',
    status: 'validating',
    created_at: start,
    expires_at: start + 86_400,
    in_progress_at: null,
    request_counts: { total: 0, completed: 0, failed: 0 },
    metadata: { intent: 'abc' },
  });
  expect(created.id).toMatch(/^batch_[0-9a-f]{32}$/);

  const seen: unknown[] = [];
  for (const ms of [9_999, 1, 50_000, 50_000, 10_000]) {
    emulator.clock.advance(ms);
    const { status, request_counts: counts } = await poll(emulator, created.id);
    seen.push([status, counts.total, counts.completed]);
  }
  expect(seen).toEqual([
    ['validating', 0, 0],
    ['in_progress', 10, 0],
    ['in_progress', 10, 5],
    ['finalizing', 10, 10],
    ['completed', 10, 10],
  ]);
  expect(await poll(emulator, created.id)).toMatchObject({
    in_progress_at: start + 10,
    finalizing_at: start + 110,
    completed_at: start + 120,
    failed_at: null,
    expired_at: null,
    cancelled_at: null,
    model: 'gpt-5.4-mini-2026-03-17',
    error_file_id: null,
  });
});

test('larger batches run longer', async () => {
  await using emulator = await startStill({ phases: { ...PHASES, running_ms_per_1000: 1_000_000 } });
  const { id } = await create(emulator, await upload(emulator, requestLines(100)));
  emulator.clock.advance(209_999);
  expect((await poll(emulator, id)).status).toBe('in_progress');
  emulator.clock.advance(1);
  expect((await poll(emulator, id)).status).toBe('finalizing');
});

/** Both files of a batch that ended early: what ran is in the one, the rest is named in the other. */
async function expectPartly(
  emulator: Awaited<ReturnType<typeof startStill>>,
  batch: WireBatch,
  ran: number,
  code: string,
): Promise<void> {
  expect(batch.request_counts).toEqual({ total: 10, completed: ran, failed: 0 });
  const good = await results(emulator, batch.output_file_id);
  const unrun = await results(emulator, batch.error_file_id);
  expect(good).toHaveLength(ran);
  expect(unrun.map((line) => line.error?.code)).toEqual(Array(10 - ran).fill(code));
  expect(unrun.every((line) => line.response === null)).toBe(true);
  expect(new Set([...good, ...unrun].map((line) => line.custom_id)).size).toBe(10);
  const charged = await chargedRequests(emulator);
  expect(charged.map((request) => request.custom_id).sort()).toEqual(
    good.map((line) => line.custom_id).sort(),
  );
}

describe('cancelling', () => {
  test('B052: shows for a while, keeps what had run, and the counts do not add up', async () => {
    await using emulator = await startStill({ phases: PHASES });
    const { id } = await create(emulator, await upload(emulator, requestLines(10)));
    emulator.clock.advance(50_000);
    const answer = (await (await call(emulator, 'POST', `/batches/${id}/cancel`)).json()) as WireBatch;
    expect(answer).toMatchObject({ status: 'cancelling', output_file_id: null, cancelled_at: null });
    emulator.clock.advance(59_999);
    expect((await poll(emulator, id)).status).toBe('cancelling');
    emulator.clock.advance(1);
    const cancelled = await poll(emulator, id);
    expect(cancelled.status).toBe('cancelled');
    expect(cancelled.cancelled_at).toBe((cancelled.cancelling_at as number) + 60);
    await expectPartly(emulator, cancelled, 4, 'batch_cancelled');
  });

  test('can be seen by one poll, however far the clock jumps', async () => {
    await using emulator = await startStill({ phases: PHASES });
    const { id } = await create(emulator, await upload(emulator, requestLines(2)));
    await call(emulator, 'POST', `/batches/${id}/cancel`);
    emulator.clock.advance(24 * HOUR_MS);
    expect((await poll(emulator, id)).status).toBe('cancelling');
    expect((await poll(emulator, id)).status).toBe('cancelled');
  });

  test('of a batch that is still validated leaves nothing', async () => {
    await using emulator = await startStill({ phases: PHASES });
    const { id } = await create(emulator, await upload(emulator, requestLines(2)));
    await call(emulator, 'POST', `/batches/${id}/cancel`);
    emulator.clock.advance(HOUR_MS);
    await poll(emulator, id);
    expect(await poll(emulator, id)).toMatchObject({
      status: 'cancelled',
      output_file_id: null,
      error_file_id: null,
      request_counts: { total: 0 },
    });
    expect(await chargedRequests(emulator)).toEqual([]);
  });

  test('twice is as once; of an ended batch it is refused', async () => {
    await using emulator = await startStill();
    const { id } = await create(emulator, await upload(emulator, requestLines(2)));
    for (const _ of [1, 2]) {
      const again = await call(emulator, 'POST', `/batches/${id}/cancel`);
      expect(await again.json()).toMatchObject({ status: 'cancelling' });
    }
    const completed = await runBatch(emulator, requestLines(2));
    expect((await call(emulator, 'POST', `/batches/${completed.id}/cancel`)).status).toBe(400);
    expect((await poll(emulator, completed.id)).status).toBe('completed');
  });
});

describe('B051: a batch that does not end in its window expires', () => {
  test('with what it had done by then', async () => {
    await using emulator = await startStill({
      phases: { ...PHASES, validating_ms: 0, running_ms: 48 * HOUR_MS },
    });
    const batch = await runBatch(emulator, requestLines(10), 24 * HOUR_MS);
    expect(batch.status).toBe('expired');
    expect(batch.expired_at).toBe(batch.expires_at);
    await expectPartly(emulator, batch, 5, 'batch_expired');
    expect(JSON.stringify(await results(emulator, batch.error_file_id))).toContain(
      'This request could not be executed before the completion window expired.',
    );
  });

  test('with the share that a scenario says', async () => {
    await using emulator = await startStill({ rules: [{ on: 'create', do: { expire_with: 0.3 } }] });
    const { id } = await runBatch(emulator, requestLines(10), 23 * HOUR_MS);
    expect(await poll(emulator, id)).toMatchObject({
      status: 'in_progress',
      request_counts: { completed: 3 },
    });
    emulator.clock.advance(HOUR_MS);
    await expectPartly(emulator, await poll(emulator, id), 3, 'batch_expired');
  });

  test('with nothing: no output file', async () => {
    await using emulator = await startStill({ rules: [{ on: 'create', do: { expire_with: 0 } }] });
    const batch = await runBatch(emulator, requestLines(3), 24 * HOUR_MS);
    expect(batch).toMatchObject({ status: 'expired', output_file_id: null });
    expect(await results(emulator, batch.error_file_id)).toHaveLength(3);
  });
});

describe('B046: a batch that is stuck', () => {
  test.each(['validating', 'in_progress', 'finalizing'] as const)('stays %s for days', async (stuck) => {
    await using emulator = await startStill({ rules: [{ on: 'create', do: { stuck } }] });
    const batch = await runBatch(emulator, requestLines(2), 96 * HOUR_MS);
    expect(batch).toMatchObject({ status: stuck, output_file_id: null });
    expect(batch.request_counts.completed).toBe(stuck === 'validating' ? 0 : 2);
  });

  test('may complete after all, or be cancelled', async () => {
    await using emulator = await startStill({
      rules: [{ on: 'create', do: { stuck: 'in_progress', stuck_for_ms: 96 * HOUR_MS } }],
    });
    const late = await runBatch(emulator, requestLines(2), 96 * HOUR_MS);
    expect(late.status).toBe('in_progress');
    emulator.clock.advance(HOUR_MS);
    expect((await poll(emulator, late.id)).status).toBe('completed');
    const other = await runBatch(emulator, requestLines(2));
    await call(emulator, 'POST', `/batches/${other.id}/cancel`);
    emulator.clock.advance(HOUR_MS);
    await poll(emulator, other.id);
    expect(await poll(emulator, other.id)).toMatchObject({
      status: 'cancelled',
      request_counts: { total: 2, completed: 2 },
    });
  });
});
