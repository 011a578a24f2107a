import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Effect, withEffects } from '../../../runner/effects.ts';
import { type IntentId, instant } from '../../../runner/ids.ts';
import { geminiProvider } from '../../../runner/provider/gemini/gemini.ts';
import type { ProviderOptions } from '../../../runner/provider/options.ts';
import type { Provider } from '../../../runner/provider/port.ts';
import {
  type Answer,
  type Asked,
  hangUp,
  json,
  type Loopback,
  silence,
  startLoopback,
  text,
} from '../../support/loopback.ts';

const KEY = 'AIza-test-0123456789abcdef';
const INTENT = 'abcdefghij012345' as IntentId;
const DATE = { date: 'Mon, 30 Nov 2026 10:00:00 GMT' };
const ORDER = {
  intent: INTENT,
  fileId: `files/${INTENT}`,
  input: { path: 'unread', bytes: 0 },
  model: 'gemini-3.8-flash',
  endpoint: 'generateContent',
  tags: { batchwright_job: 'tickets' },
} as const;

function batch(metadata: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'batches/b1',
    metadata: {
      displayName: INTENT,
      state: 'BATCH_STATE_PENDING',
      createTime: '2026-11-30T09:59:00Z',
      ...metadata,
    },
  };
}

function error(code: number, status: string, message = 'because', details: readonly unknown[] = []) {
  return { error: { code, message, status, details } };
}

let server: Loopback;
let folder: string;
let effects: string[];
const note = ({ name, target }: Effect) => void effects.push(`${name} ${target}`);

beforeEach(async () => {
  server = await startLoopback();
  folder = await mkdtemp(join(tmpdir(), 'batchwright-gemini-'));
  effects = [];
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function open(changes: Partial<ProviderOptions> = {}): Promise<Provider> {
  const settings = {
    kind: 'gemini',
    baseUrl: new URL(server.url).origin,
    apiKeyEnv: 'X',
    account: 'prod',
    organization: null,
    project: null,
    workspace: null,
    emulator: false,
  } as const;
  return geminiProvider({
    name: 'gemini',
    settings,
    apiKey: KEY,
    retryDelaysMs: [0, 0],
    timeoutMs: 500,
    ...changes,
  });
}

describe('create', () => {
  test('B039: one request with the intent as its name, and the batch that it made', async () => {
    server.answer(json(batch(), 200, DATE));
    const provider = await open();
    const result = await withEffects(note, () => provider.create(ORDER));
    expect(result).toMatchObject({
      kind: 'accepted',
      batch: { id: 'batches/b1', intent: INTENT, state: 'submitted', serverNow: '2026-11-30T10:00:00.000Z' },
    });
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]).toMatchObject({
      method: 'POST',
      path: '/v1beta/models/gemini-3.8-flash:batchGenerateContent',
      headers: { 'x-goog-api-key': KEY },
    });
    expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual({
      batch: { displayName: INTENT, inputConfig: { fileName: `files/${INTENT}` } },
    });
    expect(effects).toEqual([`http.send create ${INTENT}`, `http.answered create ${INTENT}`]);
  });

  const lost: Answer = (_asked, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 });
    response.write('{"name":"batches/b1"', () => response.socket?.destroy());
  };
  test.each<readonly [string, Answer, string]>([
    ['the connection breaks', hangUp, 'network'],
    ['no answer in time', silence, 'network'],
    ['the answer breaks off', lost, 'network'],
    ['500', json(error(500, 'INTERNAL'), 500), 'server'],
    ['503 with a page of HTML', text('<html>try later</html>', 503), 'server'],
    ['504', json(error(504, 'DEADLINE_EXCEEDED'), 504), 'server'],
    ['408: a gateway gave up', text('', 408), 'server'],
    ['409: an earlier request may have won', json(error(409, 'ABORTED'), 409), 'server'],
    ['499', json(error(499, 'CANCELLED'), 499), 'server'],
    ['a redirect, which is not followed', text('', 307, { location: 'https://example.invalid/' }), 'network'],
    ['200 with what is no JSON', text('OK'), 'server'],
    ['200 with broken JSON', text('{"name":'), 'server'],
    ['200 with an empty body', text(''), 'server'],
    ['200 with an error', json(error(500, 'INTERNAL')), 'server'],
    ['200 with no name', json({ metadata: {} }), 'server'],
  ])('B039: %s: nobody knows, and nothing is sent twice', async (_title, answer, about) => {
    server.answer(answer, json(batch()));
    expect(await (await open()).create(ORDER)).toMatchObject({ kind: 'ambiguous', error: { about } });
    expect(server.asked).toHaveLength(1);
  });

  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '61s' };
  test.each<readonly [string, Answer, Record<string, unknown>]>([
    [
      '400',
      json(error(400, 'INVALID_ARGUMENT'), 400),
      { status: 400, code: 'INVALID_ARGUMENT', about: 'request', retryAfterMs: null },
    ],
    [
      'B041: the file is not ready',
      json(error(400, 'FAILED_PRECONDITION', 'The File x is not in an ACTIVE state'), 400),
      { about: 'server' },
    ],
    ['401', json(error(401, 'UNAUTHENTICATED'), 401), { about: 'account' }],
    ['B038: 402', text('', 402), { about: 'account' }],
    ['403', json(error(403, 'PERMISSION_DENIED'), 403), { about: 'account' }],
    ['404', json(error(404, 'NOT_FOUND'), 404), { about: 'request' }],
    [
      'B037: 429 that names a time in its details',
      json(error(429, 'RESOURCE_EXHAUSTED', 'm', [retryInfo]), 429),
      { about: 'capacity', retryAfterMs: 61_000 },
    ],
    [
      'B037: 429 that names a time in a header',
      json(error(429, 'RESOURCE_EXHAUSTED', 'm', [retryInfo]), 429, { 'retry-after': '7' }),
      { about: 'capacity', retryAfterMs: 7000 },
    ],
    ['429 in a list', json([error(429, 'RESOURCE_EXHAUSTED')], 429), { code: 'RESOURCE_EXHAUSTED' }],
  ])('%s is a refusal: nothing was made', async (_title, answer, expected) => {
    server.answer(answer, json(batch()));
    expect(await (await open()).create(ORDER)).toMatchObject({ kind: 'refused', error: expected });
    expect(server.asked).toHaveLength(1);
  });

  test('no connection was made: a refusal too, with the cause', async () => {
    await server[Symbol.asyncDispose]();
    const result = await (await open({ networkHint: 'HTTPS_PROXY is set' })).create(ORDER);
    expect(result).toMatchObject({
      kind: 'refused',
      error: {
        about: 'network',
        code: 'ECONNREFUSED',
        message: expect.stringContaining('HTTPS_PROXY is set'),
      },
    });
    server = await startLoopback();
  });
});

