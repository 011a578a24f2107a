import { describe, expect, test } from 'vitest';
import {
  call,
  create,
  createBody,
  HOUR_MS,
  poll,
  requestLine,
  requestLines,
  results,
  runBatch,
  startStill,
  upload,
  type WireBatch,
} from '../../support/emulator.ts';

/** Whatever is wrong inside the file shows late, fails the whole batch, and costs nothing. */
function expectFailed(batch: WireBatch, errors: readonly unknown[]): void {
  expect(batch).toMatchObject({
    status: 'failed',
    output_file_id: null,
    error_file_id: null,
    in_progress_at: null,
    request_counts: { total: 0, completed: 0, failed: 0 },
    usage: { total_tokens: 0 },
  });
  expect(batch.failed_at).toEqual(expect.any(Number));
  expect(batch.errors).toMatchObject({ object: 'list', data: errors });
}

const GOOD = requestLine('good');

describe('lines that ask for numbers', () => {
  const at = (url: string, id: string, body: object) =>
    JSON.stringify({ custom_id: id, method: 'POST', url, body });
  const EMBEDDINGS = '/v1/embeddings';
  const model = 'text-embedding-3-small';

  test.each([
    [EMBEDDINGS, { model }],
    ['/v1/moderations', { model: 'omni-moderation-latest' }],
  ])('%s without input', async (url, body) => {
    await using emulator = await startStill();
    const errors = [{ code: 'missing_required_parameter', param: 'body.input', line: 1 }];
    expectFailed(await runBatch(emulator, at(url, 'a', body), HOUR_MS, { endpoint: url }), errors);
  });

  test('more than 50,000 embedding inputs over all lines', async () => {
    await using emulator = await startStill();
    const many = Array.from({ length: 2_000 }, () => 'x');
    const lines = Array.from({ length: 26 }, (_, n) =>
      at(EMBEDDINGS, `r-${n}`, { model, input: many, dimensions: 1 }),
    );
    const failed = await runBatch(emulator, lines.join('\n'), HOUR_MS, { endpoint: EMBEDDINGS });
    expectFailed(failed, [{ code: 'too_many_tasks', param: 'body.input', line: 26 }]);
  });

  test('an empty text and a wrong length fail by themselves', async () => {
    await using emulator = await startStill();
    const lines = [
      at(EMBEDDINGS, 'empty', { model, input: '' }),
      at(EMBEDDINGS, 'long', { model, input: 'x', dimensions: 5_000 }),
      at(EMBEDDINGS, 'good', { model, input: 'x', dimensions: 4 }),
    ];
    const batch = await runBatch(emulator, lines.join('\n'), HOUR_MS, { endpoint: EMBEDDINGS });
    const failed = await results(emulator, batch.error_file_id);
    expect(failed.map((line) => [line.custom_id, line.response?.status_code]).toSorted()).toEqual([
      ['empty', 400],
      ['long', 400],
    ]);
    const [good] = await results(emulator, batch.output_file_id);
    expect(good?.response?.body).toMatchObject({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: Array.from({ length: 4 }, () => expect.any(Number)) },
      ],
      usage: { prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    });
  });
});

describe('B031, B043: one bad line fails the whole batch:', () => {
  test.each([
    ['no JSON', '{"custom_id":', 'invalid_json_line', null],
    ['no object', '[1]', 'invalid_json_line', null],
    ['no id', requestLine('', {}), 'missing_required_parameter', 'custom_id'],
    [
      'an id that is no text',
      requestLine('x', {}, { custom_id: 7 }),
      'missing_required_parameter',
      'custom_id',
    ],
    ['an id twice (B026)', GOOD, 'duplicate_custom_id', 'custom_id'],
    ['another method', requestLine('x', {}, { method: 'GET' }), 'invalid_method', 'method'],
    ['another url', requestLine('x', {}, { url: '/v1/chat/completions' }), 'url_mismatch', 'url'],
    ['another model', requestLine('x', { model: 'gpt-4o' }), 'mismatched_model', 'body.model'],
    ['no body', requestLine('x', {}, { body: null }), 'missing_required_parameter', 'body'],
    ['no model', requestLine('x', { model: '' }), 'missing_required_parameter', 'body.model'],
    [
      'no input',
      requestLine('x', {}, { body: { model: 'gpt-5.4-mini' } }),
      'missing_required_parameter',
      'body.input',
    ],
  ])('%s', async (_name, bad, code, param) => {
    await using emulator = await startStill();
    const batch = await runBatch(emulator, `${GOOD}\n\n${bad}\n${requestLine('last')}\n`);
    expectFailed(batch, [{ code, param, line: 3, message: expect.any(String) }]);
  });
});

test('every bad line is named', async () => {
  await using emulator = await startStill();
  const batch = await runBatch(emulator, `no\n${GOOD}\n${GOOD}\nno\n`);
  expectFailed(batch, [
    { code: 'invalid_json_line', line: 1 },
    { code: 'duplicate_custom_id', line: 3 },
    { code: 'invalid_json_line', line: 4 },
  ]);
});

