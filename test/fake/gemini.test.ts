import { GoogleGenAI } from '@google/genai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DAY, MINUTE } from './clock.ts';
import { type Fake, startFake } from './server.ts';

let fake: Fake;

beforeEach(async () => {
  fake = await startFake();
});
afterEach(() => fake.close());

/** What the tests read of answers; what is not there fails the test that asks for it. */
type Shown = {
  name: string;
  done?: boolean;
  metadata: { state: string; output?: { responsesFile: string }; batchStats?: Record<string, string> };
  response?: { responsesFile: string };
  file: { name: string };
  sizeBytes: string;
  operations: { name: string }[];
  files: { name: string }[];
  nextPageToken?: string;
  candidates: { content: { parts: { text: string }[] } }[];
};

async function call(path: string, init: RequestInit = {}) {
  const answer = await fetch(path.startsWith('http') ? path : `${fake.baseUrls.gemini}${path}`, {
    ...init,
    headers: { 'x-goog-api-key': 'k', ...init.headers },
  });
  return { status: answer.status, headers: answer.headers, json: (await answer.json()) as Shown };
}

async function upload(text: string, name = 'files/in-1') {
  const begun = await call('/upload/v1beta/files', {
    method: 'POST',
    headers: { 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-command': 'start' },
    body: JSON.stringify({ file: { name, mimeType: 'application/jsonl' } }),
  });
  const url = String(begun.headers.get('x-goog-upload-url'));
  const half = text.length >> 1;
  const first = await call(url, {
    method: 'POST',
    headers: { 'x-goog-upload-command': 'upload', 'x-goog-upload-offset': '0' },
    body: text.slice(0, half),
  });
  expect(first.headers.get('x-goog-upload-status')).toBe('active');
  return call(url, {
    method: 'POST',
    headers: { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': String(half) },
    body: text.slice(half),
  });
}

function writeRows(count: number): string {
  const request = (n: number) => ({ contents: [{ role: 'user', parts: [{ text: `row ${n}` }] }] });
  return Array.from(
    { length: count },
    (_, n) => `${JSON.stringify({ key: `k${n}`, request: request(n) })}\n`,
  ).join('');
}

async function create(count: number, version = 'v1beta', n = 1) {
  await upload(writeRows(count), `files/in-${n}`);
  const batch = { displayName: 'tag-1', inputConfig: { fileName: `files/in-${n}` } };
  const { json } = await call(`/${version}/models/m:batchGenerateContent`, {
    method: 'POST',
    body: JSON.stringify({ batch }),
  });
  return json.name;
}

it('an upload in two pieces ends as a file with its size', async () => {
  const text = writeRows(2);
  const { headers, json } = await upload(text);
  expect(headers.get('x-goog-upload-status')).toBe('final');
  expect(json.file).toMatchObject({ name: 'files/in-1', sizeBytes: String(text.length), state: 'ACTIVE' });
});

it.each(['v1', 'v1beta'])('a batch goes through its states below /%s', async (version) => {
  const name = await create(3, version);
  const read = async () => (await call(`/${version}/${name}`)).json;
  expect((await read()).metadata).toMatchObject({
    state: 'BATCH_STATE_PENDING',
    displayName: 'tag-1',
    model: 'models/m',
    batchStats: { requestCount: '3', pendingRequestCount: '3' },
  });
  fake.clock.advance(5 * MINUTE);
  expect((await read()).metadata.state).toBe('BATCH_STATE_RUNNING');
  fake.clock.advance(6 * MINUTE);
  const { metadata, done, response } = await read();
  expect(done).toBe(true);
  expect(metadata).toMatchObject({ state: 'BATCH_STATE_SUCCEEDED', endTime: '2026-11-02T08:11:00.000Z' });
  expect(metadata.batchStats).toEqual({ requestCount: '3', successfulRequestCount: '3' });
  expect(response?.responsesFile).toBe(metadata.output?.responsesFile);
});

it('the result file has a size and an answer for each key', async () => {
  const name = await create(3);
  fake.clock.advance(11 * MINUTE);
  const file = (await call(`/v1beta/${name}`)).json.metadata.output?.responsesFile;
  const answer = await fetch(`${fake.origin}/v1beta/${file}:download?alt=media`, {
    headers: { 'x-goog-api-key': 'k' },
  });
  const text = await answer.text();
  expect((await call(`/v1beta/${file}`)).json.sizeBytes).toBe(String(text.length));
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => line.key).sort()).toEqual(['k0', 'k1', 'k2']);
  expect(lines[0].response.candidates[0]).toMatchObject({
    finishReason: 'STOP',
    content: { parts: [{ text: '{"label":"wheel","sure":true}' }] },
  });
});

