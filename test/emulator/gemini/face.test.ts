import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Emulator } from '../../../runner/emulator/server.ts';
import type { Json, JsonObject } from '../../../runner/ids.ts';
import { chargedRequests, HOUR_MS, startStill } from '../../support/emulator.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startStill();
});

afterEach(() => emulator.close());

const KEY = { 'x-goog-api-key': 'any' };

function call(method: string, path: string, body?: unknown, headers: Record<string, string> = KEY) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${emulator.origin}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: text }),
  });
}

async function jsonOf(response: Promise<Response>): Promise<JsonObject> {
  return (await (await response).json()) as JsonObject;
}

async function startUpload(bytes: number, name?: string): Promise<Response> {
  const file = { mimeType: 'application/jsonl', ...(name === undefined ? {} : { name }) };
  return call(
    'POST',
    '/upload/v1beta/files',
    { file },
    {
      ...KEY,
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(bytes),
    },
  );
}

function piece(
  address: string,
  text: string,
  offset: number,
  command = 'upload, finalize',
): Promise<Response> {
  const headers = { ...KEY, 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) };
  return fetch(address, { method: 'POST', headers, body: text });
}

/** The name of the new file. */
async function upload(text: string, name?: string): Promise<string> {
  const started = await startUpload(Buffer.byteLength(text), name);
  const address = started.headers.get('x-goog-upload-url') ?? '';
  const { file } = await jsonOf(piece(address, text, 0));
  return String((file as JsonObject).name);
}

const BODY: JsonObject = { contents: [{ role: 'user', parts: [{ text: 'Say something.' }] }] };

function lines(count: number, body: JsonObject = BODY): string {
  return Array.from(
    { length: count },
    (_, at) => `${JSON.stringify({ key: `k-${at + 1}`, request: body })}\n`,
  ).join('');
}

function create(fileName: string, model = 'gemini-3.8-flash'): Promise<Response> {
  return call('POST', `/v1beta/models/${model}:batchGenerateContent`, {
    batch: { displayName: 'nightly', inputConfig: { fileName } },
  });
}

interface Operation {
  readonly name: string;
  readonly done?: boolean;
  readonly response?: JsonObject;
  readonly error?: JsonObject;
  readonly metadata: JsonObject & { readonly output?: { readonly responsesFile: string } };
}

async function run(text: string, ms = HOUR_MS): Promise<Operation> {
  const { name } = (await jsonOf(create(await upload(text)))) as unknown as Operation;
  emulator.clock.advance(ms);
  return look(name);
}

async function look(name: string): Promise<Operation> {
  return (await jsonOf(call('GET', `/v1beta/${name}`))) as unknown as Operation;
}

async function results({ metadata }: Operation): Promise<Record<string, JsonObject>> {
  const text = await (
    await call('GET', `/v1beta/${metadata.output?.responsesFile}:download?alt=media`)
  ).text();
  const parsed = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject & { key: string });
  return Object.fromEntries(parsed.map((line) => [line.key, line]));
}

function responseOf(got: Record<string, JsonObject>, key: string): JsonObject {
  return (got[key]?.response ?? {}) as JsonObject;
}

