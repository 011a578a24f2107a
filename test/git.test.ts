import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { readGit, readOnlyReason } from '../runner/git.ts';
import type { JobName } from '../runner/ids.ts';
import { testFolder } from './support/folder.ts';
import { world } from './support/world.ts';

async function repositoryAt(root: string): Promise<string> {
  const git = (...args: string[]) =>
    execa('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: root });
  await git('init', '--quiet', '--initial-branch=main');
  await git('commit', '--quiet', '--allow-empty', '--message=first');
  return (await git('rev-parse', 'HEAD')).stdout;
}

it('a folder without git has no facts, and nothing is wrong with it', async () => {
  expect(await readGit(await testFolder(), null)).toBeNull();
});

it('a repository says its commit, and that its branch is there', async () => {
  const root = await testFolder();
  const commit = await repositoryAt(root);
  const facts = await readGit(root, 'main');
  expect(facts).toEqual({ commit, dirty: false, branchTip: commit, problem: null });
  expect(readOnlyReason(facts, 'main')).toBeNull();
});

it('B091: what git says when it refuses is shown, no commit is made up, and nothing counts as the tip', async () => {
  const root = await testFolder();
  await repositoryAt(root);
  await writeFile(join(root, '.git/config'), '[core\n');
  const facts = await readGit(root, 'main');
  expect(facts).toMatchObject({ commit: null, dirty: true, branchTip: null });
  expect(facts?.problem).toMatch(/bad config line 1 in file \.git\/config/);
  expect(readOnlyReason(facts, 'main')).toMatch(/branch main act, and git says: fatal: bad config/);
});

it('B091: a work tree whose repository went away is no folder without git', async () => {
  const root = await testFolder();
  await writeFile(join(root, '.git'), 'gitdir: /nowhere/at/all\n');
  const facts = await readGit(root, null);
  expect(facts?.problem).toMatch(/not a git repository: \/nowhere\/at\/all/);
});

it('a repository without the git program says so', async () => {
  const root = await testFolder();
  await repositoryAt(root);
  const facts = await readGit(root, null, { PATH: join(root, 'nothing') });
  expect(facts?.problem).toMatch(/the git program cannot be started/);
});

it('B091: a session goes on without a commit, and says once what git said', async () => {
  const w = await world();
  await repositoryAt(w.root);
  await writeFile(join(w.root, '.git/config'), '[core\n');
  await w.finish();
  expect((await w.journal()).jobs['tickets' as JobName]?.runs).toMatchObject([{ commit: null, dirty: true }]);
  const said = w.said.filter(({ level }) => level === 'warning').map(({ text }) => text);
  expect(said).toEqual([expect.stringMatching(/recorded without one. It says: fatal: bad config line 1/)]);
});
