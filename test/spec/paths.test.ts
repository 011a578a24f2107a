import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathNote } from '../../runner/spec/paths.ts';
import { repo } from '../support/repo.ts';

const CASES: readonly (readonly [path: string, code: string | null])[] = [
  ['data/a.csv', null],
  ['data/not/there/yet.csv', null],
  ['data/*.csv', null],
  ['**/*.json', null],
  ['./data/a.csv', null],
  ['data/../data/a.csv', null],
  ['..data/a.csv', null],
  ['../a.csv', 'outside-repository'],
  ['data/../../a.csv', 'outside-repository'],
  ['/etc/passwd', 'outside-repository'],
  ['/proc/self/environ', 'outside-repository'],
  ['~/a.csv', 'outside-repository'],
  ['../*/a.csv', 'outside-repository'],
  ['.env', 'wrong-path'],
  ['config/.env.local', 'wrong-path'],
  ['.git/config', 'wrong-path'],
  ['data\\a.csv', 'wrong-path'],
  ['data\ta.csv', 'wrong-path'],
  ['link-out/a.csv', 'outside-repository'],
  ['link-out/*.csv', 'outside-repository'],
  ['link-in/a.csv', null],
  ['link-to-git/config', 'wrong-path'],
];

test.each(CASES)('%s', async (path, code) => {
  await using outside = await repo({ 'a.csv': 'x\n' });
  await using inside = await repo({ 'data/a.csv': 'x\n', '.git/config': '' });
  await symlink(outside.root, join(inside.root, 'link-out'));
  await symlink(join(inside.root, 'data'), join(inside.root, 'link-in'));
  await symlink(join(inside.root, '.git'), join(inside.root, 'link-to-git'));
  const note = await pathNote(path, { root: inside.root, allowedRoots: [] });
  expect(note?.code ?? null).toBe(code);
});

test('a folder that the settings allow is as good as the repository, through links too', async () => {
  await using outside = await repo({ 'a.csv': 'x\n' });
  await using inside = await repo({ 'data/a.csv': 'x\n' });
  await symlink(outside.root, join(inside.root, 'link-out'));
  const roots = { root: inside.root, allowedRoots: [outside.root] };
  expect(await pathNote(join(outside.root, 'a.csv'), roots)).toBeNull();
  expect(await pathNote('link-out/a.csv', roots)).toBeNull();
  expect(await pathNote(`${outside.root}-other/a.csv`, roots)).not.toBeNull();
});
