import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { UserError } from '../../runner/errors.ts';
import { type IntentId, newIntentId } from '../../runner/ids.ts';
import { providerFor } from '../../runner/provider/registry.ts';
import type { ProviderSettings, Settings } from '../../runner/spec/settings.ts';
import { requestLines, startStill } from '../support/emulator.ts';
import { testFolder } from '../support/folder.ts';
import { startProxy } from '../support/proxy.ts';

afterEach(() => void http.setGlobalProxyFromEnv({}));

function settingsOf(changes: Partial<ProviderSettings>): Settings {
  const openai = {
    kind: 'openai',
    apiKeyEnv: 'KEY',
    account: 'test',
    organization: null,
    project: null,
    workspace: null,
    emulator: false,
    ...changes,
  };
  return { providers: { openai } } as unknown as Settings;
}

describe('B035: the proxy that the environment names', () => {
  test.each(['http_proxy', 'HTTP_PROXY'])(
    '%s: an upload and all that follows go through it',
    async (variable) => {
      await using emulator = await startStill();
      await using proxy = await startProxy(emulator.port);
      const env = { KEY: 'k', [variable]: `http://me:secret@127.0.0.1:${proxy.port}` };
      const provider = await providerFor('openai', settingsOf({ baseUrl: 'http://provider.test/v1' }), env);
      const folder = await testFolder();
      const path = join(folder, 'in.jsonl');
      // Longer than any buffer on the way.
      const lines = requestLines(500, { metadata: { filler: 'ü'.repeat(500) } });
      await writeFile(path, lines);

      const uploaded = await provider.upload({
        intent: newIntentId(),
        path,
        bytes: Buffer.byteLength(lines),
        name: 'in.jsonl',
      });
      const fileId = uploaded.kind === 'ok' ? uploaded.value.fileId : '';
      const order = {
        intent: 'abcdefghij012345' as IntentId,
        endpoint: '/v1/responses',
        input: { path: 'unread', bytes: 0 },
        model: 'gpt-5.4-mini',
        tags: {},
      } as const;
      const created = await provider.create({ ...order, fileId });
      emulator.clock.advance(60_000);
      const batch = await provider.poll(created.kind === 'accepted' ? created.batch.id : '');
      const output = batch.kind === 'ok' ? batch.value.outputFileId : null;
      const downloaded = await provider.download(output ?? '', join(folder, 'out.jsonl'));

      expect(downloaded).toMatchObject({ kind: 'ok' });
      expect(batch).toMatchObject({ value: { state: 'completed', progress: { total: 500, done: 500 } } });
      expect(new Set(proxy.asked.map(({ host }) => host))).toEqual(new Set(['provider.test:80']));
      expect(proxy.asked[0]?.authorization).toBe(`Basic ${btoa('me:secret')}`);
    },
  );

  test('https goes through HTTPS_PROXY; a proxy that refuses is named, its password is not', async () => {
    await using proxy = await startProxy(9);
    const env = { KEY: 'k', HTTPS_PROXY: `http://me:secret@127.0.0.1:${proxy.port}` };
    const provider = await providerFor('openai', settingsOf({ baseUrl: 'https://provider.test/v1' }), env);
    const call = await provider.create({
      intent: 'abcdefghij012345' as IntentId,
      fileId: 'file-1',
      input: { path: 'unread', bytes: 0 },
      model: 'gpt-5.4-mini',
      endpoint: '/v1/responses',
      tags: {},
    });
    expect(proxy.asked.map(({ host }) => host)).toEqual(['provider.test:443']);
    expect(call).toMatchObject({
      kind: 'ambiguous',
      error: { about: 'network', message: expect.stringContaining('the proxy that HTTPS_PROXY names') },
    });
    expect(JSON.stringify(call)).not.toContain('secret');
  });

  test('this machine is never asked for through a proxy', async () => {
    await using emulator = await startStill();
    await using proxy = await startProxy(emulator.port);
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    const provider = await providerFor('openai', settingsOf({ baseUrl: emulator.url, emulator: true }), env);
    expect(await provider.poll('batch_1')).toMatchObject({ kind: 'not_found' });
    expect(proxy.asked).toEqual([]);
  });

  test('NO_PROXY is kept', async () => {
    await using emulator = await startStill();
    await using proxy = await startProxy(emulator.port);
    const env = {
      KEY: 'k',
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
      NO_PROXY: 'other.test, localhost.test',
    };
    const provider = await providerFor(
      'openai',
      settingsOf({ baseUrl: `http://other.test:${emulator.port}/v1` }),
      env,
    );
    await provider.create({
      intent: 'abcdefghij012345' as IntentId,
      fileId: 'f',
      input: { path: 'unread', bytes: 0 },
      model: 'gpt-5.4-mini',
      endpoint: '/v1/responses',
      tags: {},
    });
    expect(proxy.asked).toEqual([]);
  });

  test.each(['not a url:secret', 'http://'])('%j is no proxy, and its text is not shown', async (value) => {
    const failure = await providerFor('openai', settingsOf({}), { KEY: 'k', HTTPS_PROXY: value }).catch(
      (e: unknown) => e,
    );
    expect(failure).toBeInstanceOf(UserError);
    expect((failure as UserError).findings[0]).toMatchObject({ code: 'proxy-unusable' });
    expect(String((failure as UserError).message)).not.toContain(value);
  });
});
