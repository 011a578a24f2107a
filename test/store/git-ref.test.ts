import { chmod, cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, vi } from 'vitest';
import { type Effect, withEffects } from '../../runner/effects.ts';
import { StateConflict, UserError } from '../../runner/errors.ts';
import { runGit } from '../../runner/store/git-run.ts';
import type { Store } from '../../runner/store/port.ts';
import { DAMAGES, damage } from '../support/damage.ts';
import { testFolder } from '../support/folder.ts';
import { gitHost } from '../support/git-host.ts';
import { gitHttp } from '../support/git-http.ts';
import { storeConformance } from './conformance.ts';

// Each step is a handful of processes, which a busy machine starts slowly.
vi.setConfig({ testTimeout: 180_000 });

storeConformance('git-ref', async () => (await gitHost()).runner());

const SEGMENT = 'journal/00000001.jsonl';
const FILE = 'tickets/runs/1/manifest-0000-abc.parquet';

it('shows one runner what another has put', async () => {
  const host = await gitHost();
  const [a, b] = [await host.runner(), await host.runner()];
  expect(await b.list('')).toEqual([]);
  await put(a, FILE, 'rows');
  expect(await put(a, SEGMENT, 'one')).toBe('put');
  expect(await b.list('')).toEqual([SEGMENT, FILE]);
  expect(await text(b, SEGMENT)).toBe('one');
  expect(await text(b, FILE)).toBe('rows');
});

it('lets one of many runners have the number, and the others read whose it is', async () => {
  const host = await gitHost();
  const runners = await Promise.all(Array.from({ length: 4 }, () => host.runner()));
  const results = await Promise.all(runners.map((each, index) => put(each, SEGMENT, `writer ${index}`)));
  expect(results.filter((result) => result === 'put')).toHaveLength(1);
  for (const runner of runners) expect(await text(runner, SEGMENT)).toBe(`writer ${results.indexOf('put')}`);
});

it('pushes the files of a step together, and before the segment that may name them', async () => {
  const host = await gitHost();
  const store = await host.runner();
  const effects: Effect[] = [];
  await withEffects(
    (effect) => effects.push(effect),
    async () => {
      for (const name of ['a', 'b', 'c']) await put(store, `tickets/runs/1/${name}.parquet`, name);
      await put(store, 'other/runs/2/a.parquet', 'other');
      expect(await host.git('for-each-ref'), 'nothing is there yet').toBe('');
      await put(store, SEGMENT, 'one');
    },
  );
  const pushes = effects.filter(({ name }) => name === 'git.push').map(({ target }) => target);
  const runs = 'refs/heads/batch-state/runs/';
  expect(pushes).toEqual([`${runs}tickets/1 ${runs}other/2`, 'refs/heads/batch-state/journal']);
});

it('puts nothing into the journal where the files could not be pushed', async () => {
  const host = await gitHost();
  const store = await host.runner();
  await put(store, FILE, 'rows');
  const words = 'GH013: rule violations \\033[31m at https://me:s3cret@host/';
  await hook(host.home, 'update', `case $1 in */runs/*) printf "${words}" >&2; exit 1;; esac`);
  const error = await conflictOf(put(store, SEGMENT, 'one'));
  expect(error.message).toContain('GH013: rule violations [31m at https://host/');
  expect(error.hint).toContain('store.prefix');
  expect(await host.git('for-each-ref')).toBe('');
});

it('B088: a push whose answer is lost has won, and is not made a second time', async () => {
  const host = await gitHost();
  const http = await gitHttp(host.home);
  const store = await host.runner({ root: await host.clone(`${http.url}/host.git`) });
  http.loseAnswers = 1;
  expect(await put(store, SEGMENT, 'one')).toBe('put');
  expect(http.loseAnswers).toBe(0);
  expect(await host.git('rev-list', '--count', 'refs/heads/batch-state/journal')).toBe('1');
  http.loseAnswers = 1;
  await put(store, FILE, 'rows');
  expect(await put(store, 'journal/00000002.jsonl', 'two')).toBe('put');
  expect(await text(await host.runner(), FILE)).toBe('rows');
});