describe('a batch', () => {
  test('is an operation whose metadata tells all; counts are text and zeros are left out', async () => {
    emulator.setScenario({ rules: [{ on: 'line', line: 2, do: { status: 503 } }] });
    const created = (await jsonOf(create(await upload(lines(3))))) as unknown as Operation;
    expect(created).toMatchObject({
      name: expect.stringMatching(/^batches\/[0-9a-z]{36}$/),
      metadata: { state: 'BATCH_STATE_PENDING', displayName: 'nightly', batchStats: {} },
    });
    expect(created).not.toHaveProperty('done');
    emulator.clock.advance(HOUR_MS);
    const ended = await look(created.name);
    const output = { responsesFile: `files/batch-${created.name.slice('batches/'.length)}` };
    expect(ended).toMatchObject({
      done: true,
      response: output,
      metadata: { state: 'BATCH_STATE_SUCCEEDED', output, endTime: expect.stringMatching(/\.\d{6}Z$/) },
    });
    expect(ended.metadata.batchStats).toEqual({
      requestCount: '3',
      successfulRequestCount: '2',
      failedRequestCount: '1',
    });
    const got = await results(ended);
    expect(got['k-1']).toMatchObject({ response: { candidates: [{ finishReason: 'STOP' }] } });
    expect(got['k-2']).toEqual({ key: 'k-2', error: { code: 14, message: expect.any(String) } });
    expect(await chargedRequests(emulator)).toHaveLength(2);
  });

  test('that expires or is cancelled has no results, and nothing of it is charged', async () => {
    emulator.setScenario({ rules: [{ on: 'create', do: { expire_with: 0.5 } }] });
    const expired = await run(lines(4), 49 * HOUR_MS);
    expect(expired).toMatchObject({
      done: true,
      error: { code: 4 },
      metadata: { state: 'BATCH_STATE_EXPIRED' },
    });
    expect(expired.metadata).not.toHaveProperty('output');
    expect(await chargedRequests(emulator)).toEqual([]);
  });

  test('that is stuck stays pending beyond its window', async () => {
    emulator.setScenario({ rules: [{ on: 'create', do: { stuck: 'validating' } }] });
    expect((await run(lines(1), 72 * HOUR_MS)).metadata.state).toBe('BATCH_STATE_PENDING');
  });

  test.each<readonly [string, string, string]>([
    ['a line that is no JSON', '{"key":\n', 'Line 1'],
    ['a line without a key', `${JSON.stringify({ request: BODY })}\n`, 'no key'],
  ])('fails as a whole for %s', async (_title, text, message) => {
    expect(await run(text)).toMatchObject({
      done: true,
      error: { code: 3, message: expect.stringContaining(message) },
      metadata: { state: 'BATCH_STATE_FAILED' },
    });
  });

  test.each<readonly [string, JsonObject]>([
    ['no contents', {}],
    ['another model', { ...BODY, model: 'models/another' }],
    ['a schema without its type', { ...BODY, generationConfig: { responseJsonSchema: { type: 'object' } } }],
  ])('goes on where a single request has %s', async (_title, body) => {
    const text = `${lines(1)}${JSON.stringify({ key: 'bad', request: body })}\n`;
    const got = await results(await run(text));
    expect(got.bad).toMatchObject({ error: { code: 3 } });
    expect(got['k-1']).toHaveProperty('response');
  });
});

describe('answers', () => {
  test('thoughts are counted apart, and a blocked prompt has no candidates', async () => {
    emulator.setScenario({ rules: [{ on: 'line', line: 2, do: { answer: 'refusal' } }] });
    const config = { thinkingConfig: { thinkingLevel: 'LOW' }, maxOutputTokens: 40 };
    const got = await results(await run(lines(2, { ...BODY, generationConfig: config })));
    const { usageMetadata } = responseOf(got, 'k-1') as { usageMetadata: Record<string, number> };
    const { promptTokenCount = 0, candidatesTokenCount = 0, thoughtsTokenCount = 0 } = usageMetadata;
    expect(thoughtsTokenCount).toBeGreaterThan(0);
    expect(usageMetadata.totalTokenCount).toBe(promptTokenCount + candidatesTokenCount + thoughtsTokenCount);
    expect(got['k-2']?.response).toMatchObject({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } });
    expect(got['k-2']?.response).not.toHaveProperty('candidates');
  });

  test('follow the schema that was asked for', async () => {
    const schema = { type: 'object', properties: { label: { enum: ['x'] } }, required: ['label'] } as Json;
    const generationConfig = { responseMimeType: 'application/json', responseJsonSchema: schema };
    const got = await results(await run(lines(1, { ...BODY, generationConfig })));
    const { candidates } = responseOf(got, 'k-1') as unknown as {
      candidates: { content: { parts: { text: string }[] } }[];
    };
    expect(JSON.parse(candidates[0]?.content.parts[0]?.text ?? '')).toEqual({ label: 'x' });
  });
});

