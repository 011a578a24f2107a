import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmulatorCommand, runEmulator } from '../../runner/commands/emulator.ts';
import { startEmulator } from '../../runner/emulator/server.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'emulator-command-'));
});
afterEach(() => rm(root, { recursive: true }));

/** Runs the command until it has said where it listens, gives that to `use`, and stops it. */
async function withEmulator(
  options: Partial<EmulatorCommand>,
  use: (said: string) => void | Promise<void>,
): Promise<number> {
  const stop = new AbortController();
  const said = Promise.withResolvers<string>();
  const code = runEmulator({
    root,
    json: false,
    port: '0',
    scenario: null,
    dir: null,
    ...options,
    out: said.resolve,
    stop: stop.signal,
  });
  await use(await Promise.race([said.promise, code.then(String)]));
  stop.abort();
  return code;
}

function urlIn(said: string): string {
  return /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(said)?.[0] ?? 'no url';
}

test('says where it listens and how to use it, and ends with 0', async () => {
  const code = await withEmulator({}, async (said) => {
    expect(said).toContain("new OpenAI({ baseURL: 'http://127.0.0.1:");
    expect(said).toContain('OPENAI_BASE_URL=http://127.0.0.1:');
    expect(said).toContain('Ctrl-C');
    const response = await fetch(`${urlIn(said)}/batches`, { headers: { authorization: 'Bearer any' } });
    expect(response.status).toBe(200);
  });
  expect(code).toBe(0);
});

test('names each of its faces', async () => {
  await withEmulator({}, (said) => {
    for (const client of ['OpenAI', 'Anthropic', 'GoogleGenAI']) expect(said).toContain(`new ${client}(`);
  });
});

test('--json is one document', async () => {
  await withEmulator({ json: true }, (said) => {
    expect(JSON.parse(said)).toMatchObject({ version: 1, url: urlIn(said), port: expect.any(Number) });
  });
});

test('plays a scenario, by its name or its file, and keeps its state in a folder', async () => {
  await mkdir(join(root, 'scenarios'));
  await writeFile(join(root, 'scenarios/down.yaml'), 'rules: [{ on: list, do: { status: 503 } }]\n');
  for (const scenario of ['down', 'scenarios/down.yaml']) {
    await withEmulator({ scenario, dir: 'kept' }, async (said) => {
      expect(said).toContain('kept');
      const response = await fetch(`${urlIn(said)}/batches`, { headers: { authorization: 'Bearer any' } });
      expect(response.status).toBe(503);
    });
  }
});

test.each([
  [{ port: 'abc' }, '--port must be a whole number from 0 to 65535, not "abc"'],
  [{ port: '70000' }, 'not "70000"'],
  [{ port: '' }, 'not ""'],
  [{ port: '-1' }, 'not "-1"'],
  [{ scenario: 'unknown' }, 'There is no scenario "unknown".'],
])('refuses %j', async (options, message) => {
  await expect(withEmulator(options, () => {})).rejects.toThrow(message);
});

test('a port that is taken is named', async () => {
  await using other = await startEmulator();
  await expect(withEmulator({ port: String(other.port) }, () => {})).rejects.toThrow(
    `port ${other.port} is taken`,
  );
});

test.each(['SIGINT', 'SIGTERM'] as const)('stops on %s', async (signal) => {
  const program = `
    const { runEmulator } = await import(${JSON.stringify(new URL('../../runner/commands/emulator.ts', import.meta.url).href)});
    const options = { root: '.', json: true, port: '0', scenario: null, dir: null };
    process.exitCode = await runEmulator({ ...options, out: (text) => process.stdout.write(text) });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    timeout: 30_000,
  });
  await once(child.stdout, 'data');
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([0, null]);
});
