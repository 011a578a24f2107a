import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Effect, withEffects } from '../../../runner/effects.ts';
import { type IntentId, instant } from '../../../runner/ids.ts';
import { anthropicProvider } from '../../../runner/provider/anthropic/anthropic.ts';
import type { ProviderOptions } from '../../../runner/provider/options.ts';
import type { CreateOrder, Provider } from '../../../runner/provider/port.ts';
import {
  type Answer,
  hangUp,
  json,
  type Loopback,
  silence,
  startLoopback,
  text,
} from '../../support/loopback.ts';

const KEY = 'sk-ant-test-0123456789abcdef';
const INTENT = 'abcdefghij012345' as IntentId;
const DATE = { date: 'Mon, 30 Nov 2026 10:00:00 GMT' };

function batch(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'msgbatch_1',
    type: 'message_batch',
    processing_status: 'in_progress',
    request_counts: { processing: 2, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    created_at: '2026-11-30T10:00:00Z',
    expires_at: '2026-12-01T10:00:00Z',
    results_url: null,
    ...changes,
  };
}

function error(type: string, message = 'because', details?: Record<string, unknown>) {
  return { type: 'error', error: { type, message, ...(details && { details }) }, request_id: 'req_1' };
}

let server: Loopback;
let folder: string;
let effects: string[];
const note = ({ name, target }: Effect) => void effects.push(`${name} ${target}`);

