import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, GoogleGenAI } from '@google/genai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Emulator } from '../../../runner/emulator/server.ts';
import { HOUR_MS, startStill } from '../../support/emulator.ts';

let emulator: Emulator;
let folder: string;

beforeEach(async () => {
  emulator = await startStill();
  folder = await mkdtemp(join(tmpdir(), 'batchwright-gemini-face-'));
});

afterEach(async () => {
  await emulator.close();
  await rm(folder, { recursive: true, force: true });
});

function sdk(apiVersion: string): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: 'any',
    vertexai: false,
    apiVersion,
    httpOptions: { baseUrl: emulator.origin },
  });
}

async function inputFile(count: number): Promise<string> {
  const path = join(folder, 'in.jsonl');
  const request = { contents: [{ role: 'user', parts: [{ text: 'Say something.' }] }] };
  const line = (at: number) => `${JSON.stringify({ key: `k-${at}`, request })}\n`;
  await writeFile(path, Array.from({ length: count }, (_, at) => line(at)).join(''));
  return path;
}

test.each(['v1', 'v1beta'])(
  'Google’s own client runs a batch at %s from upload to download',
  async (version) => {
    const ai = sdk(version);
    const config = { name: 'run-1', mimeType: 'application/jsonl', displayName: 'in' };
    const file = await ai.files.upload({ file: await inputFile(3), config });
    expect(file).toMatchObject({ name: 'files/run-1', state: 'ACTIVE', displayName: 'in' });
    const job = await ai.batches.create({
      model: 'gemini-3.8-flash',
      src: 'files/run-1',
      config: { displayName: 'nightly' },
    });
    expect(job).toMatchObject({
      state: 'JOB_STATE_PENDING',
      displayName: 'nightly',
      model: 'models/gemini-3.8-flash',
    });
    emulator.clock.advance(HOUR_MS);
    const ended = await ai.batches.get({ name: job.name ?? '' });
    expect(ended.state).toBe('JOB_STATE_SUCCEEDED');
    const listed = await Array.fromAsync(await ai.batches.list());
    expect(listed.map(({ name }) => name)).toEqual([job.name]);
    const downloadPath = join(folder, 'out.jsonl');
    await ai.files.download({ file: ended.dest?.fileName ?? '', downloadPath });
    const lines = (await readFile(downloadPath, 'utf8')).trimEnd().split('\n');
    const keys = lines.map((line) => (JSON.parse(line) as { key: string }).key).sort();
    expect(keys).toEqual(['k-0', 'k-1', 'k-2']);
    await ai.files.delete({ name: 'files/run-1' });
    await expect(ai.files.get({ name: 'files/run-1' })).rejects.toThrow('may not exist');
  },
);

test('a chosen name is had once', async () => {
  const ai = sdk('v1beta');
  const path = await inputFile(1);
  const upload = () =>
    ai.files.upload({ file: path, config: { name: 'run-1', mimeType: 'application/jsonl' } });
  await upload();
  await expect(upload()).rejects.toMatchObject({ status: 409 });
  await ai.files.delete({ name: 'files/run-1' });
  await upload();
});

test('pages, and the client’s cancellation', async () => {
  const ai = sdk('v1beta');
  const file = await ai.files.upload({ file: await inputFile(1), config: { mimeType: 'application/jsonl' } });
  const names: (string | undefined)[] = [];
  for (const displayName of ['a', 'b', 'c']) {
    const job = await ai.batches.create({ model: 'm', src: file.name ?? '', config: { displayName } });
    names.unshift(job.name);
  }
  const listed = await Array.fromAsync(await ai.batches.list({ config: { pageSize: 2 } }));
  expect(listed.map(({ name }) => name)).toEqual(names);
  await ai.batches.cancel({ name: names[0] ?? '' });
  await ai.batches.get({ name: names[0] ?? '' });
  emulator.clock.advance(HOUR_MS);
  expect((await ai.batches.get({ name: names[0] ?? '' })).state).toBe('JOB_STATE_CANCELLED');
  expect((await ai.batches.get({ name: names[1] ?? '' })).state).toBe('JOB_STATE_SUCCEEDED');
});

test('refusals are of the kind that the client knows', async () => {
  emulator.setScenario({ rules: [{ on: 'create', do: { status: 429, retry_after: 30 } }] });
  const ai = sdk('v1beta');
  const refused = await ai.batches
    .create({ model: 'm', src: 'files/x', config: { displayName: 'a' } })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(JSON.parse((refused as ApiError).message)).toMatchObject({
    error: {
      code: 429,
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '30s' }],
    },
  });
});

test('embeddings, by the client’s own method', async () => {
  const ai = sdk('v1beta');
  const path = join(folder, 'in.jsonl');
  const request = { content: { parts: [{ text: 'a wheel' }] }, outputDimensionality: 4 };
  await writeFile(path, `${JSON.stringify({ key: 'k', request })}\n`);
  const file = await ai.files.upload({ file: path, config: { mimeType: 'application/jsonl' } });
  const job = await ai.batches.createEmbeddings({
    model: 'gemini-embedding-001',
    src: { fileName: file.name ?? '' },
    config: { displayName: 'vectors' },
  });
  emulator.clock.advance(HOUR_MS);
  const ended = await ai.batches.get({ name: job.name ?? '' });
  const downloadPath = join(folder, 'out.jsonl');
  await ai.files.download({ file: ended.dest?.fileName ?? '', downloadPath });
  const line = JSON.parse(await readFile(downloadPath, 'utf8')) as {
    response: { embedding: { values: number[] }; tokenCount: string };
  };
  expect(Math.hypot(...line.response.embedding.values)).toBeCloseTo(1, 5);
  expect(line.response.embedding.values).toHaveLength(4);
  expect(Number(line.response.tokenCount)).toBeGreaterThan(0);
});
