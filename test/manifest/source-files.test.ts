import { symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourceColumns } from '../../runner/manifest/source.ts';
import { checkUnchanged, digestSources, resolveFiles } from '../../runner/manifest/source-files.ts';
import { testFolder } from '../support/folder.ts';
import { inputOf } from '../support/freeze.ts';
import { findingsOf, folderWith } from '../support/rows.ts';

const FILES = {
  'data/b.csv': 'id\n1\n',
  'data/a.csv': 'id\n2\n',
  'data/deep/c.csv': 'id\n3\n',
  'other.jsonl': '{"id":1}',
};

async function pathsOf(patterns: string[]): Promise<string[]> {
  const root = await folderWith(FILES);
  return resolveFiles(patterns, { root, allowedRoots: [] }).map((file) => file.path);
}

describe('paths and globs', () => {
  test('sorted by path, each once', async () => {
    expect(await pathsOf(['data/b.csv', 'data/*.csv'])).toEqual(['data/a.csv', 'data/b.csv']);
    expect(await pathsOf(['data/**/*.csv'])).toEqual(['data/a.csv', 'data/b.csv', 'data/deep/c.csv']);
    expect(await pathsOf(['data/{a,b}.csv'])).toEqual(['data/a.csv', 'data/b.csv']);
  });

  const refused: [string, string[], string][] = [
    ['no such file', ['data/x.csv'], 'input-not-found: input.files: no file is at "data/x.csv"'],
    ['a glob that finds nothing', ['none/*.csv'], 'input-not-found: input.files: no file is at "none/*.csv"'],
    ['a folder', ['data'], 'input-not-found: input.files: no file is at "data"'],
    [
      'two formats',
      ['data/a.csv', 'other.jsonl'],
      'input-mixed: input.files: all files of a job have one format, here are csv and jsonl',
    ],
  ];
  test.each(refused)('%s', async (_name, patterns, finding) => {
    expect(await findingsOf(pathsOf(patterns))).toEqual([finding]);
  });

  test('a name that does not tell the format', async () => {
    const root = await folderWith({ 'data.txt': '' });
    const [finding] = await findingsOf(digestSources({ files: ['data.txt'] }, { root, allowedRoots: [] }));
    expect(finding).toBe('input-format: input.files: the format of data.txt is not known from its name');
  });

  test('nothing outside, links included, unless the settings allow the folder', async () => {
    const outside = await folderWith({ 'secret.csv': 'id\n1\n' });
    const root = await testFolder();
    await symlink(join(outside, 'secret.csv'), join(root, 'link.csv'));
    const attempts = ['link.csv', join(outside, 'secret.csv')];
    for (const path of attempts) {
      const [finding] = await findingsOf(digestSources({ files: [path] }, { root, allowedRoots: [] }));
      expect(finding).toContain('leads out of the repository');
      expect(resolveFiles([path], { root, allowedRoots: [outside] })).toHaveLength(1);
    }
  });
});

describe('digests', () => {
  test('are over names and contents, not over times', async () => {
    const digest = async (files: Record<string, string>) => {
      const root = await folderWith(files);
      return digestSources({ files: ['*.csv'] }, { root, allowedRoots: [] });
    };
    const one = await digest({ 'a.csv': 'id\n', 'b.csv': 'id\n1\n' });
    expect(one).toMatchObject({ files: 2, bytes: 8 });
    expect((await digest({ 'a.csv': 'id\n', 'b.csv': 'id\n1\n' })).digest).toBe(one.digest);
    expect((await digest({ 'a.csv': 'id\n', 'c.csv': 'id\n1\n' })).digest).not.toBe(one.digest);
    expect((await digest({ 'a.csv': 'id\n1\n', 'b.csv': 'id\n' })).digest).not.toBe(one.digest);
  });

  test('a file that was written to since is noticed', async () => {
    const root = await folderWith({ 'a.csv': 'id\n', 'b.csv': 'id\n' });
    const roots = { root, allowedRoots: [] };
    const digests = await digestSources({ files: ['*.csv'] }, roots);
    checkUnchanged(resolveFiles(['*.csv'], roots), digests);
    await writeFile(join(root, 'b.csv'), 'xx\n');
    await utimes(join(root, 'b.csv'), 1, 1);
    const changed = async () => checkUnchanged(resolveFiles(['*.csv'], roots), digests);
    expect(await findingsOf(changed())).toEqual([
      'input-changed: the input changed while it was being read: b.csv',
    ]);
  });
});

describe('columns, cheaply', () => {
  test('of CSV from the header, of JSON from the first rows', async () => {
    const root = await folderWith({
      'a.csv': 'id,t\n1,x\n',
      'b.jsonl': '{"id":1}\nbad\n{"id":2,"late":3}\n',
    });
    const columns = (file: string) => sourceColumns(inputOf({ files: [file] }), { root, allowedRoots: [] });
    expect(await columns('a.csv')).toEqual({
      columns: ['id', 't'],
      complete: true,
      sample: [{ id: '1', t: 'x' }],
    });
    expect(await columns('b.jsonl')).toEqual({
      columns: ['id', 'late'],
      complete: false,
      sample: [{ id: 1 }, { id: 2, late: 3 }],
    });
  });
});
