import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localStore } from '../../runner/store/local.ts';
import { testFolder } from '../support/folder.ts';
import { storeConformance } from './conformance.ts';

storeConformance('local', async () => localStore(await testFolder()));

it('leaves no temporary file behind, and lists none that a dead writer left', async () => {
  const folder = await testFolder();
  const store = localStore(folder);
  await store.putIfAbsent('n', { bytes: Buffer.from('a') });
  await store.putIfAbsent('n', { bytes: Buffer.from('b') });
  expect(await readdir(folder)).toEqual(['n']);
  await writeFile(join(folder, '.dead.tmp'), 'half');
  expect(await store.list('')).toEqual(['n']);
});