it('keeps a file in parts that a host takes, and gives it back in one piece', async () => {
  const host = await gitHost();
  const bytes = Buffer.from(Array.from({ length: 1001 }, (_, index) => index % 251));
  const store = await host.runner({ partBytes: 100 });
  await store.putIfAbsent(FILE, { bytes });
  await put(store, SEGMENT, 'one');
  const paths = await host.git('ls-tree', '-r', '--name-only', 'refs/heads/batch-state/runs/tickets/1');
  expect(paths.split('\n')).toHaveLength(11);
  const other = await host.runner();
  expect(await other.list('tickets/')).toEqual([FILE]);
  expect(await readFile((await other.get(FILE)) ?? '')).toEqual(bytes);
});

it('says so where two writers made different bytes of one name', async () => {
  const host = await gitHost();
  const [a, b] = [await host.runner(), await host.runner()];
  await put(a, FILE, 'rows');
  await put(b, FILE, 'other rows');
  await put(a, SEGMENT, 'one');
  expect((await conflictOf(put(b, 'journal/00000002.jsonl', 'two'))).message).toContain(FILE);
});

it('takes the same file from two writers', async () => {
  const host = await gitHost();
  const [a, b] = [await host.runner(), await host.runner()];
  await put(a, FILE, 'rows');
  await put(b, FILE, 'rows');
  await put(b, 'tickets/runs/1/more.parquet', 'more');
  await put(a, SEGMENT, 'one');
  expect(await put(b, 'journal/00000002.jsonl', 'two')).toBe('put');
  expect(await a.list('tickets/')).toEqual([FILE, 'tickets/runs/1/more.parquet']);
});

it('forgets a run, and nothing else', async () => {
  const host = await gitHost();
  const store = await host.runner();
  for (const name of [FILE, 'tickets/runs/2/a.parquet', SEGMENT]) await put(store, name, name);
  await store.dropRun('tickets/runs/1');
  await store.dropRun('tickets/runs/7');
  expect(await store.get(FILE)).toBeNull();
  expect(await (await host.runner()).list('')).toEqual([SEGMENT, 'tickets/runs/2/a.parquet']);
});

it.each([
  ['is gone', ['update-ref', '-d', 'refs/heads/batch-state/journal']],
  ['no longer holds', ['update-ref', 'refs/heads/batch-state/journal', 'OTHER']],
])('notices a journal that %s', async (words, change) => {
  const host = await gitHost();
  const store = await host.runner();
  await put(store, SEGMENT, 'one');
  await put(await host.runner({ prefix: 'refs/heads/other' }), SEGMENT, 'another');
  const other = await host.git('rev-parse', 'refs/heads/other/journal');
  await host.git(...change.map((word) => (word === 'OTHER' ? other : word)));
  expect((await conflictOf(store.list('journal/'))).message).toContain(words);
});

it('fails closed where the host cannot be reached', async () => {
  const host = await gitHost();
  const store = await host.runner();
  await put(store, SEGMENT, 'one');
  await rename(join(host.home, 'host.git'), join(host.home, 'away.git'));
  const error = await conflictOf(store.list('journal/'));
  expect(error.message).toContain('origin refs/heads/batch-state');
  expect(error.hint).toContain('git remote -v');
  await conflictOf(put(store, 'journal/00000002.jsonl', 'two'));
  await rename(join(host.home, 'away.git'), join(host.home, 'host.git'));
  expect(await put(store, 'journal/00000002.jsonl', 'two')).toBe('put');
});

it('gets in with a token from the environment, which no file and no address holds', async () => {
  const host = await gitHost();
  const http = await gitHttp(host.home, 'x-access-token:s3cret');
  const root = await host.clone();
  await execa('git', ['remote', 'set-url', 'origin', `${http.url}/host.git`], { cwd: root });
  await execa('git', ['config', `http.${http.url}/.extraheader`, 'AUTHORIZATION: basic b2xk'], { cwd: root });
  const denied = await host.runner({ root });
  expect((await conflictOf(denied.list(''))).hint).toContain('store.token_env');
  const options = { root, tokenEnv: 'STATE_TOKEN', env: { ...process.env, STATE_TOKEN: 's3cret' } };
  const store = await host.runner(options);
  expect(await put(store, SEGMENT, 'one')).toBe('put');
  expect(await execa('grep', ['-rl', 's3cret', root], { reject: false })).toMatchObject({ stdout: '' });
  const without = await host.runner({ ...options, env: process.env });
  await expect(without.list('')).rejects.toThrow('there is no such variable here');
});

