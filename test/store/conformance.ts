import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../runner/store/port.ts';
import { testFolder } from '../support/folder.ts';

/** What every store must do; each store's own test runs this over it. */
export function storeConformance(name: string, make: () => Promise<Store>): void {
  describe(`store ${name}`, () => {
    it('gives back the bytes that were put', async () => {
      const store = await make();
      expect(await store.putIfAbsent('a/b/c.bin', { bytes: Buffer.from([0, 1, 255]) })).toBe('put');
      expect(await bytesOf(store, 'a/b/c.bin')).toEqual(Buffer.from([0, 1, 255]));
    });

    it('takes the bytes of a file and leaves the file alone', async () => {
      const store = await make();
      const path = join(await testFolder(), 'source');
      await writeFile(path, 'text');
      expect(await store.putIfAbsent('x.txt', { path })).toBe('put');
      expect(String(await bytesOf(store, 'x.txt'))).toBe('text');
      expect(await readFile(path, 'utf8')).toBe('text');
    });

    it('keeps the first bytes of a name', async () => {
      const store = await make();
      await store.putIfAbsent('n', { bytes: Buffer.from('first') });
      expect(await store.putIfAbsent('n', { bytes: Buffer.from('second') })).toBe('exists');
      expect(String(await bytesOf(store, 'n'))).toBe('first');
    });

    it('lets one of many writers win, and none sees a part of the bytes', async () => {
      const store = await make();
      const texts = Array.from({ length: 12 }, (_, index) => String(index).repeat(50_000));
      const results = await Promise.all(
        texts.map((text) => store.putIfAbsent('journal/00000001.jsonl', { bytes: Buffer.from(text) })),
      );
      expect(results.filter((result) => result === 'put')).toHaveLength(1);
      expect(String(await bytesOf(store, 'journal/00000001.jsonl'))).toBe(texts[results.indexOf('put')]);
    });

    it('lists by prefix, sorted, below folders too', async () => {
      const store = await make();
      for (const each of ['journal/2', 'journal/1', 'job/runs/1/a', 'job/runs/10/b'])
        await store.putIfAbsent(each, { bytes: Buffer.from(each) });
      expect(await store.list('journal/')).toEqual(['journal/1', 'journal/2']);
      expect(await store.list('job/')).toEqual(['job/runs/1/a', 'job/runs/10/b']);
      expect(await store.list('job/runs/1')).toEqual(['job/runs/1/a', 'job/runs/10/b']);
      expect(await store.list('nothing/')).toEqual([]);
    });

    it('puts many, leaving those that are there', async () => {
      const store = await make();
      await store.putIfAbsent('journal/00000001.jsonl', { bytes: Buffer.from('first') });
      await store.putInOrder(
        ['job/runs/1/a', 'journal/00000001.jsonl', 'journal/00000002.jsonl'].map((each) => ({
          name: each,
          source: { bytes: Buffer.from(each) },
        })),
      );
      expect(String(await bytesOf(store, 'journal/00000001.jsonl'))).toBe('first');
      expect(String(await bytesOf(store, 'journal/00000002.jsonl'))).toBe('journal/00000002.jsonl');
      expect(String(await bytesOf(store, 'job/runs/1/a'))).toBe('job/runs/1/a');
    });

    it('forgets what was put below a run, and nothing else', async () => {
      const store = await make();
      for (const each of ['job/runs/1/a', 'job/runs/10/b', 'journal/00000001.jsonl'])
        await store.putIfAbsent(each, { bytes: Buffer.from(each) });
      await store.dropRun('job/runs/1');
      await store.dropRun('job/runs/7');
      expect(await store.list('')).toEqual(['job/runs/10/b', 'journal/00000001.jsonl']);
      expect(await store.get('job/runs/1/a')).toBeNull();
    });

    it('says null for a name that it does not have', async () => {
      const store = await make();
      expect(await store.get('absent')).toBeNull();
      await store.putIfAbsent('folder/file', { bytes: Buffer.from('x') });
      expect(await store.get('folder')).toBeNull();
      expect(await store.get('folder/file/below')).toBeNull();
    });
  });
}

async function bytesOf(store: Store, name: string): Promise<Buffer> {
  const path = await store.get(name);
  if (path === null) throw new Error(`${name} is not there`);
  return readFile(path);
}
