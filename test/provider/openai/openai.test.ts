import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Effect, withEffects } from '../../../runner/effects.ts';
import { type IntentId, instant, newIntentId } from '../../../runner/ids.ts';
import { openaiProvider } from '../../../runner/provider/openai/openai.ts';
import type { ProviderOptions } from '../../../runner/provider/options.ts';
import type { Provider } from '../../../runner/provider/port.ts';
import {
  type Answer,
  hangUp,
  json,
  type Loopback,
  silence,
  startLoopback,
  text,
} from '../../support/loopback.ts';

const KEY = 'sk-test-0123456789abcdef';
const INTENT = 'abcdefghij012345' as IntentId;
const DATE = { date: 'Mon, 30 Nov 2026 10:00:00 GMT' };
const ORDER = {
  intent: INTENT,
  fileId: 'file-1',
  input: { path: 'unread', bytes: 0 },
  model: 'gpt-5.4-mini',
  endpoint: '/v1/responses',
  tags: { batchwright_job: 'tickets' },
} as const;

function batch(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'batch_1',
    object: 'batch',
    status: 'validating',
    created_at: 1790000000,
    input_file_id: 'file-1',
    metadata: null,
    ...changes,
  };
}

function error(code: string | null, message = 'because', type = 'invalid_request_error') {
  return { error: { message, type, param: null, code } };
}

let server: Loopback;
let folder: string;
let effects: string[];
const note = ({ name, target }: Effect) => void effects.push(`${name} ${target}`);

beforeEach(async () => {
  server = await startLoopback();
  folder = await mkdtemp(join(tmpdir(), 'batchwright-openai-'));
  effects = [];
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function open(changes: Partial<ProviderOptions> = {}, baseUrl = server.url): Promise<Provider> {
  const settings = {
    kind: 'openai',
    baseUrl,
    apiKeyEnv: 'X',
    account: 'prod',
    organization: 'org-1',
    project: null,
    workspace: null,
    emulator: false,
  } as const;
  return openaiProvider({
    name: 'openai',
    settings,
    apiKey: KEY,
    retryDelaysMs: [0, 0],
    timeoutMs: 500,
    ...changes,
  });
}

describe('create', () => {
  test('B039: one request with our tag, and the batch that it made', async () => {
    server.answer(json(batch({ metadata: { batchwright_intent: INTENT } }), 200, DATE));
    const provider = await open();
    const result = await withEffects(note, () => provider.create(ORDER));
    expect(result).toMatchObject({
      kind: 'accepted',
      batch: { id: 'batch_1', intent: INTENT, serverNow: '2026-11-30T10:00:00.000Z' },
    });
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]).toMatchObject({ method: 'POST', path: '/v1/batches' });
    expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual({
      input_file_id: 'file-1',
      endpoint: '/v1/responses',
      completion_window: '24h',
      metadata: { batchwright_job: 'tickets', batchwright_intent: INTENT },
    });
    expect(effects).toEqual([`http.send create ${INTENT}`, `http.answered create ${INTENT}`]);
  });

  const accepted = json(batch());
  const lost: Answer = (_asked, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 });
    response.write('{"id":"batch_1"', () => response.socket?.destroy());
  };
  test.each<readonly [string, Answer, string]>([
    ['the connection breaks', hangUp, 'network'],
    ['no answer in time', silence, 'network'],
    ['the answer breaks off', lost, 'network'],
    ['500', json(error('server_error'), 500), 'server'],
    ['503 with a page of HTML', text('<html>try later</html>', 503), 'server'],
    ['504', text('', 504), 'server'],
    ['408: a gateway gave up', json(error(null), 408), 'server'],
    ['409: an earlier request may have won', json(error(null), 409), 'server'],
    ['a redirect, which is not followed', text('', 307, { location: 'https://example.invalid/' }), 'network'],
    ['200 with what is no JSON', text('OK'), 'server'],
    [
      '200 with broken JSON',
      (_a, r) => void r.writeHead(200, { 'content-type': 'application/json' }).end('{"id":'),
      'server',
    ],
    ['200 with an empty body', json(''), 'server'],
    ['200 with an error', json(error('x')), 'server'],
    ['200 with no id', json(batch({ id: null })), 'server'],
  ])('B039: %s: nobody knows, and nothing is sent twice', async (_title, answer, about) => {
    server.answer(answer, accepted);
    expect(await (await open()).create(ORDER)).toMatchObject({ kind: 'ambiguous', error: { about } });
    expect(server.asked).toHaveLength(1);
  });

  test.each<readonly [string, Answer, Record<string, unknown>]>([
    [
      '400',
      json(error('missing_required_parameter'), 400),
      { status: 400, code: 'missing_required_parameter', about: 'request', retryAfterMs: null },
    ],
    [
      'B041: 400, since the file is not seen yet',
      json(error(null, 'Cannot find file file-1'), 400),
      { about: 'server' },
    ],
    ['401', json(error('invalid_api_key'), 401), { about: 'account' }],
    ['403', json(error(null), 403), { about: 'account' }],
    ['404', json(error(null), 404), { about: 'request' }],
    [
      '429 for a minute and one second',
      json(error('rate_limit_exceeded'), 429, { 'retry-after': '61' }),
      { about: 'capacity', retryAfterMs: 61_000 },
    ],
    [
      'B038: 429 for money',
      json(error('credit_balance_exhausted', 'm', 'insufficient_quota'), 429),
      { about: 'account', retryAfterMs: null },
    ],
  ])('%s is a refusal: nothing was made', async (_title, answer, expected) => {
    server.answer(answer, accepted);
    expect(await (await open()).create(ORDER)).toMatchObject({ kind: 'refused', error: expected });
    expect(server.asked).toHaveLength(1);
  });

  test('no connection was made: a refusal too, with the cause and what to do', async () => {
    await server[Symbol.asyncDispose]();
    const provider = await open({ networkHint: 'HTTPS_PROXY is set' });
    const result = await provider.create(ORDER);
    expect(result).toMatchObject({
      kind: 'refused',
      error: { about: 'network', code: 'ECONNREFUSED', status: null },
    });
    expect(result.kind === 'refused' && result.error.message).toMatch(
      /ECONNREFUSED .*\(HTTPS_PROXY is set\)$/,
    );
    server = await startLoopback();
  });
});