it('a cancelled batch keeps what has run', async () => {
  const name = await create(9);
  fake.clock.advance(5 * MINUTE);
  expect((await call(`/v1beta/${name}:cancel`, { method: 'POST' })).json).toEqual({});
  fake.clock.advance(2 * MINUTE);
  const { metadata } = (await call(`/v1beta/${name}`)).json;
  expect(metadata).toMatchObject({
    state: 'BATCH_STATE_CANCELLED',
    batchStats: { requestCount: '9', successfulRequestCount: '4' },
  });
});

it('an expired batch has no results, and nothing of it is charged', async () => {
  await fake.close();
  fake = await startFake({ plan: { end: { as: 'expired', ran: 2 } } });
  const name = await create(4);
  fake.clock.advance(2 * DAY);
  const { json } = await call(`/v1beta/${name}`);
  expect(json.metadata.state).toBe('BATCH_STATE_EXPIRED');
  expect(json.metadata.output).toBeUndefined();
  expect(fake.book.charged).toEqual([]);
});

it('a list is an empty object or has pages, and a file list too', async () => {
  expect((await call('/v1beta/batches')).json).toEqual({});
  const made: string[] = [];
  for (let n = 0; n < 5; n++) made.unshift(await create(1, 'v1beta', n));
  const found: string[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const { json } = await call(`/v1beta/batches?pageSize=2${token === '' ? '' : `&pageToken=${token}`}`);
    found.push(...json.operations.map(({ name }) => name));
    token = json.nextPageToken;
  }
  expect(found).toEqual(made);
  const { json } = await call('/v1beta/files?pageSize=3');
  const rest = await call(`/v1beta/files?pageSize=3&pageToken=${json.nextPageToken}`);
  expect([...json.files, ...rest.json.files]).toHaveLength(5);
  expect(rest.json.nextPageToken).toBeUndefined();
});

it('files go when they are deleted, and after 48 hours', async () => {
  const name = await create(1);
  expect((await call('/v1beta/files/in-1', { method: 'DELETE' })).json).toEqual({});
  expect((await call('/v1beta/files/in-1')).status).toBe(404);
  fake.clock.advance(11 * MINUTE);
  const file = (await call(`/v1beta/${name}`)).json.metadata.output?.responsesFile;
  fake.clock.advance(2 * DAY);
  expect((await call(`/v1beta/${file}`)).status).toBe(404);
});

it('the SDK uploads, batches from a file and inline, polls and lists', async () => {
  const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: fake.origin } });
  const file = await client.files.upload({
    file: new Blob([writeRows(2)]),
    config: { mimeType: 'application/jsonl', name: 'from-sdk' },
  });
  const job = await client.batches.create({ model: 'm', src: { fileName: String(file.name) } });
  const inline = await client.batches.create({
    model: 'm',
    src: [{ contents: [{ parts: [{ text: 'hi' }], role: 'user' }], metadata: { key: 'one' } }],
    config: { displayName: 'inline' },
  });
  fake.clock.advance(11 * MINUTE);
  expect(await client.batches.get({ name: String(job.name) })).toMatchObject({
    state: 'JOB_STATE_SUCCEEDED',
  });
  const { dest } = await client.batches.get({ name: String(inline.name) });
  expect(dest?.inlinedResponses?.[0]?.response?.candidates).toHaveLength(1);
  const listed = [];
  for await (const one of await client.batches.list()) listed.push(one.name);
  expect(listed).toEqual([inline.name, job.name]);
});

it('a synchronous call is answered', async () => {
  const { json } = await call('/v1beta/models/m:generateContent', {
    method: 'POST',
    body: JSON.stringify({ contents: [{ parts: [{ text: 'hi' }] }] }),
  });
  expect(json.candidates[0]?.content.parts[0]?.text).toBe('{"label":"wheel","sure":true}');
});
