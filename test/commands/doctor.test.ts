import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDoctor } from '../../runner/commands/doctor.ts';
import { commitFiles, git, initRepository, NOBODY } from '../support/git.ts';
import { gitHost } from '../support/git-host.ts';
import { startLoopback } from '../support/loopback.ts';
import { printed } from '../support/reading.ts';
import { repository, type World, world } from '../support/world.ts';

interface Found {
  readonly part: string;
  readonly state: string;
  readonly message: string;
  readonly next: string | null;
}

async function doctor(
  w: World,
  env: Record<string, string> = {},
  live = false,
): Promise<{ code: number; found: Found[] }> {
  await w.restart();
  process.env.TEST_KEY = 'key';
  try {
    const { code, text } = await printed(w.root, (common) => runDoctor({ ...common, json: true, env, live }));
    return { code, found: (JSON.parse(text) as { findings: Found[] }).findings };
  } finally {
    delete process.env.TEST_KEY;
  }
}

/** The same provider at another address. */
async function elsewhere(w: World, url: string): Promise<void> {
  await w.write({ 'batchwright.yaml': (repository()['batchwright.yaml'] ?? '').replace('EMULATOR', url) });
}

const of = (found: readonly Found[], part: string) => found.filter((each) => each.part === part);

describe('doctor', () => {
  it('finds nothing in the way of a job whose provider answers', async () => {
    const w = await world();
    await initRepository(w.root);
    await commitFiles(w.root, {});
    const { code, found } = await doctor(w);
    expect(code).toBe(0);
    expect(found.filter(({ state }) => state === 'bad')).toEqual([]);
    const said = of(found, 'provider openai').map(({ message }) => message);
    expect(said[0]).toContain('it is the emulator, which needs no key');
    expect(said).toContainEqual(expect.stringMatching(/^it answers, and takes the key/));
    expect(said).toContainEqual(expect.stringContaining('gpt-5.4-mini costs $'));
    expect(of(found, 'job tickets').map(({ message }) => message)).toEqual([
      'its input can be read: 1 file, 1 kB',
      'out/tickets.parquet can be written',
    ]);
    expect(of(found, 'store')[0]?.message).toMatch(/^local at .*: no journal yet$/);
  });

  it('sees a clock that is wrong', async () => {
    const w = await world();
    const { found } = await doctor(w);
    // The emulator of tests stands at a moment of its own.
    expect(of(found, 'provider openai')).toContainEqual(
      expect.objectContaining({
        state: 'doubtful',
        message: expect.stringMatching(/clock is [\d,]+ s (ahead of|behind)/),
      }),
    );
  });

  it('names a provider that does not answer, and one whose key is refused', async () => {
    const w = await world();
    await elsewhere(w, 'http://127.0.0.1:9/v1');
    const gone = await doctor(w);
    expect(gone.code).toBe(1);
    expect(of(gone.found, 'provider openai')).toContainEqual(
      expect.objectContaining({ state: 'bad', next: expect.stringContaining('HTTPS_PROXY') }),
    );
    await using refusing = await startLoopback((_asked, response) => {
      response.statusCode = 401;
      response.end(JSON.stringify({ error: { message: 'Incorrect API key', code: 'invalid_api_key' } }));
    });
    await elsewhere(w, refusing.url);
    const refused = await doctor(w);
    expect(of(refused.found, 'provider openai')).toContainEqual(
      expect.objectContaining({ state: 'bad', message: expect.stringContaining('Incorrect API key') }),
    );
  });

  it('names an input that is not there, mistakes in files, and a key that is not set', async () => {
    const files = repository();
    const w = await world({
      ...files,
      'batchwright.yaml': (files['batchwright.yaml'] ?? '').replace(', emulator: true', ''),
      'jobs/tickets.yaml': (files['jobs/tickets.yaml'] ?? '').replace('tickets.jsonl', 'absent.jsonl'),
      'jobs/broken.yaml': 'name: x\n',
    });
    await w.restart();
    const { code, text } = await printed(w.root, (common) => runDoctor({ ...common, env: {}, live: false }));
    expect(code).toBe(1);
    expect(text).toContain('mistakes in jobs or settings');
    expect(text).toContain('absent.jsonl');
    expect(text).toContain('TEST_KEY, which is not set');
    expect(text).toContain('must be mended before a pass can do its work');
  });

  it('asks the host whether the branch is protected, where a token is there', async () => {
    const files = repository();
    const w = await world({ ...files, 'batchwright.yaml': `${files['batchwright.yaml']}branch: main\n` });
    await initRepository(w.root);
    await commitFiles(w.root, {
      '.github/workflows/pass.yml': 'on: { schedule: [{ cron: "13 * * * *" }] }\n# runs reconcile\n',
    });
    await using api = await startLoopback((_asked, response) => response.end('{"protected": false}'));
    const env = { GITHUB_API_URL: new URL(api.url).origin, GITHUB_REPOSITORY: 'acme/b', GITHUB_TOKEN: 't' };
    const { found } = await doctor(w, env);
    expect(of(found, 'host').map(({ message }) => message)).toEqual([
      'a schedule runs it about every 60 minutes',
      'branch main is not protected: whoever may push to it may spend',
      'no remote: pages are committed here alone',
    ]);
    expect(api.asked[0]?.path).toBe('/repos/acme/b/branches/main');
    expect((await doctor(w)).found).toContainEqual(
      expect.objectContaining({
        part: 'host',
        state: 'skipped',
        message: expect.stringContaining('GITHUB_REPOSITORY'),
      }),
    );
  });

  it('names a sink that has no room', async () => {
    const w = await world();
    await writeFile(join(w.root, 'out'), 'a file where a folder should be\n');
    const { code, found } = await doctor(w);
    expect(code).toBe(1);
    expect(of(found, 'job tickets')[1]).toMatchObject({
      state: 'bad',
      message: expect.stringContaining('out is no folder'),
    });
  });

  it('asks each model for one row where it is told to, and writes down that it did', async () => {
    const w = await world();
    const { found } = await doctor(w, {}, true);
    expect(of(found, 'provider openai')).toContainEqual(
      expect.objectContaining({ state: 'good', message: 'openai/gpt-5.4-mini answers one row as asked' }),
    );
    expect(await w.paid()).toHaveLength(1);
    expect((await w.journal()).seq).toBeGreaterThan(0);
    w.emulator.setScenario({ limits: { models: ['another'] } });
    const wrong = await doctor(w, {}, true);
    expect(wrong.code).toBe(1);
    expect(of(wrong.found, 'provider openai')).toContainEqual(
      expect.objectContaining({ state: 'bad', message: expect.stringContaining('invalid_request') }),
    );
  });

  it('says whether this runner may push', async () => {
    const host = await gitHost();
    const w = await world();
    await initRepository(w.root);
    await commitFiles(w.root, {});
    expect(of((await doctor(w, NOBODY)).found, 'host').at(-1)?.message).toContain('no remote');
    await git(w.root, 'remote', 'add', 'origin', join(host.home, 'host.git'));
    expect(of((await doctor(w, { ...env(), ...NOBODY })).found, 'host').at(-1)).toMatchObject({
      state: 'good',
      message: 'this runner may push to origin',
    });
    expect(await host.git('for-each-ref')).toBe('');
    await git(w.root, 'remote', 'set-url', 'origin', join(host.home, 'absent.git'));
    expect(of((await doctor(w, { ...env(), ...NOBODY })).found, 'host').at(-1)).toMatchObject({
      state: 'doubtful',
    });
  });
});

/** Git is found by its path. */
function env(): Record<string, string> {
  return { PATH: process.env.PATH ?? '' };
}
