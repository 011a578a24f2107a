import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { testFolder } from './support/folder.ts';
import { packedPackage, REPOSITORY } from './support/package.ts';
import { repo, TICKET_FILES } from './support/repo.ts';

/** Beside everything else that a test run does on two cores. */
const SLOW = { timeout: 240_000 };

test('the package holds the built command and what it reads, and nothing else', SLOW, async () => {
  const { files } = await packedPackage(await testFolder());
  const tops = new Set(files.map((path) => path.split('/')[0]));
  expect([...tops].sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'package.json',
    'scaffold',
    'schemas',
  ]);
  expect(files.filter((path) => path.endsWith('.ts'))).toEqual([]);
  expect(
    files.filter((path) => path.startsWith('schemas/') && !path.startsWith('schemas/batchwright/')),
  ).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining([
      'bin/batchwright.js',
      'bin/due.mjs',
      'dist/cli.js',
      'dist/ledger/migrations/0001-tables.sql',
      'schemas/batchwright/job.schema.json',
    ]),
  );
});

test('the installed package starts, validates and rehearses a repository', SLOW, async () => {
  const { folder } = await packedPackage(await testFolder());
  await using files = await repo(TICKET_FILES);
  const run = async (...args: string[]) => {
    const bin = join(folder, 'bin/batchwright.js');
    const { stdout } = await execa(process.execPath, [bin, ...args], { cwd: files.root });
    return stdout;
  };
  const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(await run('--version')).toBe(version);
  expect(await run('--help')).toContain('rehearse');
  expect(await run('validate')).toBe('1 job file, no findings.');
  expect(await run('rehearse')).toContain('1 job rehearsed, 2 answers applied');
});