describe('who is asked, and as whom', () => {
  test('B033: the settings decide, whatever the environment says', async () => {
    server.answer(json(batch()));
    vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true');
    vi.stubEnv('GOOGLE_GENAI_API_VERSION', 'v1alpha');
    vi.stubEnv('GOOGLE_GEMINI_BASE_URL', 'https://example.invalid');
    vi.stubEnv('GOOGLE_API_KEY', 'AIza-other');
    await (await open()).poll('batches/b1');
    expect(server.asked[0]).toMatchObject({
      path: '/v1beta/batches/b1',
      headers: { 'x-goog-api-key': KEY },
    });
  });

  test('a key that the server repeats does not reach a message', async () => {
    server.answer(json(error(400, 'INVALID_ARGUMENT', `API key not valid: ${KEY}.`), 400));
    const call = await (await open()).poll('batches/b1');
    expect(call).toMatchObject({ kind: 'failed', error: { message: 'API key not valid: [key].' } });
  });
});

describe('poll', () => {
  test('B045: 404 is its own answer and not "gone"', async () => {
    server.answer(json(error(404, 'NOT_FOUND', 'no such batch'), 404));
    expect(await (await open()).poll('batches/b1')).toEqual({ kind: 'not_found', message: 'no such batch' });
  });

  test('a lost connection and a server’s error are tried again', async () => {
    server.answer(hangUp, json(error(502, 'UNKNOWN'), 502), json(batch({ state: 'BATCH_STATE_RUNNING' })));
    expect(await (await open()).poll('batches/b1')).toMatchObject({
      kind: 'ok',
      value: { state: 'running' },
    });
    expect(server.asked).toHaveLength(3);
  });

  test('429 is left to a later pass', async () => {
    server.answer(json(error(429, 'RESOURCE_EXHAUSTED'), 429));
    expect(await (await open()).poll('batches/b1')).toMatchObject({
      kind: 'failed',
      error: { about: 'capacity' },
    });
    expect(server.asked).toHaveLength(1);
  });
});