describe('who is asked, and as whom', () => {
  test('B033: the settings decide, whatever the environment says', async () => {
    server.answer(json(batch()));
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'Authorization: Bearer sk-other\nOpenAI-Project: proj-other');
    vi.stubEnv('OPENAI_ORG_ID', 'org-other');
    await (await open()).poll('batch_1');
    const headers = server.asked[0]?.headers;
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'openai-organization': 'org-1' });
    expect(headers).not.toHaveProperty('openai-project');
  });

  test('a key that the server repeats does not reach a message', async () => {
    server.answer(json(error('invalid_api_key', `Incorrect API key provided: ${KEY}.`), 401));
    const call = await (await open()).cancel('batch_1');
    expect(JSON.stringify(call)).not.toContain(KEY);
    expect(call).toMatchObject({ kind: 'failed', error: { message: 'Incorrect API key provided: [key].' } });
  });
});

describe('poll', () => {
  test('a batch with the server’s clock', async () => {
    server.answer(json(batch({ status: 'in_progress' }), 200, DATE));
    expect(await (await open()).poll('batch_1')).toMatchObject({
      kind: 'ok',
      value: { state: 'running', serverNow: '2026-11-30T10:00:00.000Z' },
    });
  });

  test('B045: 404 is its own answer and not "gone"', async () => {
    server.answer(json(error(null, 'No batch found'), 404));
    expect(await (await open()).poll('batch_1')).toEqual({ kind: 'not_found', message: 'No batch found' });
  });

  test('a lost connection and a server’s error are tried again', async () => {
    server.answer(hangUp, json(error(null), 502), json(batch()));
    const provider = await open();
    expect(await withEffects(note, () => provider.poll('batch_1'))).toMatchObject({ kind: 'ok' });
    expect(server.asked).toHaveLength(3);
    expect(effects.filter((each) => each === 'http.send poll batch_1')).toHaveLength(3);
  });

  test('twice, not for ever', async () => {
    server.answer(json(error(null, 'down'), 500));
    expect(await (await open()).poll('batch_1')).toMatchObject({
      kind: 'failed',
      error: { about: 'server', message: 'down' },
    });
    expect(server.asked).toHaveLength(3);
  });

  test.each([
    [
      '429',
      json(error('rate_limit_exceeded'), 429, { 'retry-after': '1' }),
      { about: 'capacity', retryAfterMs: 1000 },
    ],
    [
      '503 that names a time',
      json(error(null), 503, { 'retry-after': '90' }),
      { about: 'server', retryAfterMs: 90_000 },
    ],
    ['401', json(error('invalid_api_key'), 401), { about: 'account' }],
  ] as const)('%s is left to a later pass', async (_title, answer, expected) => {
    server.answer(answer);
    expect(await (await open()).poll('batch_1')).toMatchObject({ kind: 'failed', error: expected });
    expect(server.asked).toHaveLength(1);
  });
});

