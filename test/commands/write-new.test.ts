import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeAllNew, writeNew } from '../../runner/commands/write-new.ts';
import { testFolder } from '../support/folder.ts';

it('writes over nothing', async () => {
  const path = join(await testFolder(), 'a/b.yaml');
  await writeNew(path, 'one');
  await expect(writeNew(path, 'two')).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(path, 'utf8')).toBe('one');
});

it('leaves none of several where one cannot be written, and what was there before', async () => {
  const folder = await testFolder();
  await writeFile(join(folder, 'file'), 'mine');
  const files = ['jobs/x.yaml', 'prompts/x.hbs', 'file/below.json'].map(
    (name) => [join(folder, name), 'text'] as const,
  );
  await expect(writeAllNew(files)).rejects.toThrow();
  expect(await readdir(join(folder, 'jobs'))).toEqual([]);
  expect(await readdir(join(folder, 'prompts'))).toEqual([]);
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('mine');
  await writeAllNew(files.slice(0, 2));
  expect(await readdir(join(folder, 'jobs'))).toEqual(['x.yaml']);
});