describe('find', () => {
  const other = {
    ...batch({ displayName: 'other', createTime: '2026-11-01T00:00:00Z' }),
    name: 'batches/b0',
  };

  test('B040: reads to the end, however old a page is: nobody says in which order it comes', async () => {
    server.answer(
      json({ operations: [other], nextPageToken: 't+/=' }, 200, DATE),
      json({ operations: [batch()] }, 200, DATE),
    );
    const call = await (await open()).find([INTENT], instant('2026-11-30T09:00:00Z'));
    expect(call).toMatchObject({
      kind: 'ok',
      value: { complete: true, serverNow: '2026-11-30T10:00:00.000Z', found: [{ id: 'batches/b1' }] },
    });
    expect(server.asked.map(({ path, query }) => [path, query.get('pageToken')])).toEqual([
      ['/v1beta/batches', null],
      ['/v1beta/batches', 't+/='],
    ]);
  });

  test.each([
    ['a page of another kind', json({ data: [] })],
    ['HTML', text('<html>')],
    ['a list with a part missing', json({ operations: [], unreachable: ['x'] })],
  ])('%s is no proof of absence', async (_title, answer) => {
    server.answer(answer);
    expect(await (await open()).find([INTENT], instant('2026-11-30T09:00:00Z'))).toMatchObject({
      kind: 'failed',
    });
  });

  test('a token that repeats is no proof either', async () => {
    server.answer(json({ operations: [other], nextPageToken: 't' }));
    expect(await (await open()).find([INTENT], instant('2026-11-30T09:00:00Z'))).toMatchObject({
      kind: 'ok',
      value: { found: [], complete: false },
    });
  });
});

