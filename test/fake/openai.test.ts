import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MINUTE } from './clock.ts';
import { type Fake, startFake } from './server.ts';

let fake: Fake;
let client: OpenAI;

beforeEach(async () => {
  fake = await startFake();
  client = new OpenAI({ apiKey: 'k', baseURL: fake.baseUrls.openai, maxRetries: 0 });
});
afterEach(() => fake.close());

const BODIES = {
  '/v1/chat/completions': (n: number) => ({ model: 'm', messages: [{ role: 'user', content: `row ${n}` }] }),
  '/v1/responses': (n: number) => ({ model: 'm', input: `row ${n}` }),
  '/v1/embeddings': (n: number) => ({ model: 'm', input: [`row ${n}`, `more of ${n}`] }),
} as const;
type Endpoint = keyof typeof BODIES;

async function create(
  count: number,
  endpoint: Endpoint = '/v1/chat/completions',
  change = (text: string) => text,
) {
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ custom_id: `c${n}`, method: 'POST', url: endpoint, body: BODIES[endpoint](n) }),
  );
  const file = await client.files.create({
    file: await toFile(Buffer.from(change(`${lines.join('\n')}\n`)), 'rows.jsonl'),
    purpose: 'batch',
  });
  return client.batches.create({
    input_file_id: file.id,
    endpoint,
    completion_window: '24h',
    metadata: { mine: 'yes' },
  });
}

async function readLines(id: string) {
  const text = await (await client.files.content(id)).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it('a batch is validated, runs, is finalized and completes', async () => {
  const { id, status } = await create(3);
  const seen = [status];
  for (const ms of [MINUTE - 1, 1, 9 * MINUTE, MINUTE]) {
    fake.clock.advance(ms);
    seen.push((await client.batches.retrieve(id)).status);
  }
  expect(seen).toEqual(['validating', 'validating', 'in_progress', 'finalizing', 'completed']);
  const batch = await client.batches.retrieve(id);
  expect(batch.request_counts).toEqual({ total: 3, completed: 3, failed: 0 });
  expect(batch).toMatchObject({ error_file_id: null, errors: null, metadata: { mine: 'yes' }, model: 'm' });
  const lines = await readLines(String(batch.output_file_id));
  expect(lines.map((line) => line.custom_id).sort()).toEqual(['c0', 'c1', 'c2']);
  expect(lines[0].response.body.choices[0].message.content).toBe('{"label":"wheel","sure":true}');
  expect(new Set(lines.map((line) => line.response.body.id)).size).toBe(3);
});

it('the size of a result file is told, and its content has that length', async () => {
  const { id } = await create(2);
  fake.clock.advance(11 * MINUTE);
  const batch = await client.batches.retrieve(id);
  const file = await client.files.retrieve(String(batch.output_file_id));
  const content = await client.files.content(file.id);
  expect(content.headers.get('content-length')).toBe(String(file.bytes));
  expect((await content.arrayBuffer()).byteLength).toBe(file.bytes);
});

it('responses and embeddings have the shapes that the SDK reads', async () => {
  const { id } = await create(1, '/v1/responses');
  const other = await create(1, '/v1/embeddings');
  fake.clock.advance(11 * MINUTE);
  const [line] = await readLines(String((await client.batches.retrieve(id)).output_file_id));
  expect(line.response.body.output[0].content[0]).toMatchObject({ type: 'output_text' });
  const [vectors] = await readLines(String((await client.batches.retrieve(other.id)).output_file_id));
  expect(vectors.response.body.data.map((item: { index: number }) => item.index)).toEqual([0, 1]);
});

it('the synchronous calls answer the SDK and are charged without a batch', async () => {
  const chat = await client.chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
  });
  const response = await client.responses.create({ model: 'm', input: 'hi' });
  const vectors = await client.embeddings.create({ model: 'm', input: 'hi' });
  expect(chat.choices[0]?.message.content).toBe(response.output_text);
  expect(vectors.data[0]?.embedding).toHaveLength(8);
  expect(fake.book.charged.map(({ batch }) => batch)).toEqual([null, null, null]);
});

it('an unknown input file fails the batch, not the create', async () => {
  const batch = await client.batches.create({
    input_file_id: 'file-nobody',
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  expect(batch.status).toBe('validating');
  fake.clock.advance(MINUTE);
  const after = await client.batches.retrieve(batch.id);
  expect(after).toMatchObject({ status: 'failed', request_counts: { total: 0 }, output_file_id: null });
  expect(after.errors?.data?.[0]?.code).toBe('invalid_request');
});

it.each([
  ['a line that is no JSON', (text: string) => `${text}{oops\n`, 'invalid_json_line', 3],
  ['an id that is there twice', (text: string) => text.replace('c1', 'c0'), 'duplicate_custom_id', 2],
  ['two models', (text: string) => text.replace('"model":"m"', '"model":"n"'), 'mismatched_model', 2],
  ['another url', (text: string) => text.replace('/v1/chat/completions', '/v1/x'), 'url_mismatch', 1],
  ['no line', () => '\n', 'empty_file', null],
])('%s fails the whole batch, and nothing is charged', async (_name, change, code, line) => {
  const { id } = await create(2, '/v1/chat/completions', change);
  fake.clock.advance(20 * MINUTE);
  const batch = await client.batches.retrieve(id);
  expect(batch.status).toBe('failed');
  expect(batch.errors?.data?.[0]).toMatchObject({ code, line });
  expect(fake.book.charged).toEqual([]);
});

it('a cancelled batch keeps what has run, and says so of the rest', async () => {
  const { id } = await create(9);
  fake.clock.advance(MINUTE + 4 * MINUTE);
  expect((await client.batches.cancel(id)).status).toBe('cancelling');
  fake.clock.advance(2 * MINUTE);
  const batch = await client.batches.retrieve(id);
  expect(batch).toMatchObject({ status: 'cancelled', request_counts: { total: 9, completed: 4, failed: 0 } });
  const left = await readLines(String(batch.error_file_id));
  expect(left.map((line) => line.error.code)).toEqual(Array(5).fill('batch_cancelled'));
  expect(fake.truth.totals(id).requests).toBe(4);
  expect((await client.batches.cancel(id)).status).toBe('cancelled');
});

it('a list is newest first and is paged by the last id', async () => {
  const made: string[] = [];
  for (let n = 0; n < 5; n++) made.unshift((await create(1)).id);
  const found: string[] = [];
  for await (const batch of client.batches.list({ limit: 2 })) found.push(batch.id);
  expect(found).toEqual(made);
});

it('files go when they are deleted, and result files after thirty days', async () => {
  const { id, input_file_id } = await create(1);
  await client.files.delete(input_file_id);
  await expect(client.files.retrieve(input_file_id)).rejects.toThrow('404');
  fake.clock.advance(11 * MINUTE);
  const output = String((await client.batches.retrieve(id)).output_file_id);
  fake.clock.advance(30 * 24 * 60 * MINUTE);
  await expect(client.files.content(output)).rejects.toThrow('404');
  expect(fake.book.inputsDeleted).toMatchObject([{ id: input_file_id }]);
  expect(fake.book.deleted).toEqual([]);
});

it('the Date header follows the clock', async () => {
  fake.clock.advance(90 * MINUTE);
  const answer = await fetch(`${fake.baseUrls.openai}/batches`);
  expect(answer.headers.get('date')).toBe('Mon, 02 Nov 2026 09:30:00 GMT');
});
