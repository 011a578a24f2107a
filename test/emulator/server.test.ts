import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../runner/emulator/ledger.ts';
import { startEmulator } from '../../runner/emulator/server.ts';
import {
  call,
  content,
  create,
  HOUR_MS,
  poll,
  requestLines,
  runBatch,
  startStill,
  upload,
} from '../support/emulator.ts';

test('a request without a key is refused in words', async () => {
  await using emulator = await startStill();
  const response = await fetch(`${emulator.url}/batches`);
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', code: null } });
});

test('every answer is marked and bears the time of the emulator', async () => {
  await using emulator = await startStill();
  emulator.clock.set('2027-05-04T03:02:01Z');
  for (const path of ['/batches', '/batches/batch_x', '/nowhere']) {
    const { headers } = await call(emulator, 'GET', path);
    expect(headers.get('x-batchwright-emulator')).toBe('1');
    expect(headers.get('date')).toBe('Tue, 04 May 2027 03:02:01 GMT');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  }
});

describe('what is not there', () => {
  test.each([
    ['GET', '/batches/batch_x', "No batch found with id 'batch_x'."],
    ['POST', '/batches/batch_x/cancel', "No batch found with id 'batch_x'."],
    ['GET', '/files/file-x', 'No such File object: file-x'],
    ['GET', '/files/file-x/content', 'No such File object: file-x'],
    ['DELETE', '/files/file-x', 'No such File object: file-x'],
    ['GET', '/models', 'Invalid URL (GET /v1/models)'],
    ['PUT', '/batches', 'Invalid URL (PUT /v1/batches)'],
  ])('%s %s is a 404', async (method, path, message) => {
    await using emulator = await startStill();
    const response = await call(emulator, method, path);
    expect([response.status, await response.json()]).toMatchObject([404, { error: { message } }]);
  });
});

test('the clock can be read and moved over HTTP', async () => {
  await using emulator = await startStill();
  const address = `${emulator.origin}/__emulator/clock`;
  const move = async (order: unknown) => {
    const response = await fetch(address, { method: 'POST', body: JSON.stringify(order) });
    return [response.status, ((await response.json()) as { now?: string }).now];
  };
  expect(await (await fetch(address)).json()).toMatchObject({
    mode: 'manual',
    now: '2026-11-30T08:00:00.000Z',
  });
  expect(await move({ advance_ms: 60_000 })).toEqual([200, '2026-11-30T08:01:00.000Z']);
  expect(await move({ set: '2028-01-01T00:00:00Z' })).toEqual([200, '2028-01-01T00:00:00.000Z']);
  expect(await move({ forward: 1 })).toEqual([400, undefined]);
  expect(await move({ set: 'soon' })).toEqual([400, undefined]);
});

test('the ledger says what was asked and what it cost', async () => {
  await using emulator = await startStill();
  const batch = await runBatch(emulator, requestLines(2), HOUR_MS, { metadata: { intent: 'abc' } });
  const text = await (await fetch(`${emulator.origin}/__emulator/ledger`)).text();
  const entries = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LedgerEntry);
  expect(entries).toEqual(await Array.fromAsync(emulator.ledger()));
  expect(entries).toMatchObject([
    { kind: 'calls', calls: { upload: 1, create: 1, poll: 1 } },
    { kind: 'batch', id: batch.id, number: 1, metadata: { intent: 'abc' }, total: 2, ran: 2, charged: 2 },
    {
      kind: 'request',
      batch: batch.id,
      custom_id: expect.stringMatching(/^r-[12]$/),
      status: 200,
      charged: true,
    },
    { kind: 'request', batch: batch.id },
  ]);
});

test('a batch that still runs is charged for what has run', async () => {
  await using emulator = await startStill({
    phases: { validating_ms: 0, running_ms: 100, running_ms_per_1000: 0 },
  });
  await create(emulator, await upload(emulator, requestLines(10)));
  emulator.clock.advance(30);
  const [, batch, ...requests] = await Array.fromAsync(emulator.ledger());
  expect(batch).toMatchObject({ status: 'in_progress', total: 10, ran: 3, charged: 3 });
  expect(requests).toHaveLength(3);
});

describe('an emulator that is started again in its folder', () => {
  test('knows its files, its batches at every stage, and the time', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'emulator-test-'));
    try {
      const first = await startStill({}, { dir });
      const done = await runBatch(first, requestLines(3));
      const output = await content(first, done.output_file_id);
      const live = await create(first, await upload(first, requestLines(5)));
      const now = first.clock.now();
      await first.close();

      await using second = await startStill({}, { dir });
      expect(second.clock.now()).toBe(now);
      expect(await poll(second, done.id)).toEqual(done);
      expect(await content(second, done.output_file_id)).toBe(output);
      expect((await poll(second, live.id)).status).toBe('validating');
      second.clock.advance(HOUR_MS);
      expect((await poll(second, live.id)).request_counts.completed).toBe(5);
      const third = await create(second, 'file-x');
      expect(new Set([done.id, live.id, third.id]).size).toBe(3);
      expect(
        (await Array.fromAsync(second.ledger())).filter((entry) => entry.kind === 'request'),
      ).toHaveLength(8);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

test('without a folder nothing is left behind', async () => {
  const mine = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith('batchwright-emulator-'));
  const before = await mine();
  const emulator = await startStill();
  const during = (await mine()).filter((name) => !before.includes(name));
  expect(during.length).toBeGreaterThan(0);
  await runBatch(emulator, requestLines(3));
  await emulator.close();
  expect((await mine()).length).toBeLessThan(before.length + during.length);
});

test('by the real clock a batch is done in a moment', async () => {
  await using emulator = await startEmulator({
    scenario: { phases: { validating_ms: 0, running_ms: 0, running_ms_per_1000: 0, finalizing_ms: 0 } },
  });
  const { id } = await create(emulator, await upload(emulator, requestLines(20)));
  let batch = await poll(emulator, id);
  while (batch.status !== 'completed') batch = await poll(emulator, id);
  expect(batch.request_counts.completed).toBe(20);
});

test('other requests are answered while a large batch is worked on', async () => {
  await using emulator = await startStill();
  const { id } = await create(emulator, await upload(emulator, requestLines(20_000)));
  emulator.clock.advance(HOUR_MS);
  const done = poll(emulator, id).then(() => 'batch');
  const other = call(emulator, 'GET', '/files').then(() => 'files');
  expect(await Promise.race([done, other])).toBe('files');
  expect(await done).toBe('batch');
});