describe('upload', () => {
  const ELSEWHERE = 'https://elsewhere.example/upload/v1beta/files?upload_id=u1&upload_protocol=resumable';

  /** A server of resumable uploads; `taken` is how often the name is refused. */
  function uploads(taken = 0, size?: string): Answer {
    let refusals = taken;
    return ({ headers, body, method }: Asked, response) => {
      if (method === 'DELETE') return json({})({} as Asked, response);
      if (headers['x-goog-upload-command'] === 'start') {
        if (refusals-- > 0) return json(error(409, 'ALREADY_EXISTS'), 409)({} as Asked, response);
        return json({}, 200, { 'x-goog-upload-url': ELSEWHERE })({} as Asked, response);
      }
      const isLast = headers['x-goog-upload-command'] === 'upload, finalize';
      const sizeBytes = size ?? String(Number(headers['x-goog-upload-offset']) + Buffer.byteLength(body));
      const file = isLast ? { file: { name: `files/${INTENT}`, sizeBytes, state: 'ACTIVE' } } : {};
      return json(file, 200, { 'x-goog-upload-status': isLast ? 'final' : 'active' })({} as Asked, response);
    };
  }

  async function send(bytes: string, provider?: Provider) {
    const path = join(folder, 'wire.jsonl');
    await writeFile(path, bytes);
    const file = { intent: INTENT, path, bytes: Buffer.byteLength(bytes), name: 'tickets-run7.jsonl' };
    return (provider ?? (await open())).upload(file);
  }

  test('under the intent’s name, and to nobody but the account’s own host', async () => {
    server.answer(uploads());
    expect(await send('{"key":"ü"}\n')).toEqual({ kind: 'ok', value: { fileId: `files/${INTENT}` } });
    const [start, piece] = server.asked;
    expect(start).toMatchObject({
      method: 'POST',
      path: '/upload/v1beta/files',
      headers: {
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-header-content-length': '13',
        'x-goog-upload-header-content-type': 'application/jsonl',
      },
    });
    expect(JSON.parse(start?.body ?? '')).toEqual({
      file: {
        name: `files/${INTENT}`,
        displayName: 'tickets-run7.jsonl',
        mimeType: 'application/jsonl',
        sizeBytes: '13',
      },
    });
    expect(piece).toMatchObject({
      method: 'POST',
      path: '/upload/v1beta/files',
      body: '{"key":"ü"}\n',
      headers: { 'content-length': '13', 'x-goog-upload-offset': '0', 'x-goog-api-key': KEY },
    });
    expect(piece?.query.get('upload_id')).toBe('u1');
  });

  test('in pieces of 8 MiB, read as they are sent', async () => {
    server.answer(uploads());
    const bytes = `${'x'.repeat((8 << 20) + 4)}\n`;
    expect(await send(bytes)).toMatchObject({ kind: 'ok' });
    const pieces = server.asked.slice(1);
    expect(
      pieces.map(({ headers }) => [headers['x-goog-upload-command'], headers['x-goog-upload-offset']]),
    ).toEqual([
      ['upload', '0'],
      ['upload, finalize', String(8 << 20)],
    ]);
    expect(pieces.map(({ body }) => body).join('')).toBe(bytes);
  });

  test('what a cut try has left under the name is deleted, and sent again', async () => {
    server.answer(uploads(1));
    expect(await send('{}\n')).toMatchObject({ kind: 'ok' });
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /upload/v1beta/files',
      `DELETE /v1beta/files/${INTENT}`,
      'POST /upload/v1beta/files',
      'POST /upload/v1beta/files',
    ]);
  });

  test('a name that stays taken is a failed upload', async () => {
    server.answer(uploads(99));
    expect(await send('{}\n')).toMatchObject({ kind: 'failed', error: { status: 409 } });
  });

  test('is tried again from the start', async () => {
    server.answer(hangUp, json(error(500, 'INTERNAL'), 500), uploads());
    expect(await send('{}\n')).toMatchObject({ kind: 'ok' });
  });

  const processing: Answer = (asked, response) => {
    if (asked.method === 'GET') return json({ name: `files/${INTENT}`, state: 'ACTIVE' })(asked, response);
    if (asked.headers['x-goog-upload-command'] === 'start') return uploads()(asked, response);
    const file = { name: `files/${INTENT}`, sizeBytes: '3', state: 'PROCESSING' };
    return json({ file }, 200, { 'x-goog-upload-status': 'final' })(asked, response);
  };

  test('B041: a file that is still looked through is waited for', async () => {
    server.answer(processing);
    expect(await send('{}\n')).toMatchObject({ kind: 'ok' });
    expect(server.asked.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
  });

  test.each<readonly [string, Answer]>([
    ['no place for the upload', json({})],
    ['not all bytes arrived', uploads(0, '2')],
  ])('%s: the file is not taken for uploaded', async (_title, answer) => {
    server.answer(answer);
    expect(await send('{}\n')).toMatchObject({ kind: 'failed', error: { about: 'server' } });
  });

  test('a file of ours that is not there is our error and not the provider’s', async () => {
    const file = { intent: INTENT, path: join(folder, 'absent'), bytes: 1, name: 'a.jsonl' };
    await expect((await open()).upload(file)).rejects.toThrow('ENOENT');
    expect(server.asked).toHaveLength(0);
  });
});

const GONE = json(
  error(403, 'PERMISSION_DENIED', 'You do not have permission to access the File b or it may not exist.'),
  403,
);