beforeEach(async () => {
  server = await startLoopback();
  folder = await mkdtemp(join(tmpdir(), 'batchwright-anthropic-'));
  effects = [];
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function open(changes: Partial<ProviderOptions> = {}, workspace: string | null = null): Promise<Provider> {
  const settings = {
    kind: 'anthropic',
    baseUrl: server.origin,
    apiKeyEnv: 'X',
    account: 'prod',
    organization: null,
    project: null,
    workspace,
    emulator: false,
  } as const;
  return anthropicProvider({
    name: 'anthropic',
    settings,
    apiKey: KEY,
    retryDelaysMs: [0, 0],
    timeoutMs: 500,
    ...changes,
  });
}

/** A shard's lines as they stand on disk. */
async function orderOf(content: string): Promise<CreateOrder> {
  const path = join(folder, 'in.jsonl');
  await writeFile(path, content);
  return {
    intent: INTENT,
    fileId: null,
    input: { path, bytes: Buffer.byteLength(content) },
    model: 'claude-haiku-4-5',
    endpoint: '/v1/messages',
    tags: { batchwright_job: 'tickets' },
  };
}

const LINES = ['{"custom_id":"a_0","params":{"x":"1\\n2"}}', '{"custom_id":"a_1","params":{}}'];
const FILE = LINES.map((line) => `${line}\n`).join('');

test('there is nothing to upload, and nothing is asked', async () => {
  const { input } = await orderOf(FILE);
  const provider = await open();
  const call = await withEffects(note, () => provider.upload({ ...input, intent: INTENT, name: 'x' }));
  expect(call).toEqual({ kind: 'ok', value: { fileId: null } });
  expect([server.asked, effects]).toEqual([[], []]);
});

describe('create', () => {
  test('B039: one request with all lines, its length announced, and the batch that it made', async () => {
    server.answer(json(batch(), 200, DATE));
    const provider = await open();
    const order = await orderOf(FILE);
    const result = await withEffects(note, () => provider.create(order));
    expect(result).toMatchObject({
      kind: 'accepted',
      batch: { id: 'msgbatch_1', state: 'running', intent: null, serverNow: '2026-11-30T10:00:00.000Z' },
    });
    expect(server.asked).toHaveLength(1);
    const [asked] = server.asked;
    expect(asked).toMatchObject({ method: 'POST', path: '/v1/messages/batches' });
    expect(asked?.body).toBe(`{"requests":[${LINES.join(',')}]}`);
    expect(asked?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(asked?.body.length),
    });
    expect(effects).toEqual([`http.send create ${INTENT}`, `http.answered create ${INTENT}`]);
  });

  test('a file of many pieces arrives whole', async () => {
    server.answer(json(batch()));
    const lines = Array.from({ length: 3000 }, (_, at) =>
      JSON.stringify({ custom_id: `a_${at}`, params: { text: 'ü'.repeat(at) } }),
    );
    const order = await orderOf(lines.map((line) => `${line}\n`).join(''));
    expect(await (await open({ timeoutMs: 5000 })).create(order)).toMatchObject({ kind: 'accepted' });
    expect(server.asked[0]?.body).toBe(`{"requests":[${lines.join(',')}]}`);
  });

  const accepted = json(batch());
  test.each<readonly [string, Answer, string]>([
    ['the connection breaks', hangUp, 'network'],
    ['no answer in time', silence, 'network'],
    ['500', json(error('api_error'), 500), 'server'],
    ['504', json(error('timeout_error'), 504), 'server'],
    ['529', json(error('overloaded_error'), 529), 'capacity'],
    ['409: an earlier request may have won', json(error('conflict_error'), 409), 'server'],
    ['a redirect, which is not followed', text('', 307, { location: 'https://example.invalid/' }), 'network'],
    ['200 with what is no JSON', text('OK'), 'server'],
    ['200 with an error', json(error('api_error')), 'server'],
    ['200 with no id', json(batch({ id: null })), 'server'],
  ])('B039: %s: nobody knows, and nothing is sent twice', async (_title, answer, about) => {
    server.answer(answer, accepted);
    const order = await orderOf(FILE);
    expect(await (await open()).create(order)).toMatchObject({ kind: 'ambiguous', error: { about } });
    expect(server.asked).toHaveLength(1);
  });

  test.each<readonly [string, Answer, Record<string, unknown>]>([
    [
      '400',
      json(error('invalid_request_error'), 400),
      {
        status: 400,
        code: 'invalid_request_error',
        message: 'because',
        about: 'request',
        retryAfterMs: null,
      },
    ],
    ['401', json(error('authentication_error'), 401), { about: 'account' }],
    ['402', json(error('billing_error'), 402), { about: 'account' }],
    ['413', json(error('request_too_large'), 413), { about: 'request' }],
    [
      '429 for two minutes',
      json(error('rate_limit_error'), 429, { 'retry-after': '120' }),
      { about: 'capacity', retryAfterMs: 120_000 },
    ],
    [
      '429 until a time by the server',
      json(error('rate_limit_error'), 429, { ...DATE, 'retry-after': 'Mon, 30 Nov 2026 10:01:30 GMT' }),
      { about: 'capacity', retryAfterMs: 90_000 },
    ],
    [
      'B038: 429 for money',
      json(error('rate_limit_error', 'm', { error_code: 'contract_spend_limit_reached' }), 429),
      { about: 'account', code: 'contract_spend_limit_reached', retryAfterMs: null },
    ],
    [
      'B038: 400 for the limit that a customer set',
      json(error('invalid_request_error', 'You have reached your specified API usage limits.'), 400),
      { about: 'account', status: 400 },
    ],
  ])('%s is a refusal: nothing was made', async (_title, answer, expected) => {
    server.answer(answer, accepted);
    const order = await orderOf(FILE);
    expect(await (await open()).create(order)).toMatchObject({ kind: 'refused', error: expected });
    expect(server.asked).toHaveLength(1);
  });

  test('a file that does not end a line is a mistake of ours, and no provider’s answer', async () => {
    server.answer(accepted);
    const order = await orderOf(LINES.join('\n'));
    await expect((await open()).create(order)).rejects.toThrow('does not end with a line feed');
  });
});

describe('who is asked, and as whom', () => {
  test('B033: the settings decide, whatever the environment says', async () => {
    server.answer(json(batch()));
    vi.stubEnv(
      'ANTHROPIC_CUSTOM_HEADERS',
      'Authorization: Bearer other\nx-api-key: other\nanthropic-version: 2023-06-01\nanthropic-workspace-id: wrkspc_other',
    );
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-other');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9');
    await (await open()).poll('msgbatch_1');
    await (await open({}, 'wrkspc_1')).poll('msgbatch_1');
    const [plain, ours] = server.asked.map(({ headers }) => headers);
    expect(plain).toMatchObject({ authorization: `Bearer ${KEY}`, 'anthropic-version': '2026-10-21' });
    expect(plain).not.toHaveProperty('x-api-key');
    expect(plain).not.toHaveProperty('anthropic-workspace-id');
    expect(ours).toMatchObject({ 'anthropic-workspace-id': 'wrkspc_1' });
  });

  test('a key that the server repeats does not reach a message', async () => {
    server.answer(json(error('authentication_error', `invalid key ${KEY}`), 401));
    const call = await (await open()).cancel('msgbatch_1');
    expect(call).toMatchObject({ kind: 'failed', error: { message: 'invalid key [key]' } });
  });
});

