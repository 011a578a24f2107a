import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from './clock.ts';
import { type Fake, startFake } from './server.ts';

let fake: Fake;
let client: Anthropic;

beforeEach(async () => {
  fake = await startFake();
  client = new Anthropic({ apiKey: 'k', baseURL: fake.baseUrls.anthropic, maxRetries: 0 });
});
afterEach(() => fake.close());

function create(count: number) {
  const requests = Array.from({ length: count }, (_, n) => ({
    custom_id: `c${n}`,
    params: { model: 'm', max_tokens: 50, messages: [{ role: 'user' as const, content: `row ${n}` }] },
  }));
  return client.messages.batches.create({ requests });
}

async function readResults(id: string) {
  const found = [];
  for await (const line of await client.messages.batches.results(id)) found.push(line);
  return found;
}

it('counts stand still until the end, then the results can be fetched where the batch says', async () => {
  const batch = await create(3);
  expect(batch).toMatchObject({ processing_status: 'in_progress', results_url: null, ended_at: null });
  fake.clock.advance(6 * MINUTE);
  const running = await client.messages.batches.retrieve(batch.id);
  expect(running.request_counts).toEqual({
    processing: 3,
    succeeded: 0,
    errored: 0,
    canceled: 0,
    expired: 0,
  });
  fake.clock.advance(5 * MINUTE);
  const ended = await client.messages.batches.retrieve(batch.id);
  expect(ended.request_counts).toEqual({ processing: 0, succeeded: 3, errored: 0, canceled: 0, expired: 0 });
  expect(ended.results_url).toBe(`${fake.origin}/v1/messages/batches/${batch.id}/results`);
  const lines = await readResults(batch.id);
  expect(lines.map((line) => line.custom_id).sort()).toEqual(['c0', 'c1', 'c2']);
  expect(lines[0]?.result).toMatchObject({
    type: 'succeeded',
    message: { stop_reason: 'end_turn', content: [{ type: 'text', text: '{"label":"wheel","sure":true}' }] },
  });
});

it('a cancelled batch has a line for each request', async () => {
  const { id } = await create(9);
  fake.clock.advance(5 * MINUTE);
  expect((await client.messages.batches.cancel(id)).processing_status).toBe('canceling');
  await expect(client.messages.batches.delete(id)).rejects.toThrow('still processing');
  fake.clock.advance(2 * MINUTE);
  const batch = await client.messages.batches.retrieve(id);
  expect(batch.request_counts).toMatchObject({ succeeded: 4, canceled: 5 });
  const types = (await readResults(id)).map((line) => line.result.type);
  expect(types.filter((type) => type === 'canceled')).toHaveLength(5);
  expect(types).toHaveLength(9);
});

it('a batch that has ended is deleted once and for all', async () => {
  const { id } = await create(1);
  fake.clock.advance(11 * MINUTE);
  expect(await client.messages.batches.delete(id)).toMatchObject({ id, type: 'message_batch_deleted' });
  await expect(client.messages.batches.retrieve(id)).rejects.toThrow('404');
  expect(fake.truth.discardedUnread()).toMatchObject([{ what: 'batch', batch: id }]);
});

it('results are archived 29 days after the creation', async () => {
  const { id } = await create(1);
  fake.clock.advance(29 * DAY - HOUR);
  expect(await readResults(id)).toHaveLength(1);
  fake.clock.advance(HOUR);
  expect(await client.messages.batches.retrieve(id)).toMatchObject({
    results_url: null,
    archived_at: '2026-12-01T08:00:00.000Z',
  });
});

it('a list is newest first, and is paged both ways', async () => {
  const made: string[] = [];
  for (let n = 0; n < 5; n++) made.unshift((await create(1)).id);
  const found: string[] = [];
  for await (const batch of client.messages.batches.list({ limit: 2 })) found.push(batch.id);
  expect(found).toEqual(made);
  const newer = await client.messages.batches.list({ limit: 2, before_id: String(made[4]) });
  expect(newer.data.map(({ id }) => id)).toEqual(made.slice(2, 4));
  expect(newer.has_more).toBe(true);
});

it.each([
  ['no request', [] as string[]],
  ['an id twice', ['a', 'a']],
  ['an id with a blank', ['a b']],
])('%s is refused at once', async (_name, ids) => {
  const requests = ids.map((custom_id) => ({
    custom_id,
    params: { model: 'm', max_tokens: 5, messages: [{ role: 'user' as const, content: 'x' }] },
  }));
  await expect(client.messages.batches.create({ requests })).rejects.toMatchObject({ status: 400 });
  expect(fake.book.creates).toEqual([]);
});

it('a synchronous message is answered', async () => {
  const message = await client.messages.create({
    model: 'm',
    max_tokens: 50,
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect(message.content).toMatchObject([{ type: 'text', text: '{"label":"wheel","sure":true}' }]);
});