describe('download', () => {
  const body = '{"key":"a"}\n{"key":"ü"}\n';
  const file: Answer = (_asked, response) => {
    response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);
  };
  const short: Answer = (_asked, response) => {
    response.writeHead(200, { 'content-length': Buffer.byteLength(body) + 100 });
    response.write(body, () => response.socket?.end());
  };

  test('B055: streams the bytes as they are', async () => {
    server.answer(file);
    const path = join(folder, 'out.jsonl');
    const call = await (await open()).download('files/batch-b1', path);
    const digest = createHash('sha256').update(body).digest('hex');
    expect(call).toEqual({
      kind: 'ok',
      value: { bytes: Buffer.byteLength(body), digest, endsWithLineFeed: true },
    });
    expect(await readFile(path, 'utf8')).toBe(body);
    expect(server.asked[0]).toMatchObject({
      path: '/v1beta/files/batch-b1:download',
      headers: { 'accept-encoding': 'identity' },
    });
    expect(server.asked[0]?.query.get('alt')).toBe('media');
  });

  test('B054: one that is cut is no download, and nothing of it stays', async () => {
    server.answer(short);
    const path = join(folder, 'out.jsonl');
    expect(await (await open()).download('files/batch-b1', path)).toMatchObject({
      kind: 'failed',
      error: { about: 'network' },
    });
    expect(server.asked).toHaveLength(3);
    await expect(stat(path)).rejects.toThrow();
  });

  test('B054: the length that is listed for a file', async () => {
    server.answer(json({ name: 'files/batch-b1', sizeBytes: '1000' }));
    expect(await (await open()).fileSize('files/batch-b1')).toBe(1000);
    expect(server.asked.map(({ path }) => path)).toEqual(['/v1beta/files/batch-b1']);
  });

  test('B058: of a result, whose name is too long to be looked at, the list tells it', async () => {
    const name = `files/batch-${'a'.repeat(36)}`;
    server.answer(json({ files: [{ name, sizeBytes: '1000' }] }));
    expect(await (await open()).fileSize(name)).toBe(1000);
    expect(server.asked.map(({ path }) => path)).toEqual(['/v1beta/files']);
  });

  test.each<readonly [string, Answer]>([
    ['nobody lists it', json({ files: [] })],
    ['it is not said', json({ files: [{ name: `files/batch-${'a'.repeat(36)}` }] })],
    ['the list is not to be had', json(error(403, 'PERMISSION_DENIED'), 403)],
  ])('no length where %s', async (_title, list) => {
    server.answer(list);
    expect(await (await open()).fileSize(`files/batch-${'a'.repeat(36)}`)).toBeNull();
  });

  test('may take longer than an answer: only its beginning must come in time', async () => {
    const slow: Answer = (_asked, response) => {
      response.writeHead(200, { 'content-length': 2 });
      response.write('{');
      setTimeout(() => response.end('}'), 150);
    };
    server.answer(slow);
    const provider = await open({ timeoutMs: 100 });
    expect(await provider.download('files/batch-b1', join(folder, 'out.jsonl'))).toMatchObject({
      kind: 'ok',
    });
  });

  test.each<readonly [string, Answer, number]>([
    ['the list does not have it: gone', json({ files: [{ name: 'files/other' }] }), 404],
    ['the list has it: not for us, now', json({ files: [{ name: 'files/b' }] }), 403],
    ['the list is not to be had either', json(error(403, 'PERMISSION_DENIED'), 403), 403],
  ])('B046: 403 means two things: %s', async (_title, list, status) => {
    server.answer(GONE, list);
    expect(await (await open()).download('files/b', join(folder, 'out.jsonl'))).toMatchObject({
      kind: 'failed',
      error: { status },
    });
  });
});

describe('cancel and discard', () => {
  test('cancel gives the batch as it is now', async () => {
    server.answer(json({}), json(batch({ state: 'BATCH_STATE_CANCELLED' })));
    expect(await (await open()).cancel('batches/b1')).toMatchObject({
      kind: 'ok',
      value: { state: 'cancelled' },
    });
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1beta/batches/b1:cancel',
      'GET /v1beta/batches/b1',
    ]);
  });

  test.each<readonly [string, readonly Answer[]]>([
    ['deleted', [json({})]],
    ['deleted, with an empty answer', [text('')]],
    ['gone already', [json(error(404, 'NOT_FOUND'), 404)]],
    ['gone already, in Gemini’s words', [GONE, json({ files: [] })]],
    ['gone already, by the second page', [GONE, json({ files: [], nextPageToken: 't' }), json({})]],
  ])('discard: %s', async (_title, answers) => {
    server.answer(...answers);
    expect(await (await open()).discard('files/b')).toEqual({ kind: 'ok', value: { deleted: true } });
    expect(server.asked[0]).toMatchObject({ method: 'DELETE', path: '/v1beta/files/b' });
  });

  test('discard: a result, whose name is too long for that, is left to expire', async () => {
    const rule =
      "* DeleteFileRequest.name: File ID (name excluding 'files/') cannot be more than 40 characters.";
    server.answer(json(error(400, 'INVALID_ARGUMENT', rule), 400));
    const gone = { kind: 'ok', value: { deleted: true } };
    expect(await (await open()).discard(`files/batch-${'a'.repeat(36)}`)).toEqual(gone);
    expect(await (await open()).discard('files/b')).toMatchObject({ kind: 'failed' });
  });

  test('discard: not allowed', async () => {
    server.answer(GONE, json({ files: [{ name: 'files/b' }] }));
    expect(await (await open()).discard('files/b')).toMatchObject({
      kind: 'failed',
      error: { about: 'account' },
    });
  });
});
