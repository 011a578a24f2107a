import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { digestOfTree, readGit, readOnlyReason } from '../runner/git.ts';
import { instantOf, type JobName } from '../runner/ids.ts';
import { loadRepository } from '../runner/spec/load.ts';
import { testFolder } from './support/folder.ts';
import { commitFiles, git, initRepository } from './support/git.ts';
import { TICKET_FILES } from './support/repo.ts';
import { world } from './support/world.ts';

async function repository(files: Record<string, string> = { 'jobs/a.yaml': 'a' }) {
  const root = await testFolder();
  await initRepository(root);
  return { root, commit: await commitFiles(root, files) };
}

/** What `actions/checkout` makes of the tip of a branch: one commit, no other branch, no identity. */
async function shallow(root: string): Promise<string> {
  const clone = join(await testFolder(), 'clone');
  await git(root, 'clone', '--quiet', '--depth', '1', `file://${root}`, clone);
  return clone;
}

it('a folder without git has no facts, and nothing is wrong with it', async () => {
  expect(await readGit(await testFolder(), null)).toBeNull();
});

it('a repository says its commit, and that its branch is there', async () => {
  const { root, commit } = await repository();
  const facts = await readGit(root, 'main');
  expect(facts).toEqual({ commit, dirty: false, branchTip: commit, problem: null });
  expect(readOnlyReason(facts, 'main')).toBeNull();
});

it('B091: what git says when it refuses is shown, no commit is made up, and nothing counts as the tip', async () => {
  const { root } = await repository();
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
  const { root } = await repository();
  const facts = await readGit(root, null, { PATH: join(root, 'nothing') });
  expect(facts?.problem).toMatch(/the git program cannot be started/);
});

it('B091: a session goes on without a commit, and says once what git said', async () => {
  const w = await world();
  await initRepository(w.root);
  await commitFiles(w.root, {});
  await writeFile(join(w.root, '.git/config'), '[core\n');
  await w.finish();
  expect((await w.journal()).jobs['tickets' as JobName]?.runs).toMatchObject([{ commit: null, dirty: true }]);
  const said = w.said.filter(({ level }) => level === 'warning').map(({ text }) => text);
  expect(said).toEqual([expect.stringMatching(/recorded without one. It says: fatal: bad config line 1/)]);
});

it('B091: in a shallow clone the tip is known without any history', async () => {
  const { root } = await repository();
  const commit = await commitFiles(root, { 'jobs/b.yaml': 'b' });
  const clone = await shallow(root);
  expect(await git(clone, 'rev-list', '--count', 'HEAD')).toBe('1');
  const view = await readGit(clone, 'main');
  expect(view).toEqual({ commit, dirty: false, branchTip: commit, problem: null });
  expect(readOnlyReason(view, 'main')).toBeNull();
});

it('B091: a detached head is its commit, and acts only where it is the tip', async () => {
  const { root, commit } = await repository();
  const tip = await commitFiles(root, { 'jobs/b.yaml': 'b' });
  await git(root, 'checkout', '--quiet', '--detach', commit);
  const behind = await readGit(root, 'main');
  expect(behind).toMatchObject({ commit, branchTip: tip });
  expect(readOnlyReason(behind, 'main')).toMatch(/^commit .{7} is not the tip of main/);
  await git(root, 'checkout', '--quiet', '--detach', tip);
  expect(readOnlyReason(await readGit(root, 'main'), 'main')).toBeNull();
});

it('a head that knows no branch of that name may only poll and collect', async () => {
  const { root, commit } = await repository();
  await git(root, 'checkout', '--quiet', '--detach', commit);
  await git(root, 'branch', '--quiet', '-D', 'main');
  expect(readOnlyReason(await readGit(root, 'main'), 'main')).toContain('git does not know it here');
});

it('on a shared store only what a commit holds may send and apply', async () => {
  const { root } = await repository();
  expect(readOnlyReason(await readGit(root, null), null, true)).toBeNull();
  await writeFile(join(root, 'jobs/a.yaml'), 'edited');
  const edited = await readGit(root, null);
  expect(readOnlyReason(edited, null, true)).toContain('changes that no commit holds');
  expect(readOnlyReason(edited, null, false)).toBeNull();
});

it('before the first commit there is no commit, not an empty one', async () => {
  const root = await testFolder();
  await initRepository(root);
  expect(await readGit(root, 'main')).toEqual({
    problem: null,
    commit: null,
    dirty: false,
    branchTip: null,
  });
});

it.each([
  ['GIT_DIR', '/somewhere/.git'],
  ['GIT_WORK_TREE', '/somewhere'],
  ['GIT_INDEX_FILE', '/somewhere/index'],
  ['GIT_OBJECT_DIRECTORY', '/somewhere/objects'],
])('B091: %s of a hook does not lead to the repository of the hook', async (name, value) => {
  const { root, commit } = await repository();
  vi.stubEnv(name, value);
  expect(await readGit(root, 'main')).toMatchObject({ commit, dirty: false, branchTip: commit });
});