it('a password in the address of the remote stands on no command line and in no message', async () => {
  const host = await gitHost();
  const http = await gitHttp(host.home, 'me:p@ss w0rd');
  const root = await host.clone();
  const address = http.url.replace('http://', `http://me:${encodeURIComponent('p@ss w0rd')}@`);
  await execa('git', ['remote', 'set-url', 'origin', `${address}/host.git`], { cwd: root });
  const log = join(host.home, 'calls.log');
  const bin = await spyOnGit(log);
  const store = await host.runner({ root, env: { ...process.env, PATH: `${bin}:${process.env.PATH}` } });
  expect(await put(store, SEGMENT, 'one')).toBe('put');
  expect(await store.list('')).toEqual([SEGMENT]);
  const calls = await readFile(log, 'utf8');
  expect(calls).toContain('push');
  expect(calls).not.toMatch(/p@ss|p%40ss/);
});

it.each(['https://me:s3cret@host/x.git', 'https://me:s3c@ret@host/x.git'])(
  'what git is called with is told without the password in %s',
  async (address) => {
    const folder = await testFolder();
    await writeFile(join(folder, 'git'), '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
    const killed = await runGit({ cwd: folder, env: { PATH: folder }, args: ['push', address] });
    expect(killed).toMatchObject({ kind: 'failed', words: expect.stringContaining('SIGKILL') });
    expect(JSON.stringify(killed)).not.toMatch(/s3c|ret@/);
  },
);

/** A `git` that writes down what it is called with, and calls the real one. */
async function spyOnGit(log: string): Promise<string> {
  const folder = await testFolder();
  const { stdout: real } = await execa('sh', ['-c', 'command -v git']);
  const script = `#!/bin/sh\necho "$@" >> '${log}'\nexec '${real}' "$@"\n`;
  await writeFile(join(folder, 'git'), script, { mode: 0o755 });
  return folder;
}

it.each(['in a file of git', 'in the environment, as a workflow hands them on'])(
  'uses the credentials that the checkout has %s',
  async (where) => {
    const host = await gitHost();
    const http = await gitHttp(host.home, 'me:mine');
    const root = await host.clone();
    await execa('git', ['remote', 'set-url', 'origin', `${http.url}/host.git`], { cwd: root });
    const helper = '!printf "username=me\\npassword=mine\\n"; :';
    const header = `AUTHORIZATION: basic ${Buffer.from('me:mine').toString('base64')}`;
    const handedOn = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `http.${http.url}/.extraheader`,
      GIT_CONFIG_VALUE_0: header,
    };
    const inFile = where.startsWith('in a file');
    if (inFile) await execa('git', ['config', 'credential.helper', helper], { cwd: root });
    const env = inFile ? process.env : { ...process.env, ...handedOn };
    expect(await put(await host.runner({ root, env }), SEGMENT, 'one')).toBe('put');
  },
);

it('B091: works from a shallow clone with a detached head, without identity, called from a hook', async () => {
  const host = await gitHost();
  const seed = await host.clone();
  const commit = ['-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '--allow-empty', '-qm'];
  for (const message of ['one', 'two']) await execa('git', [...commit, message], { cwd: seed });
  await execa('git', ['push', '--quiet', 'origin', 'HEAD:main'], { cwd: seed });
  const root = await host.clone(`file://${host.home}/host.git`, '--depth=1');
  await execa('git', ['checkout', '--quiet', '--detach'], { cwd: root });
  const nowhere = { GIT_DIR: '/nowhere', GIT_WORK_TREE: '/nowhere', GIT_INDEX_FILE: '/nowhere' };
  const env = { PATH: process.env.PATH, HOME: '/nowhere', ...nowhere };
  const store = await host.runner({ root, env });
  expect(await put(store, SEGMENT, 'one')).toBe('put');
  const author = await host.git('log', '-1', '--format=%an', 'refs/heads/batch-state/journal');
  expect(author).toBe('batchwright');
});

it('B091: shows what git says of a folder that belongs to another user, and what to do', async () => {
  const host = await gitHost();
  const root = await host.clone();
  const bin = join(host.home, 'git');
  const git = (await execa('which', ['git'])).stdout;
  await writeFile(bin, `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec ${git} "$@"\n`);
  await chmod(bin, 0o755);
  const store = await host.runner({
    root,
    env: { ...process.env, PATH: `${host.home}:${process.env.PATH}` },
  });
  const error = await store.list('').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).findings[0]?.message).toContain('dubious ownership');
  expect((error as UserError).findings[0]?.hint).toContain(`safe.directory ${root}`);
});