describe('find', () => {
  const oneMinute = 60;
  const tagged = (id: string, ago: number, intent?: string) =>
    batch({
      id,
      created_at: Date.parse('2026-11-30T10:00:00Z') / 1000 - ago * oneMinute,
      metadata: intent ? { batchwright_intent: intent } : {},
    });

  test('reads page after page', async () => {
    server.answer(
      json({ object: 'list', data: [tagged('b1', 1), tagged('b2', 2)], has_more: true }, 200, DATE),
      json({ object: 'list', data: [tagged('b3', 3, INTENT)], has_more: false }, 200, DATE),
    );
    const call = await (await open()).find([INTENT], instant('2026-11-30T09:00:00Z'));
    expect(call).toMatchObject({
      kind: 'ok',
      value: { complete: true, serverNow: '2026-11-30T10:00:00.000Z', found: [{ id: 'b3' }] },
    });
    expect(server.asked.map((asked) => `${asked.path}?${asked.query}`)).toEqual([
      '/v1/batches?limit=100',
      '/v1/batches?limit=100&after=b2',
    ]);
  });

  test.each([
    ['a page without data', json({ object: 'list' })],
    ['HTML', text('<html>')],
  ])('%s is no proof of absence', async (_title, answer) => {
    server.answer(answer);
    expect(await (await open()).find([INTENT], instant('2026-11-30T09:00:00Z'))).toMatchObject({
      kind: 'failed',
    });
  });
});

describe('upload', () => {
  test('the file with its length, purpose and expiry', async () => {
    const path = join(folder, 'wire.jsonl');
    await writeFile(path, '{"custom_id":"a_1"}\n{"custom_id":"ü"}\n');
    server.answer(json({ id: 'file-9', object: 'file' }));
    const { size } = await stat(path);
    const call = await (await open()).upload({
      intent: newIntentId(),
      path,
      bytes: size,
      name: 'tickets-run7.jsonl',
    });
    expect(call).toEqual({ kind: 'ok', value: { fileId: 'file-9' } });
    const [asked] = server.asked;
    expect(asked).toMatchObject({ method: 'POST', path: '/v1/files' });
    expect(Number(asked?.headers['content-length'])).toBe(Buffer.byteLength(asked?.body ?? ''));
    expect(asked?.body).toContain('filename="tickets-run7.jsonl"');
    expect(asked?.body).toContain('{"custom_id":"a_1"}\n{"custom_id":"ü"}\n');
    expect(asked?.body).toMatch(/name="purpose"\r\n\r\nbatch\r\n/);
    expect(asked?.body).toMatch(/name="expires_after\[anchor\]"\r\n\r\ncreated_at\r\n/);
    expect(asked?.body).toMatch(/name="expires_after\[seconds\]"\r\n\r\n604800\r\n/);
  });

  test('is tried again: a second file costs nothing', async () => {
    const path = join(folder, 'wire.jsonl');
    await writeFile(path, '{}\n');
    server.answer(hangUp, json(error(null), 500), json({ id: 'file-9' }));
    const call = await (await open()).upload({ intent: newIntentId(), path, bytes: 3, name: 'a.jsonl' });
    expect(call).toMatchObject({ kind: 'ok', value: { fileId: 'file-9' } });
    expect(server.asked).toHaveLength(3);
    expect(server.asked.at(-1)?.body).toContain('{}\n');
  });

  test('a refusal says why', async () => {
    const path = join(folder, 'wire.jsonl');
    await writeFile(path, '{}\n');
    server.answer(json(error(null, 'Invalid file format for Batch API. Must be .jsonl'), 400));
    expect(
      await (await open()).upload({ intent: newIntentId(), path, bytes: 3, name: 'a.txt' }),
    ).toMatchObject({
      kind: 'failed',
      error: { about: 'request', message: 'Invalid file format for Batch API. Must be .jsonl' },
    });
  });

  test('a file of ours that is not there is our error and not the provider’s', async () => {
    const provider = await open();
    await expect(
      provider.upload({ intent: newIntentId(), path: join(folder, 'absent'), bytes: 1, name: 'a.jsonl' }),
    ).rejects.toThrow();
    expect(server.asked).toHaveLength(0);
  });
});