test('a line that is not UTF-8 is no JSON; a byte order mark neither (B029)', async () => {
  await using emulator = await startStill();
  const batch = await runBatch(emulator, `\uFEFF${GOOD}\n`);
  expectFailed(batch, [{ code: 'invalid_json_line', line: 1 }]);
});

test.each([
  ['an empty file', '', {}, 'empty_file'],
  ['too many requests', requestLines(4), { requests_per_batch: 3 }, 'too_many_tasks'],
  ['a model that does not exist', requestLines(1), { models: ['gpt-9'] }, 'model_not_found'],
])('fails for %s', async (_name, text, limits, code) => {
  await using emulator = await startStill({ limits });
  const batch = await runBatch(emulator, text);
  expectFailed(batch, [{ code }]);
});

test('an unknown input file is accepted first and fails later', async () => {
  await using emulator = await startStill();
  const batch = await create(emulator, 'file-unknown');
  expect(batch.status).toBe('validating');
  emulator.clock.advance(10_000);
  expectFailed(await poll(emulator, batch.id), [{ code: 'invalid_request', line: null }]);
});

test('a create that comes after its file was deleted fails unpaid', async () => {
  await using emulator = await startStill();
  const fileId = await upload(emulator, requestLines(2));
  await call(emulator, 'DELETE', `/files/${fileId}`);
  const { id } = await create(emulator, fileId);
  emulator.clock.advance(10_000);
  expectFailed(await poll(emulator, id), [{ code: 'invalid_request' }]);
});

test('a file deleted after the create does not disturb the batch', async () => {
  await using emulator = await startStill();
  const fileId = await upload(emulator, requestLines(2));
  const { id } = await create(emulator, fileId);
  await call(emulator, 'DELETE', `/files/${fileId}`);
  emulator.clock.advance(10_000);
  expect(await poll(emulator, id)).toMatchObject({ status: 'completed', request_counts: { completed: 2 } });
});

test('B042: enqueued tokens are shared by the live batches of a model, and freed at their end', async () => {
  await using emulator = await startStill({
    limits: { enqueued_tokens: 50 },
    phases: { running_ms: 60_000 },
  });
  const text = requestLines(2);
  const first = await create(emulator, await upload(emulator, text));
  const second = await create(emulator, await upload(emulator, text));
  emulator.clock.advance(1000);
  expect(await poll(emulator, first.id)).toMatchObject({ status: 'in_progress' });
  const failed = await poll(emulator, second.id);
  expectFailed(failed, [{ code: 'token_limit_exceeded', line: null, param: null }]);
  expect(JSON.stringify(failed.errors)).toContain('Limit: 50 enqueued tokens');
  emulator.clock.advance(120_000);
  expect((await poll(emulator, first.id)).status).toBe('completed');
  expect((await runBatch(emulator, text)).status).toBe('completed');
});

describe('a create is refused at once for', () => {
  const pairs = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
  test.each([
    ['no file', { input_file_id: undefined }, 'input_file_id', 'missing_required_parameter'],
    ['no endpoint', { endpoint: undefined }, 'endpoint', 'missing_required_parameter'],
    ['no window', { completion_window: undefined }, 'completion_window', 'missing_required_parameter'],
    ['an unknown endpoint', { endpoint: '/v1/nonsense' }, 'endpoint', 'invalid_value'],
    ['another window', { completion_window: '48h' }, 'completion_window', 'invalid_value'],
    ['17 tags', { metadata: pairs(17) }, 'metadata', 'invalid_value'],
    ['a long key', { metadata: { ['k'.repeat(65)]: 'v' } }, `metadata.${'k'.repeat(65)}`, 'invalid_value'],
    ['a long value', { metadata: { k: 'v'.repeat(513) } }, 'metadata.k', 'invalid_value'],
    ['a value that is no text', { metadata: { k: 1 } }, 'metadata.k', 'invalid_value'],
    [
      'an expiry too far',
      { output_expires_after: { anchor: 'created_at', seconds: 1e7 } },
      'output_expires_after.seconds',
      'invalid_value',
    ],
  ])('%s', async (_name, more, param, code) => {
    await using emulator = await startStill();
    const response = await call(emulator, 'POST', '/batches', createBody('file-x', more));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param, code } });
  });

  test('a body that is no JSON', async () => {
    await using emulator = await startStill();
    expect((await call(emulator, 'POST', '/batches', '{')).status).toBe(400);
  });
});

test('16 tags of the greatest length come back', async () => {
  await using emulator = await startStill();
  const metadata = Object.fromEntries(
    Array.from({ length: 16 }, (_, at) => [`${at}`.padEnd(64, 'k'), 'v'.repeat(512)]),
  );
  expect(await create(emulator, 'file-x', { metadata })).toMatchObject({ metadata });
});