it('what a host says with GIT_CONFIG_COUNT is kept: credentials come that way', async () => {
  const { root } = await repository();
  vi.stubEnv('GIT_CONFIG_COUNT', '1');
  vi.stubEnv('GIT_CONFIG_KEY_0', 'status.showUntrackedFiles');
  vi.stubEnv('GIT_CONFIG_VALUE_0', 'no');
  await writeFile(join(root, 'jobs/new.yaml'), 'new');
  expect(await readGit(root, null)).toMatchObject({ dirty: false });
});

it('an approval that no commit holds makes the tree dirty: on a shared store it approves nothing', async () => {
  const { root } = await repository();
  await mkdir(join(root, 'approvals'));
  await writeFile(join(root, 'approvals/tickets.yaml'), 'job: tickets\n');
  const facts = await readGit(root, null);
  expect(facts).toMatchObject({ dirty: true });
  expect(readOnlyReason(facts, null, true)).toContain('changes that no commit holds');
});

it('names in other scripts are names: a new one makes the tree dirty, and a digest has them', async () => {
  const { root } = await repository({ 'jobs/作业 é\u0301.yaml': 'a', 'data/данные.csv': 'id\n1\n' });
  expect(await readGit(root, null)).toMatchObject({ dirty: false });
  expect(await digestOfTree(root, 'HEAD', ['data/данные.csv'], ['data/данные.csv'])).toMatch(
    /^[0-9a-f]{64}$/,
  );
  await writeFile(join(root, 'jobs/新しい.yaml'), 'new');
  expect(await readGit(root, null)).toMatchObject({ dirty: true });
});

it('line ends of a checkout on another system are no change, neither to git nor to a job', async () => {
  const { root } = await repository(TICKET_FILES as Record<string, string>);
  const before = await digests(root);
  await commitFiles(root, { '.gitattributes': '* text eol=crlf\n' });
  await rm(join(root, 'jobs'), { recursive: true });
  await rm(join(root, 'prompts'), { recursive: true });
  await git(root, 'checkout', '--', '.');
  expect(await readFile(join(root, 'prompts/ticket-labels/user.hbs'), 'utf8')).toContain('\r\n');
  expect(await readGit(root, null)).toMatchObject({ dirty: false });
  expect(await digests(root)).toEqual(before);
});

async function digests(root: string) {
  const { jobs, findings } = await loadRepository(root, { now: instantOf(0) });
  expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
  return jobs.map(({ prompts }) => [prompts.system?.digest, prompts.user.digest]);
}

it('the digest of a tree moves with what is committed below its paths, and with nothing else', async () => {
  const { root } = await repository({ 'jobs/a.yaml': 'a', 'data/a.csv': '1' });
  const digest = () => digestOfTree(root, 'HEAD', ['data', 'jobs'], ['data']);
  const first = await digest();
  await commitFiles(root, { 'state/README.md': 'a report' });
  expect(await digest()).toBe(first);
  await writeFile(join(root, 'data/a.csv'), 'not committed');
  expect(await digest()).toBe(first);
  await commitFiles(root, {});
  expect(await digest()).not.toBe(first);
  expect(await digestOfTree(root, 'HEAD', ['data', 'jobs'], ['elsewhere']), 'not in git').toBeNull();
  expect(await digestOfTree(await testFolder(), 'HEAD', ['jobs'], []), 'no repository').toBeNull();
});

it('a folder inside a larger repository has paths of its own', async () => {
  const { root, commit } = await repository({ 'team/jobs/a.yaml': 'a', 'jobs/other.yaml': 'b' });
  const team = join(root, 'team');
  expect(await readGit(team, 'main')).toMatchObject({ commit, dirty: false });
  const first = await digestOfTree(team, 'HEAD', ['jobs'], ['jobs']);
  expect(first).not.toBeNull();
  await commitFiles(root, { 'jobs/other.yaml': 'c' });
  expect(await digestOfTree(team, 'HEAD', ['jobs'], ['jobs'])).toBe(first);
});

it('B091: a repository of another user is not read by force; the words of git say what to do', async () => {
  const { root } = await repository();
  // Git's own switch for this: not everybody who runs the tests may give files away.
  vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
  const reason = readOnlyReason(await readGit(root, 'main'), 'main');
  expect(reason).toContain('dubious ownership');
  expect(reason).toContain(`git config --global --add safe.directory ${root}`);
});

it('without the git program the local store works, and what is missing is said once', async () => {
  const w = await world();
  await initRepository(w.root);
  vi.stubEnv('PATH', '/nowhere');
  const fleet = await w.finish();
  expect(fleet.jobs[0]).toMatchObject({
    phase: 'complete',
    run: { provenance: { commit: null, dirty: true } },
  });
  expect(await w.rows()).toHaveLength(8);
  expect(w.said.filter(({ text }) => text.includes('the git program cannot be started'))).toHaveLength(1);
});

it('a linked work tree is a repository too', async () => {
  const { root, commit } = await repository();
  const linked = join(await testFolder(), 'linked');
  await git(root, 'worktree', 'add', '--quiet', '-b', 'topic', linked);
  expect(await readGit(linked, 'topic')).toMatchObject({ commit, branchTip: commit });
});
