import { readFile, stat } from 'node:fs/promises';
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

async function download(server: Loopback) {
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
  const provider = await openaiProvider({ name: 'openai', settings, apiKey: 'k', retryDelaysMs: [] });
  const path = join(await testFolder(), 'out.jsonl');
  return { path, call: await provider.download('file-2', path) };
}

/** The file's content, and what the list of files says of it. */
function serving(listed: Answer): Promise<Loopback> {
  return startLoopback((asked, response) =>
    asked.path.endsWith('/content') ? chunked(asked, response) : listed(asked, response),
  );
}

describe('B054: a body whose length was not announced', () => {
  test.each([
    ['the same', json({ id: 'file-2', bytes: BODY.length })],
    ['less, which cannot be', json({ id: 'file-2', bytes: 1 })],
    ['nothing yet', json({ id: 'file-2', bytes: 0 })],
    ['no number', json({ id: 'file-2', bytes: 'many' })],
    ['that there is no such list', json({ error: { message: 'Not found' } }, 404)],
  ])('is whole where the list says %s', async (_title, listed) => {
    await using server = await serving(listed);
    const { path, call } = await download(server);
    expect(call).toMatchObject({ kind: 'ok', value: { bytes: BODY.length } });
    expect(await readFile(path, 'utf8')).toBe(BODY);
    expect(server.asked.map((asked) => asked.path)).toEqual(['/v1/files/file-2/content', '/v1/files/file-2']);
  });

  test('is no download where the list says more', async () => {
    await using server = await serving(json({ id: 'file-2', bytes: BODY.length + 1 }));
    const { path, call } = await download(server);
    expect(call).toMatchObject({
      kind: 'failed',
      error: {
        code: 'unreadable',
        message: `the answer cannot be read: the file ended after ${BODY.length} of ${BODY.length + 1} bytes`,
      },
    });
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });
});

test('where it was announced nobody asks the list', async () => {
  await using server = await startLoopback((_asked, response) => {
    response.writeHead(200, { 'content-length': BODY.length });
    response.end(BODY);
  });
  expect((await download(server)).call).toMatchObject({ kind: 'ok' });
  expect(server.asked).toHaveLength(1);
});
