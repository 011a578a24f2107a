import { expect, test } from 'vitest';
import type { Emulator } from '../../../runner/emulator/server.ts';
import { call, create, startStill, type WireBatch } from '../../support/emulator.ts';

interface Page {
  readonly data: WireBatch[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

async function list(emulator: Emulator, query = ''): Promise<Page> {
  return (await (await call(emulator, 'GET', `/batches${query}`)).json()) as Page;
}

async function createMany(emulator: Emulator, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push((await create(emulator, 'file-x')).id);
  return ids;
}

test('newest first, in pages that a new batch does not disturb', async () => {
  await using emulator = await startStill();
  const ids = await createMany(emulator, 5);
  const first = await list(emulator, '?limit=2');
  expect(first.data.map((batch) => batch.id)).toEqual([ids[4], ids[3]]);
  expect(first).toMatchObject({ object: 'list', first_id: ids[4], last_id: ids[3], has_more: true });
  await createMany(emulator, 1);
  const second = await list(emulator, `?limit=2&after=${first.last_id}`);
  expect(second.data.map((batch) => batch.id)).toEqual([ids[2], ids[1]]);
  const third = await list(emulator, `?limit=2&after=${second.last_id}`);
  expect(third).toMatchObject({ has_more: false, data: [{ id: ids[0] }] });
});

test('20 a page unless asked otherwise, 100 at most', async () => {
  await using emulator = await startStill();
  await createMany(emulator, 21);
  expect(await list(emulator)).toMatchObject({ has_more: true });
  expect((await list(emulator)).data).toHaveLength(20);
  for (const query of ['?limit=0', '?limit=101', '?limit=x', '?after=batch_unknown']) {
    expect((await call(emulator, 'GET', `/batches${query}`)).status).toBe(400);
  }
});

test('an empty list is a list', async () => {
  await using emulator = await startStill();
  expect(await list(emulator)).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false });
});

test('a batch may be in no list for a while, though it can be polled', async () => {
  await using emulator = await startStill({
    rules: [{ on: 'create', nth: 1, do: { hide_in_list_ms: 20_000 } }],
  });
  const [hidden, shown] = await createMany(emulator, 2);
  expect((await list(emulator)).data.map((batch) => batch.id)).toEqual([shown]);
  expect((await call(emulator, 'GET', `/batches/${hidden}`)).status).toBe(200);
  emulator.clock.advance(20_000);
  expect((await list(emulator)).data.map((batch) => batch.id)).toEqual([shown, hidden]);
});

test('a cursor may repeat itself', async () => {
  await using emulator = await startStill({ rules: [{ on: 'list', do: { repeat_cursor: true } }] });
  const ids = await createMany(emulator, 2);
  for (const query of ['', `?after=${ids[0]}`]) {
    expect(await list(emulator, query)).toMatchObject({ has_more: true, last_id: ids[0] });
  }
});
