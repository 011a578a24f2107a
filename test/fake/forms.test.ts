import { afterEach, expect, it } from 'vitest';
import { ROW_FAULTS } from './catalogue.ts';
import { ask } from './drive.ts';
import { dig, listOf } from './json.ts';
import { type Fake, startFake } from './server.ts';

let fake: Fake;
afterEach(() => fake.close());

async function post(path: string, body: unknown, fault?: keyof typeof ROW_FAULTS) {
  fake = await startFake(fault === undefined ? {} : { lies: [{ on: 'row', what: ROW_FAULTS[fault] }] });
  return (await ask(`${fake.origin}${path}`, { method: 'POST', body: JSON.stringify(body) })).json;
}

it.each([
  [
    '/v1/chat/completions',
    {
      messages: [
        { role: 'system', content: 'S' },
        { role: 'user', content: 'U' },
      ],
    },
  ],
  [
    '/v1/chat/completions',
    {
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'S' }] },
        { role: 'user', content: [{ type: 'text', text: 'U' }] },
      ],
    },
  ],
  ['/v1/responses', { instructions: 'S', input: 'U' }],
  [
    '/v1/responses',
    {
      input: [
        { role: 'system', content: 'S' },
        { role: 'user', content: [{ type: 'input_text', text: 'U' }] },
      ],
    },
  ],
  ['/v1/messages', { system: 'S', messages: [{ role: 'user', content: 'U' }] }],
  [
    '/v1/messages',
    {
      system: [{ type: 'text', text: 'S' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'U' }] }],
    },
  ],
  [
    '/v1beta/models/m:generateContent',
    { systemInstruction: { parts: [{ text: 'S' }] }, contents: [{ role: 'user', parts: [{ text: 'U' }] }] },
  ],
])('the prompt and the system are read from %s %j', async (path, body) => {
  const seen: string[] = [];
  fake = await startFake({
    answer: ({ prompt, system }) => {
      seen.push(`${system}|${prompt}`);
      return 'ok';
    },
  });
  await ask(`${fake.origin}${path}`, { method: 'POST', body: JSON.stringify({ model: 'm', ...body }) });
  expect(seen).toEqual(['S|U']);
});

const RESPONSES = '/v1/responses';
const EMBEDDINGS = '/v1/embeddings';

it('two messages of a response stand apart, two parts of other answers together', async () => {
  const response = await post(RESPONSES, { model: 'm', input: 'x' }, 'two texts');
  expect(listOf(dig(response, 'output'))).toHaveLength(2);
  await fake.close();
  const message = await post('/v1/messages', { model: 'm', messages: [] }, 'two texts');
  expect(listOf(dig(message, 'content'))).toHaveLength(2);
});

it.each([
  ['cut at the cap', 'incomplete', { reason: 'max_output_tokens' }],
  ['a stop that nobody knows', 'incomplete', { reason: 'grew_tired' }],
  ['a refusal', 'completed', null],
] as const)('a response that is %s', async (fault, status, details) => {
  const response = await post(RESPONSES, { model: 'm', input: 'x' }, fault);
  expect(response).toMatchObject({ status, incomplete_details: details });
});

it.each([
  [undefined, [0, 1], 'object'],
  ['vectors in another order', [1, 0], 'object'],
  ['vectors packed unasked', [0, 1], 'string'],
  ['a vector too few', [1], 'object'],
] as const)('embeddings with %s', async (fault, indexes, type) => {
  const answer = await post(EMBEDDINGS, { model: 'm', input: ['a', 'b'], dimensions: 4 }, fault);
  const data = listOf(dig(answer, 'data'));
  expect(data.map((item) => dig(item, 'index'))).toEqual(indexes);
  expect(typeof dig(data[0], 'embedding')).toBe(type);
});

it('a packed vector holds the same numbers', async () => {
  const plain = dig(listOf(dig(await post(EMBEDDINGS, { model: 'm', input: 'a' }), 'data'))[0], 'embedding');
  await fake.close();
  const packed = await post(EMBEDDINGS, { model: 'm', input: 'a', encoding_format: 'base64' });
  const bytes = Buffer.from(String(dig(listOf(dig(packed, 'data'))[0], 'embedding')), 'base64');
  const numbers = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
  expect(numbers).toEqual(plain);
});

it('Gemini embeds too', async () => {
  const answer = await post('/v1beta/models/m:embedContent', { content: { parts: [{ text: 'a' }] } });
  expect(listOf(dig(answer, 'embedding', 'values'))).toHaveLength(8);
});
