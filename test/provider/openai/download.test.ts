import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openaiProvider } from '../../../runner/provider/openai/openai.ts';
import { testFolder } from '../../support/folder.ts';
import { type Answer, json, type Loopback, startLoopback } from '../../support/loopback.ts';

const BODY = '{"custom_id":"a"}\n{"custom_id":"b"}\n';

/** In chunks, without a length: whoever ends such a body early leaves no trace of it. */
const chunked: Answer = (_asked, response) => {
  response.writeHead(200, {});
  response.write(BODY.slice(0, 10));
  response.end(BODY.slice(10));
};

async function open(server: Loopback) {
  const settings = {
    kind: 'openai',
    baseUrl: server.url,
    apiKeyEnv: 'X',
    account: 'prod',
    organization: null,
    project: null,
    workspace: null,
    emulator: false,
  } as const;
  return openaiProvider({ name: 'openai', settings, apiKey: 'k', retryDelaysMs: [] });
}

test('B054: a body whose length was not announced is kept as it came, with how it ends', async () => {
  await using server = await startLoopback(chunked);
  const path = join(await testFolder(), 'out.jsonl');
  const call = await (await open(server)).download('file-2', path);
  expect(call).toMatchObject({ kind: 'ok', value: { bytes: BODY.length, endsWithLineFeed: true } });
  expect(await readFile(path, 'utf8')).toBe(BODY);
  expect(server.asked.map((asked) => asked.path)).toEqual(['/v1/files/file-2/content']);
});

test.each([
  ['a cut line', BODY.slice(0, -3)],
  ['an error page', '<html>Bad gateway</html>'],
  ['nothing at all', ''],
])('B054: of %s it is told that it does not end with a line feed', async (_title, body) => {
  await using server = await startLoopback((_asked, response) => void response.writeHead(200).end(body));
  const path = join(await testFolder(), 'out.jsonl');
  const call = await (await open(server)).download('file-2', path);
  expect(call).toMatchObject({ kind: 'ok', value: { bytes: body.length, endsWithLineFeed: false } });
});

describe('the length that is listed for a file', () => {
  test.each([
    ['as the list says', json({ id: 'file-2', bytes: 34 }), 34],
    ['no length while it says 0', json({ id: 'file-2', bytes: 0 }), null],
    ['no number', json({ id: 'file-2', bytes: 'many' }), null],
    ['no such list', json({ error: { message: 'Not found' } }, 404), null],
    ['a server in trouble', json({ error: { message: 'oh' } }, 500), null],
  ])('%s', async (_title, listed, expected) => {
    await using server = await startLoopback(listed);
    expect(await (await open(server)).fileSize('file-2')).toBe(expected);
    expect(server.asked.map((asked) => asked.path)).toEqual(['/v1/files/file-2']);
  });
});
