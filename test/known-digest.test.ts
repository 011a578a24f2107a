import { rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../runner/ids.ts';
import { knownDigest } from '../runner/known-digest.ts';
import { testFolder } from './support/folder.ts';

const LONG_AGO = new Date('2020-01-01T00:00:00Z');

describe('the digest of a file that is asked for again and again', () => {
  it('is right after each of many quick changes of one size', async () => {
    const path = join(await testFolder(), 'file');
    for (let round = 0; round < 50; round += 1) {
      const text = `round ${String(round).padStart(4, '0')}`;
      await writeFile(path, text);
      expect(await knownDigest(path)).toEqual({ digest: digestOf(text), bytes: text.length });
    }
  });

  it('does not trust a time that was set back, as archivers do', async () => {
    const path = join(await testFolder(), 'file');
    for (const text of ['one', 'two']) {
      await writeFile(path, text);
      await utimes(path, LONG_AGO, LONG_AGO);
      expect((await knownDigest(path)).digest).toBe(digestOf(text));
    }
  });

  it('is that of the file that was moved into the place', async () => {
    const folder = await testFolder();
    const path = join(folder, 'file');
    for (const text of ['one', 'two']) {
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
      expect((await knownDigest(path)).digest).toBe(digestOf(text));
    }
  });

  it('fails where there is no file', async () => {
    await expect(knownDigest(join(await testFolder(), 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
