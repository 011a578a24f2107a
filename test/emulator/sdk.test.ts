import OpenAI, { APIConnectionError, NotFoundError, RateLimitError, toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../runner/emulator/server.ts';
import { HOUR_MS, requestLines, startStill } from '../support/emulator.ts';

function clientOf(emulator: Emulator, maxRetries = 0): OpenAI {
  return new OpenAI({ baseURL: emulator.url, apiKey: 'any', maxRetries });
}

async function submit(client: OpenAI, count: number) {
  const file = await client.files.create({
    file: await toFile(Buffer.from(requestLines(count)), 'batch.jsonl'),
    purpose: 'batch',
    expires_after: { anchor: 'created_at', seconds: 86_400 },
  });
  return client.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/responses',
    completion_window: '24h',
    metadata: { intent: 'abc' },
  });
}

describe('the official SDK', () => {
  test('takes a batch from upload to results', async () => {
    await using emulator = await startStill();
    const client = clientOf(emulator);
    const created = await submit(client, 30);
    emulator.clock.advance(HOUR_MS);
    const batch = await client.batches.retrieve(created.id);
    expect(batch).toMatchObject({ status: 'completed', metadata: { intent: 'abc' } });
    const response = await client.files.content(batch.output_file_id ?? '');
    const lines = (await response.text()).trim().split('\n');
    expect(lines).toHaveLength(30);
    expect(await client.files.delete(batch.input_file_id)).toMatchObject({ deleted: true });
    await expect(client.files.retrieve(batch.input_file_id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test('walks the list over several pages', async () => {
    await using emulator = await startStill();
    const client = clientOf(emulator);
    const ids = [];
    for (let at = 0; at < 5; at += 1) ids.push((await submit(client, 1)).id);
    const walked = [];
    for await (const batch of client.batches.list({ limit: 2 })) walked.push(batch.id);
    expect(walked).toEqual(ids.toReversed());
  });

  test('cancels', async () => {
    await using emulator = await startStill();
    const client = clientOf(emulator);
    const { id } = await submit(client, 2);
    expect((await client.batches.cancel(id)).status).toBe('cancelling');
  });

  test('shows errors with status, code and request id', async () => {
    await using emulator = await startStill({
      rules: [{ on: 'create', do: { status: 429, code: 'insufficient_quota' } }],
    });
    const error: unknown = await submit(clientOf(emulator), 1).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      status: 429,
      code: 'insufficient_quota',
      type: 'insufficient_quota',
      requestID: expect.stringMatching(/^req_/),
    });
  });

  test('B039: pays twice with its retries on, and once with them off', async () => {
    const lost = { on: 'create', nth: 1, do: { when: 'after_commit', reset: true } } as const;
    for (const [maxRetries, paid] of [
      [1, 4],
      [0, 2],
    ] as const) {
      await using emulator = await startStill({ rules: [lost] });
      const created = submit(clientOf(emulator, maxRetries), 2);
      if (maxRetries === 0) await expect(created).rejects.toBeInstanceOf(APIConnectionError);
      else await created;
      emulator.clock.advance(HOUR_MS);
      const entries = await Array.fromAsync(emulator.ledger());
      expect(entries.filter((entry) => entry.kind === 'request')).toHaveLength(paid);
    }
  });
});
