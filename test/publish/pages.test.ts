import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommitOrder, commitPages } from '../../runner/publish/commit.ts';
import { publishPages } from '../../runner/publish/pages.ts';
import { type WorkTreeGit, workTreeGit } from '../../runner/publish/work-tree.ts';
import { describeFleet } from '../../runner/reconcile/describe/publish.ts';
import { writePassNote } from '../../runner/reconcile/pass-note.ts';
import type { FleetReport } from '../../runner/report/report.ts';
import { testFolder } from '../support/folder.ts';
import { commitFiles, git, initRepository, NOBODY } from '../support/git.ts';
import { type GitHost, gitHost } from '../support/git-host.ts';
import { startLoopback } from '../support/loopback.ts';
import { repository, type World, world } from '../support/world.ts';

const ENV = { ...process.env, ...NOBODY };
const IGNORED = '/out/\n/state/journal/\n/state/.work/\n/state/*/ledger*\n/state/*/runs/*/*.*\n!report.md\n';

/** A repository of one job, whose `main` a host keeps. */
async function hosted(settings = ''): Promise<{ w: World; host: GitHost }> {
  const files = repository();
  const w = await world({
    ...files,
    'batchwright.yaml': `${files['batchwright.yaml']}branch: main\n${settings}`,
    '.gitignore': IGNORED,
  });
  const host = await gitHost();
  await initRepository(w.root);
  await git(w.root, 'remote', 'add', 'origin', join(host.home, 'host.git'));
  await commitFiles(w.root, {});
  await git(w.root, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  return { w, host };
}

async function passAndPublish(w: World, env: NodeJS.ProcessEnv = ENV): Promise<boolean> {
  const { rests } = await w.pass();
  const ctx = await w.context();
  const fleet = await describeFleet(ctx, rests);
  await writePassNote(ctx, rests);
  return publishPages(ctx, fleet, { env, pause: async () => {} });
}

/** Passes until the job is done; how many commits came of how many passes. */
async function live(w: World): Promise<number> {
  for (let passes = 1; passes < 30; passes += 1) {
    expect(await passAndPublish(w)).toBe(true);
    if ((await w.report()).phase === 'complete') return passes;
    w.emulator.clock.advance(600_000);
  }
  throw new Error('not complete after 30 passes');
}

function orderOf(w: World, fleet: FleetReport): CommitOrder {
  return {
    git: workTreeGit(w.root, ENV, null),
    root: w.root,
    stateFolder: join(w.root, 'state'),
    work: join(w.root, 'state/.work/pages'),
    branch: 'main',
    onto: 'main',
    remote: null,
    fleet,
    note: '',
    pause: async () => {},
  };
}

const subjects = async (host: GitHost, branch = 'main') =>
  (await host.git('log', '--format=%s', branch)).split('\n').filter((line) => line !== 'edit');

describe('pages as commits', () => {
  it('has one commit a phase, with what happened as its message, and the next passes act on it', async () => {
    const { w, host } = await hosted();
    await live(w);
    expect(await passAndPublish(w), 'deletes the answers at the provider').toBe(true);
    const said = await subjects(host);
    expect(said[0]).toMatch(/^batchwright: up to date: tickets complete, 8 applied, \$0\.\d+, emulated$/);
    expect(said[1]).toMatch(/^batchwright: tickets complete, 8 applied, \$0\.\d+, emulated$/);
    expect(said).toContain('batchwright: tickets sent, 8 open, emulated');
    expect(new Set(said).size).toBe(said.length);
    expect((await host.git('log', '-1', '--format=%b', 'main')).trim()).toBe('[skip ci]');
    expect(await host.git('ls-tree', '-r', '--name-only', 'main', 'state')).toBe(
      [
        'state/README.md',
        'state/pass.json',
        'state/tickets/README.md',
        'state/tickets/held.csv',
        'state/tickets/runs/1/report.md',
        'state/tickets/status.json',
      ].join('\n'),
    );
    expect(await git(w.root, 'status', '--porcelain')).toBe('');
    expect(await git(w.root, 'rev-parse', 'HEAD')).toBe(await host.git('rev-parse', 'main'));
    const before = await host.git('rev-parse', 'main');
    expect(await passAndPublish(w)).toBe(true);
    expect(await host.git('rev-parse', 'main')).toBe(before);
  });

  it('puts the pages onto a branch that has moved, and loses nobody else’s commit', async () => {
    const { w, host } = await hosted();
    const other = await host.clone();
    await commitFiles(other, { 'notes.md': 'theirs\n' });
    const { rests } = await w.pass();
    const ctx = await w.context();
    const fleet = await describeFleet(ctx, rests);
    const real = workTreeGit(w.root, ENV, null);
    let tries = 0;
    // The other one is quicker, right after we have looked where the branch is.
    const call: WorkTreeGit['call'] = async (args) => {
      if (args[0] === 'push' && tries === 0) await git(other, 'push', '--quiet', 'origin', 'main');
      return real.call(args);
    };
    const done = await commitPages({
      ...orderOf(w, fleet),
      git: { ...real, call },
      remote: 'origin',
      pause: async () => {
        tries += 1;
      },
    });
    expect(done.kind).toBe('committed');
    expect(tries).toBe(1);
    expect(await host.git('show', 'main:notes.md')).toBe('theirs');
    expect((await subjects(host))[0]).toBe('batchwright: tickets sent, 8 open, emulated');
    // The checkout stays where it was: what it has is no longer the tip, and it may not act.
    expect(await git(w.root, 'rev-parse', 'HEAD')).not.toBe(await host.git('rev-parse', 'main'));
  });

  it('does not turn back the pages of a later state', async () => {
    const { w, host } = await hosted();
    await live(w);
    const status = JSON.parse(await host.git('show', 'main:state/tickets/status.json'));
    const other = await host.clone();
    await commitFiles(other, {
      'state/tickets/status.json': JSON.stringify({
        ...status,
        phase: 'sent',
        journal: { ...status.journal, seq: status.journal.seq + 1 },
      }),
    });
    await git(other, 'push', '--quiet', 'origin', 'main');
    const before = await host.git('rev-parse', 'main');
    const ctx = await w.context();
    expect(await publishPages(ctx, await describeFleet(ctx, []), { env: ENV, pause: async () => {} })).toBe(
      true,
    );
    expect(await host.git('rev-parse', 'main')).toBe(before);
  });

  it('explains a branch that is protected, and that the state is safe', async () => {
    const { w, host } = await hosted();
    await writeFile(
      join(host.home, 'host.git/hooks/pre-receive'),
      '#!/bin/sh\necho "GH006: Protected branch update failed for refs/heads/main." >&2\nexit 1\n',
      { mode: 0o755 },
    );
    expect(await passAndPublish(w)).toBe(false);
    const text = w.said.map((entry) => entry.text).join('\n');
    expect(text).toContain('GH006: Protected branch update failed');
    expect(text).toMatch(/the state itself is safe in the store at journal \d+ → the branch is protected/);
    expect(await w.paid()).toHaveLength(0);
    expect((await w.report()).phase).toBe('sent');
  });

  it('commits where nobody else has the repository, and not for a commit that is not the tip', async () => {
    const files = repository();
    const w = await world({
      ...files,
      'batchwright.yaml': `${files['batchwright.yaml']}branch: main\n`,
      '.gitignore': IGNORED,
    });
    await initRepository(w.root);
    const first = await commitFiles(w.root, {});
    await live(w);
    expect(await git(w.root, 'log', '-1', '--format=%s')).toContain('tickets complete');
    await git(w.root, 'checkout', '--quiet', first);
    const tip = await git(w.root, 'rev-parse', 'main');
    expect(await passAndPublish(w)).toBe(true);
    expect(await git(w.root, 'rev-parse', 'main')).toBe(tip);
  });

  it('leaves a person’s staged work and index alone', async () => {
    const { w, host } = await hosted();
    await writeFile(join(w.root, 'staged.txt'), 'mine\n');
    await git(w.root, 'add', 'staged.txt');
    expect(await passAndPublish(w)).toBe(true);
    expect(await git(w.root, 'status', '--porcelain')).toBe('A  staged.txt');
    expect(await host.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('staged.txt');
  });
});

const PULL = { number: 5, html_url: 'https://host.example/acme/batches/pull/5' };

describe('pages as a pull request', () => {
  it('keeps one branch and one request up to date', async () => {
    let open = false;
    await using api = await startLoopback((asked, response) => {
      const known = asked.method === 'GET' && !open ? [] : [PULL];
      if (asked.method === 'POST') open = true;
      response.end(JSON.stringify(asked.method === 'GET' ? known : PULL));
    });
    const { w, host } = await hosted('report: { target: pull_request }\n');
    const main = await host.git('rev-parse', 'main');
    const env = {
      ...ENV,
      GITHUB_API_URL: new URL(api.url).origin,
      GITHUB_REPOSITORY: 'acme/batches',
      GITHUB_TOKEN: 'token-0123456789',
    };
    expect(await passAndPublish(w, env)).toBe(true);
    for (let passes = 0; passes < 6; passes += 1) {
      expect(await passAndPublish(w, env)).toBe(true);
      w.emulator.clock.advance(600_000);
    }
    expect(await host.git('rev-parse', 'main')).toBe(main);
    expect((await subjects(host, 'batchwright/reports'))[0]).toContain('tickets complete, 8 applied');
    expect(await host.git('rev-list', '--count', 'main..batchwright/reports')).toBe('1');
    const made = api.asked.filter(({ method }) => method === 'POST');
    expect(made.map(({ path }) => path)).toEqual(['/repos/acme/batches/pulls']);
    expect(JSON.parse(made[0]?.body ?? '')).toMatchObject({ head: 'batchwright/reports', base: 'main' });
    expect(made[0]?.headers.authorization).toBe('Bearer token-0123456789');
    const last = api.asked.at(-1);
    expect(last).toMatchObject({ method: 'PATCH', path: '/repos/acme/batches/pulls/5' });
    expect(last?.body).toContain('tickets complete');
  });

  it('says what is missing for the request, and keeps the branch', async () => {
    const { w, host } = await hosted('report: { target: pull_request }\n');
    expect(await passAndPublish(w, { ...ENV, GITHUB_REPOSITORY: '' })).toBe(false);
    expect(w.said.map(({ text }) => text).join('\n')).toContain('GITHUB_REPOSITORY is not set');
    expect(await subjects(host, 'batchwright/reports')).toHaveLength(1);
  });
});

describe('where the repository', () => {
  it('begins above the jobs, the pages stand where the jobs are', async () => {
    const { w } = await hosted();
    await w.pass();
    const outer = await testFolder();
    await initRepository(outer);
    await cp(join(w.root, 'state'), join(outer, 'team/state'), { recursive: true });
    await commitFiles(outer, { 'team/batchwright.yaml': 'branch: main\n', '.gitignore': 'team/state/\n' });
    const done = await commitPages({
      ...orderOf(w, { jobs: [await w.report()], broken: [] }),
      git: workTreeGit(join(outer, 'team'), ENV, null),
      root: join(outer, 'team'),
      stateFolder: join(outer, 'team/state'),
      work: join(outer, 'work'),
    });
    expect(done.kind).toBe('committed');
    expect(await git(outer, 'ls-tree', '-r', '--name-only', 'main')).toContain(
      'team/state/tickets/status.json',
    );
  });

  it('is none, nothing is committed and nothing fails', async () => {
    const { w, host } = await hosted();
    await rm(join(w.root, '.git'), { recursive: true });
    expect(await passAndPublish(w)).toBe(true);
    expect(await subjects(host)).toEqual([]);
  });
});