it.each([
  ['no git', { PATH: '/nowhere' }, 'install git'],
  ['no such remote', {}, 'store.remote'],
])('says what to do where there is %s', async (_what, env, hint) => {
  const host = await gitHost();
  const store = await host.runner({ remote: 'upstream', env: { ...process.env, ...env } });
  const error = await store.list('').catch((reason: unknown) => reason);
  expect((error as UserError).findings[0]?.hint).toContain(hint);
});

function put(store: Store, name: string, content: string) {
  return store.putIfAbsent(name, { bytes: Buffer.from(content) });
}

async function text(store: Store, name: string): Promise<string> {
  return readFile((await store.get(name)) ?? '', 'utf8');
}

async function conflictOf(promise: Promise<unknown>): Promise<StateConflict> {
  const error = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StateConflict);
  return error as StateConflict;
}

async function hook(home: string, name: string, script: string): Promise<void> {
  const path = join(home, 'host.git/hooks', name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

it.each(DAMAGES)('heals a cache whatever object of it is %s: the remote has them all', async (how) => {
  const host = await gitHost();
  const root = await host.clone();
  const first = host.store(root);
  await put(first, FILE, 'rows');
  await put(first, SEGMENT, 'one');
  const cache = join(root, 'cache.git');
  const objects = (await readdir(join(cache, 'objects'), { recursive: true })).filter((name) =>
    /^..\/[0-9a-f]{38}$/.test(name),
  );
  expect(objects.length).toBeGreaterThan(5);
  const kept = join(root, 'kept.git');
  await cp(cache, kept, { recursive: true });
  for (const object of objects) {
    // A cache that was made anew has other files; each of the first one is damaged in that one.
    await rm(cache, { recursive: true });
    await cp(kept, cache, { recursive: true });
    await damage(join(cache, 'objects', object), how);
    const next = host.store(root);
    expect(await next.list(''), object).toEqual([SEGMENT, FILE]);
    expect(await text(next, FILE), object).toBe('rows');
    expect(await text(next, SEGMENT), object).toBe('one');
    expect(await put(next, 'journal/00000002.jsonl', 'two'), object).toBe('put');
    await host.git('update-ref', 'refs/heads/batch-state/journal', 'refs/heads/batch-state/journal~1');
  }
});

it.each([
  ['git writes to a full disk', ['--version'], '/dev/full'],
  ['git gives a file of ours to a full disk', ['cat-file', 'blob', 'HEAD:a.txt'], '/dev/full'],
])('says so where %s', async (_, args, outputTo) => {
  const host = await gitHost();
  const cwd = await host.clone();
  await writeFile(join(cwd, 'a.txt'), 'a row of a customer');
  await execa('git', ['add', 'a.txt'], { cwd });
  const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
  await execa('git', [...who, 'commit', '--quiet', '-m', 'a'], { cwd });
  const env = { PATH: process.env.PATH ?? '' };
  const answer = await runGit({ cwd, env, args, outputTo });
  expect(answer).toMatchObject({ kind: 'failed', words: expect.stringContaining('No space left on device') });
  expect(answer).toMatchObject({ words: expect.not.stringContaining('customer') });
});

it('names a cache that stays damaged, and says that it may be deleted', async () => {
  const host = await gitHost();
  const store = await host.runner();
  await put(store, FILE, 'rows');
  await put(store, SEGMENT, 'one');
  const [blob = ''] =
    (await host.git('ls-tree', '-r', 'refs/heads/batch-state/runs/tickets/1')).match(/[0-9a-f]{40}/) ?? [];
  await rm(join(host.home, 'host.git/objects', blob.slice(0, 2), blob.slice(2)));
  const other = await host.runner();
  const error = await other.get(FILE).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StateConflict);
});