describe('a batch by its id', () => {
  test('polled, not found, cancelled, deleted', async () => {
    const provider = await open();
    server.answer(json(batch({ processing_status: 'ended' })));
    expect(await provider.poll('msgbatch_1')).toMatchObject({ kind: 'ok', value: { state: 'completed' } });
    server.answer(json(error('not_found_error'), 404));
    expect(await provider.poll('msgbatch_1')).toEqual({ kind: 'not_found', message: 'because' });
    expect(await provider.discard('msgbatch_1')).toEqual({ kind: 'ok', value: { deleted: true } });
    server.answer(json(batch({ processing_status: 'canceling' })));
    expect(await provider.cancel('msgbatch_1')).toMatchObject({ value: { state: 'cancelling' } });
    server.answer(json({ id: 'msgbatch_1', type: 'message_batch_deleted' }));
    expect(await provider.discard('msgbatch_1')).toEqual({ kind: 'ok', value: { deleted: true } });
    server.answer(json(error('invalid_request_error', 'cancel it first'), 400));
    expect(await provider.discard('msgbatch_1')).toMatchObject({ kind: 'failed', error: { status: 400 } });
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/messages/batches/msgbatch_1',
      'GET /v1/messages/batches/msgbatch_1',
      'DELETE /v1/messages/batches/msgbatch_1',
      'POST /v1/messages/batches/msgbatch_1/cancel',
      'DELETE /v1/messages/batches/msgbatch_1',
      'DELETE /v1/messages/batches/msgbatch_1',
    ]);
  });

  test('what may be repeated is, and a server that names a time is left alone', async () => {
    server.answer(json(error('overloaded_error'), 529), json(batch()));
    expect(await (await open()).poll('msgbatch_1')).toMatchObject({ kind: 'failed' });
    server.answer(json(error('api_error'), 500), json(batch()));
    expect(await (await open()).poll('msgbatch_1')).toMatchObject({ kind: 'ok' });
    server.answer(json(error('api_error'), 503, { 'retry-after': '5' }), json(batch()));
    expect(await (await open()).poll('msgbatch_1')).toMatchObject({ kind: 'failed' });
    expect(server.asked).toHaveLength(4);
  });
});

test('the list is walked by cursor, newest first, and says of nothing that it is ours', async () => {
  const one = (id: string, created_at: string) => batch({ id, created_at });
  server.answer(
    json({ data: [one('b3', '2026-11-30T12:00:00Z'), one('b2', '2026-11-30T11:00:00Z')], has_more: true }),
    json({ data: [one('b1', '2026-11-30T09:00:00Z')], has_more: true }, 200, DATE),
  );
  const call = await (await open()).find([INTENT], instant('2026-11-30T10:00:00Z'));
  expect(call).toMatchObject({ kind: 'ok', value: { found: [], complete: true } });
  expect(call.kind === 'ok' && call.value.untagged.map(({ id }) => id)).toEqual(['b3', 'b2', 'b1']);
  expect(server.asked.map(({ query }) => Object.fromEntries(query))).toEqual([
    { limit: '1000' },
    { limit: '1000', after_id: 'b2' },
  ]);
});

describe('results', () => {
  const BODY = '{"custom_id":"a_0"}\n{"custom_id":"a_1"}\n';
  const whole: Answer = (_asked, response) => {
    response.writeHead(200, { 'content-length': BODY.length }).end(BODY);
  };
  const chunked =
    (body: string): Answer =>
    (_asked, response) => {
      response.writeHead(200, { 'content-type': 'application/x-jsonl' });
      response.write(body);
      response.end();
    };
  async function download(...answers: Answer[]) {
    server.answer(...answers);
    const path = join(folder, 'out.jsonl');
    const call = await (await open({ retryDelaysMs: [] })).download('msgbatch_1', path);
    return { call, path, asked: server.asked.map((each) => each.path) };
  }

  const RESULTS = '/v1/messages/batches/msgbatch_1/results';

  test('B054: as bytes, blank lines too, at the documented path', async () => {
    const { call, path, asked } = await download(whole);
    const digest = createHash('sha256').update(BODY).digest('hex');
    expect(call).toEqual({ kind: 'ok', value: { bytes: BODY.length, digest, endsWithLineFeed: true } });
    expect(await readFile(path, 'utf8')).toBe(BODY);
    expect(asked).toEqual([RESULTS]);
  });

  test.each([
    ['whole lines', BODY, true],
    ['no line feed at the end', BODY.trimEnd(), false],
    ['cut in a line', BODY.slice(0, -4), false],
  ])('without a length it is kept as it came: %s', async (_title, body, endsWithLineFeed) => {
    const { call, path, asked } = await download(chunked(body));
    expect(call).toMatchObject({ kind: 'ok', value: { bytes: body.length, endsWithLineFeed } });
    expect(await readFile(path, 'utf8')).toBe(body);
    expect(asked).toEqual([RESULTS]);
  });

  test('no length is listed anywhere', async () => {
    expect(await (await open()).fileSize('msgbatch_1')).toBeNull();
  });

  test.each<readonly [string, readonly Answer[], string]>([
    [
      'shorter than announced',
      [
        (_asked, response) => {
          response.writeHead(200, { 'content-length': 99 });
          response.write('{}\n', () => response.destroy());
        },
      ],
      'network',
    ],
    ['gone after 29 days', [json(error('not_found_error'), 404)], 'request'],
    ['a redirect to another host', [text('', 302, { location: 'https://example.invalid/' })], 'network'],
  ])('is no download: %s', async (_title, answers, about) => {
    const { call, path } = await download(...answers);
    expect(call).toMatchObject({ kind: 'failed', error: { about } });
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });
});