describe('download', () => {
  const body = '{"custom_id":"a"}\n{"custom_id":"ü"}\n';
  const file: Answer = (_asked, response) => {
    response.writeHead(200, {
      'content-type': 'application/jsonl',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  };
  const short: Answer = (_asked, response) => {
    response.writeHead(200, { 'content-length': Buffer.byteLength(body) + 100 });
    response.write(body, () => response.socket?.end());
  };
  const chunkedAndCut: Answer = (_asked, response) => {
    response.writeHead(200, {});
    response.write(body, () => response.socket?.destroy());
  };

  test('B055: streams the bytes as they are', async () => {
    server.answer(file);
    const path = join(folder, 'out.jsonl');
    const call = await (await open()).download('file-2', path);
    const digest = createHash('sha256').update(body).digest('hex');
    expect(call).toEqual({
      kind: 'ok',
      value: { bytes: Buffer.byteLength(body), digest, endsWithLineFeed: true },
    });
    expect(await readFile(path, 'utf8')).toBe(body);
    expect(server.asked[0]).toMatchObject({
      path: '/v1/files/file-2/content',
      headers: { 'accept-encoding': 'identity' },
    });
  });

  test.each([
    ['shorter than announced', short],
    ['chunked and cut', chunkedAndCut],
  ])('B054: %s is no download, and nothing of it stays', async (_title, answer) => {
    server.answer(answer);
    const path = join(folder, 'out.jsonl');
    const call = await (await open()).download('file-2', path);
    expect(call).toMatchObject({ kind: 'failed', error: { about: 'network' } });
    expect(server.asked).toHaveLength(3);
    await expect(stat(path)).rejects.toThrow();
  });

  test('B054: after a short one the next is whole', async () => {
    server.answer(short, file);
    const path = join(folder, 'out.jsonl');
    expect(await (await open()).download('file-2', path)).toMatchObject({ kind: 'ok' });
    expect(await readFile(path, 'utf8')).toBe(body);
  });

  test('an empty file is a file', async () => {
    server.answer((_asked, response) => void response.writeHead(200, { 'content-length': 0 }).end());
    expect(await (await open()).download('file-2', join(folder, 'out.jsonl'))).toMatchObject({
      kind: 'ok',
      value: { bytes: 0 },
    });
  });

  test('a file that is kept elsewhere is fetched without the key', async () => {
    await using elsewhere = await startLoopback(file);
    const location = elsewhere.url.replace('127.0.0.1', 'localhost');
    server.answer(text('', 302, { location }));
    expect(await (await open()).download('file-2', join(folder, 'out.jsonl'))).toMatchObject({ kind: 'ok' });
    expect(elsewhere.asked[0]?.headers).not.toHaveProperty('authorization');
  });

  test('a folder of ours that is not there is our error', async () => {
    server.answer(file);
    await expect((await open()).download('file-2', join(folder, 'no', 'out'))).rejects.toThrow('ENOENT');
  });
});

describe('cancel and discard', () => {
  test('cancel gives the batch as it is now', async () => {
    server.answer(json(batch({ status: 'cancelling' })));
    expect(await (await open()).cancel('batch_1')).toMatchObject({
      kind: 'ok',
      value: { state: 'cancelling' },
    });
    expect(server.asked[0]).toMatchObject({ method: 'POST', path: '/v1/batches/batch_1/cancel' });
  });

  test.each([
    ['deleted', json({ id: 'file-1', deleted: true })],
    ['gone already', json(error(null), 404)],
  ])('discard: %s', async (_title, answer) => {
    server.answer(answer);
    expect(await (await open()).discard('file-1')).toEqual({ kind: 'ok', value: { deleted: true } });
    expect(server.asked[0]).toMatchObject({ method: 'DELETE', path: '/v1/files/file-1' });
  });

  test('discard: not allowed', async () => {
    server.answer(json(error(null), 403));
    expect(await (await open()).discard('file-1')).toMatchObject({
      kind: 'failed',
      error: { about: 'account' },
    });
  });
});
