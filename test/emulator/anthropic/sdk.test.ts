import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { HOUR_MS, startStill } from '../../support/emulator.ts';

const REQUEST = {
  custom_id: 'a',
  params: {
    model: 'claude-haiku-4-5',
    max_tokens: 60,
    messages: [{ role: 'user' as const, content: 'Say something.' }],
  },
};

test('the official SDK goes through the whole life of a batch', async () => {
  await using emulator = await startStill();
  const { batches } = new Anthropic({ apiKey: 'any', baseURL: emulator.origin }).messages;
  const created = await batches.create({ requests: [REQUEST] });
  expect((await batches.retrieve(created.id)).processing_status).toBe('in_progress');
  emulator.clock.advance(HOUR_MS);
  const listed = await Array.fromAsync(batches.list());
  expect(listed.map(({ id, processing_status }) => [id, processing_status])).toEqual([[created.id, 'ended']]);
  const lines = await Array.fromAsync(await batches.results(created.id));
  expect(lines).toMatchObject([{ custom_id: 'a', result: { type: 'succeeded' } }]);
  expect(await batches.delete(created.id)).toMatchObject({ type: 'message_batch_deleted' });
  await expect(batches.retrieve(created.id)).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
});

test('B039: with its own retries it makes a batch for each answer that was lost', async () => {
  await using emulator = await startStill({
    rules: [
      {
        on: 'create',
        first: 2,
        do: { when: 'after_commit', status: 500, headers: { 'retry-after-ms': '1' } },
      },
    ],
  });
  const { batches } = new Anthropic({ apiKey: 'any', baseURL: emulator.origin }).messages;
  await batches.create({ requests: [REQUEST] });
  expect(await Array.fromAsync(batches.list())).toHaveLength(3);
});
