import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { digestOfTree } from '../runner/git.ts';
import { testFolder } from './support/folder.ts';
import { commitFiles, git, initRepository } from './support/git.ts';
import { REPOSITORY } from './support/package.ts';

const PATHS = ['data/tickets.csv', 'jobs'];
const QUIET = { format: 'batchwright/pass/v1', next_look: null };

/** A commit with a job and its data, and the note of a pass that saw it. */
async function repository(note: object = {}): Promise<string> {
  const root = await testFolder();
  await initRepository(root);
  await commitFiles(root, { 'jobs/a.yaml': 'a', 'data/tickets.csv': 'id\n1\n' });
  const seen = { paths: PATHS, digest: await digestOfTree(root, 'HEAD', PATHS, PATHS) };
  await commitFiles(root, { 'state/pass.json': JSON.stringify({ ...QUIET, seen, ...note }) });
  return root;
}

async function due(root: string, ...more: string[]): Promise<string> {
  const { stdout, stderr } = await execa('node', [join(REPOSITORY, 'bin/due.mjs'), '--root', root, ...more]);
  return `${stdout}, ${stderr}`;
}

it('is not due where every job is as git asks for', async () => {
  expect(await due(await repository())).toBe('due=no, No pass is due: every job is as git asks for.');
});

it('is due again when a job or its data is committed otherwise, and not for anything else', async () => {
  const root = await repository();
  await commitFiles(root, { 'README.md': 'not about jobs', 'state/README.md': 'a report' });
  expect(await due(root)).toContain('due=no');
  await commitFiles(root, { 'data/tickets.csv': 'id\n1\n2\n' });
  expect(await due(root)).toBe('due=yes, A pass is due: jobs or what they read have changed.');
});

it('B091: says the same in a shallow clone, and inside a hook', async () => {
  const root = await repository();
  const clone = join(await testFolder(), 'clone');
  await git(root, 'clone', '--quiet', '--depth', '1', `file://${root}`, clone);
  const { stdout } = await execa('node', [join(REPOSITORY, 'bin/due.mjs')], {
    cwd: clone,
    env: { GIT_DIR: '/somewhere/else' },
  });
  expect(stdout).toBe('due=no');
});

it('waits for the time that the note names', async () => {
  const root = await repository({ next_look: '2026-12-24T00:00:00.000Z' });
  expect(await due(root, '--now', '2026-12-23T23:59:59Z')).toContain('nothing happens before 2026-12-24');
  expect(await due(root, '--now', '2026-12-24T00:00:00Z')).toContain('due=yes');
});

it.each([
  ['work is under way', { next_look: 'now' }, 'work is under way'],
  ['the next look says nothing', { next_look: {} }, 'work is under way'],
  ['the note is of a later version', { format: 'batchwright/pass/v2' }, 'another version'],
  ['not everything is in git', { seen: null }, 'not everything'],
  ['the note names no paths', { seen: { digest: 'a' } }, 'it makes no sense'],
  ['the note would pass options to git', { seen: { paths: ['--help'], digest: 'a' } }, 'have changed'],
])('is due where %s', async (_what, note, reason) => {
  expect(await due(await repository(note))).toMatch(new RegExp(`^due=yes, .*${reason}`, 's'));
});

it.each([
  ['there is no note', (root: string) => rm(join(root, 'state'), { recursive: true }), 'ENOENT'],
  [
    'a merge left the note in pieces',
    (root: string) => writeFile(join(root, 'state/pass.json'), '<<<<'),
    'no sense',
  ],
  ['the note is null', (root: string) => writeFile(join(root, 'state/pass.json'), 'null'), 'no sense'],
  [
    'git does not answer',
    (root: string) => rm(join(root, '.git'), { recursive: true }),
    'cannot be compared',
  ],
])('is due where %s', async (_what, spoil, reason) => {
  const root = await repository();
  await spoil(root);
  expect(await due(root)).toMatch(new RegExp(`^due=yes, .*${reason}`, 's'));
});
