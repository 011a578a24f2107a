import { describe, expect, test } from 'vitest';
import {
  call,
  content,
  form,
  HOUR_MS,
  requestLines,
  runBatch,
  startStill,
  upload,
} from '../../support/emulator.ts';

interface WireFile {
  readonly id: string;
  readonly bytes: number;
  readonly [name: string]: unknown;
}

async function asJson<Value>(response: Promise<Response>): Promise<Value> {
  return (await (await response).json()) as Value;
}

test('a file comes back as it was sent, until it is deleted', async () => {
  await using emulator = await startStill();
  const text = '{"a":"ü"}\n{"b":2}';
  const file = await asJson<WireFile>(call(emulator, 'POST', '/files', form(text)));
  expect(file).toMatchObject({
    object: 'file',
    bytes: Buffer.byteLength(text),
    filename: 'batch.jsonl',
    purpose: 'batch',
    status: 'processed',
    created_at: emulator.clock.now() / 1000,
    expires_at: emulator.clock.now() / 1000 + 30 * 86_400,
  });
  expect(file.id).toMatch(/^file-\w{22}$/);
  expect(await asJson(call(emulator, 'GET', `/files/${file.id}`))).toEqual(file);

  const download = await call(emulator, 'GET', `/files/${file.id}/content`);
  expect(download.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  expect(await download.text()).toBe(text);

  expect(await asJson(call(emulator, 'DELETE', `/files/${file.id}`))).toEqual({
    id: file.id,
    object: 'file',
    deleted: true,
  });
  for (const path of [`/files/${file.id}`, `/files/${file.id}/content`]) {
    expect((await call(emulator, 'GET', path)).status).toBe(404);
  }
});

test('a file expires when its upload said so', async () => {
  await using emulator = await startStill();
  const fields = { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' };
  const { id } = await asJson<WireFile>(call(emulator, 'POST', '/files', form('{}', 'b.jsonl', fields)));
  emulator.clock.advance(HOUR_MS - 1);
  expect((await call(emulator, 'GET', `/files/${id}`)).status).toBe(200);
  emulator.clock.advance(1);
  expect((await call(emulator, 'GET', `/files/${id}`)).status).toBe(404);
});

test('results are kept for 30 days, or as long as the batch said', async () => {
  await using emulator = await startStill();
  const usual = await runBatch(emulator, requestLines(2));
  const short = await runBatch(emulator, requestLines(2), HOUR_MS, {
    output_expires_after: { anchor: 'created_at', seconds: 7200 },
  });
  emulator.clock.advance(2 * HOUR_MS);
  expect(await content(emulator, usual.output_file_id)).toContain('r-1');
  expect((await call(emulator, 'GET', `/files/${short.output_file_id}/content`)).status).toBe(404);
  emulator.clock.advance(30 * 24 * HOUR_MS);
  expect((await call(emulator, 'GET', `/files/${usual.output_file_id}/content`)).status).toBe(404);
});

describe('refuses', () => {
  test.each([
    ['another name', form('{}', 'b.csv'), 'Invalid file format for Batch API. Must be .jsonl', null, null],
    ['no file', new FormData(), "Missing required parameter: 'file'.", 'file', 'missing_required_parameter'],
    [
      'an expiry too soon',
      form('{}', 'b.jsonl', { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '60' }),
      'from 3600 to 2592000',
      'expires_after.seconds',
      'invalid_value',
    ],
    [
      'an unknown anchor',
      form('{}', 'b.jsonl', { 'expires_after[anchor]': 'now', 'expires_after[seconds]': '3600' }),
      "must be 'created_at'",
      'expires_after.anchor',
      'invalid_value',
    ],
  ])('%s', async (_name, data, message, param, code) => {
    await using emulator = await startStill();
    const response = await call(emulator, 'POST', '/files', data);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error).toMatchObject({ type: 'invalid_request_error', param, code });
    expect(error.message).toContain(message);
  });

  test('a file over the limit, without keeping it', async () => {
    await using emulator = await startStill({ limits: { file_bytes: 1000 } });
    const response = await call(emulator, 'POST', '/files', form('x'.repeat(3_000_000)));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('too large');
    expect(await asJson(call(emulator, 'GET', '/files'))).toMatchObject({ data: [] });
  });
});

test('lists newest first, in pages, by purpose', async () => {
  await using emulator = await startStill();
  const ids = [await upload(emulator, 'a'), await upload(emulator, 'b'), await upload(emulator, 'c')];
  type Page = { data: WireFile[]; has_more: boolean; last_id: string };
  const first = await asJson<Page>(call(emulator, 'GET', '/files?limit=2'));
  expect(first.data.map((file) => file.id)).toEqual([ids[2], ids[1]]);
  expect(first).toMatchObject({ has_more: true, last_id: ids[1] });
  const second = await asJson<Page>(call(emulator, 'GET', `/files?limit=2&after=${first.last_id}`));
  expect(second).toMatchObject({ has_more: false, data: [{ id: ids[0] }] });
  expect(await asJson(call(emulator, 'GET', '/files?order=asc&limit=1'))).toMatchObject({
    data: [{ id: ids[0] }],
  });
  expect(await asJson(call(emulator, 'GET', '/files?purpose=batch_output'))).toMatchObject({ data: [] });
});