describe('uploads', () => {
  test('arrive in pieces, each where the last ended', async () => {
    const text = 'x'.repeat(1 << 18);
    const started = await startUpload(text.length + 2);
    expect(started.headers.get('x-goog-upload-status')).toBe('active');
    const address = started.headers.get('x-goog-upload-url') ?? '';
    expect((await piece(address, text, 0, 'upload')).headers.get('x-goog-upload-status')).toBe('active');
    expect((await piece(address, 'y', 7, 'upload')).status).toBe(400);
    const query = await piece(address, '', 0, 'query');
    expect(query.headers.get('x-goog-upload-size-received')).toBe(String(text.length));
    const last = await piece(address, 'z\n', text.length);
    expect(last.headers.get('x-goog-upload-status')).toBe('final');
    expect(await last.json()).toMatchObject({
      file: { sizeBytes: String(text.length + 2), state: 'ACTIVE' },
    });
  });

  test.each([
    ['a name in capitals', 5, 'files/Run-1'],
    ['a name of 41 characters', 5, `files/${'a'.repeat(41)}`],
    ['no length', 0, 'files/a'],
    ['more than 2 GB', 2_000_000_001, 'files/a'],
  ])('%s is refused', async (_title, bytes, name) => {
    expect((await startUpload(bytes, name)).status).toBe(400);
  });

  test('a name that was deleted is free again', async () => {
    const name = await upload('x\n', 'files/run-1');
    expect((await startUpload(2, name)).status).toBe(409);
    expect(await jsonOf(call('DELETE', `/v1beta/${name}`))).toEqual({});
    expect((await startUpload(2, name)).status).toBe(200);
  });

  test('a result’s name is too long for anything but a download', async () => {
    const name = (await run(lines(1))).metadata.output?.responsesFile ?? '';
    expect(name).toHaveLength('files/'.length + 42);
    for (const method of ['GET', 'DELETE']) expect((await call(method, `/v1beta/${name}`)).status).toBe(400);
    expect((await call('GET', `/v1beta/${name}:download?alt=media`)).status).toBe(200);
  });

  test('files are gone after 48 hours, in the words of one that never was', async () => {
    const name = await upload('x\n');
    emulator.clock.advance(47 * HOUR_MS);
    expect((await call('GET', `/v1beta/${name}`)).status).toBe(200);
    emulator.clock.advance(HOUR_MS);
    const gone = await call('GET', `/v1beta/${name}`);
    expect(gone.status).toBe(403);
    expect(await gone.json()).toMatchObject({ error: { message: expect.stringContaining('may not exist') } });
    expect(await jsonOf(call('GET', '/v1beta/files'))).toEqual({});
  });
});

describe('what is refused', () => {
  test.each<readonly [string, () => Promise<Response>, number]>([
    ['no key', () => call('GET', '/v1beta/batches', undefined, {}), 403],
    ['an unknown batch', () => call('GET', '/v1beta/batches/x'), 404],
    ['an unknown file', () => create('files/x'), 404],
    ['no name for a batch', () => call('POST', '/v1beta/models/m:batchGenerateContent', { batch: {} }), 400],
    [
      'inlined requests',
      () =>
        call('POST', '/v1beta/models/m:batchGenerateContent', {
          batch: { displayName: 'a', inputConfig: { requests: {} } },
        }),
      400,
    ],
    ['a page of nothing', () => call('GET', '/v1beta/batches?pageSize=0'), 400],
    ['a token of nobody', () => call('GET', '/v1beta/batches?pageToken=x'), 400],
  ])('%s', async (_title, ask, status) => {
    expect((await ask()).status).toBe(status);
  });

  test('a model that does not exist, and a queue that is full, at once', async () => {
    emulator.setScenario({ limits: { models: ['gemini-3.8-flash'], enqueued_tokens: 60 } });
    const file = await upload(lines(2));
    expect((await create(file, 'gemini-0')).status).toBe(404);
    expect((await create(file)).status).toBe(200);
    const full = await create(file);
    expect(full.status).toBe(429);
    expect(await full.json()).toMatchObject({ error: { details: [{ retryDelay: '30s' }] } });
  });

  test('OpenAI’s calls under the same paths are OpenAI’s', async () => {
    const list = await jsonOf(call('GET', '/v1/batches', undefined, { authorization: 'Bearer any' }));
    expect(list).toMatchObject({ object: 'list' });
    expect(await jsonOf(call('GET', '/v1/batches'))).toEqual({});
  });
});
