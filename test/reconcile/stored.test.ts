import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DamagedFiles } from '../../runner/errors.ts';
import { digestOf } from '../../runner/ids.ts';
import { provenPath } from '../../runner/reconcile/stored.ts';
import type { Store } from '../../runner/store/port.ts';
import { testFolder } from '../support/folder.ts';

it('a stored file that the system will not read is damaged, and no end of the pass', async () => {
  const path = join(await testFolder(), 'manifest');
  // Reading a folder fails, as reading a file on a bad block does.
  await mkdir(path);
  const { size } = await stat(path);
  const store = { get: async () => path } as unknown as Store;
  const file = { name: 'tickets/runs/1/manifest-1.parquet', digest: digestOf('x'), bytes: size };
  await expect(provenPath(store, file)).rejects.toThrow(DamagedFiles);
  await expect(provenPath(store, file)).rejects.toThrow(
    /its manifest .* cannot be read: the system says EISDIR/,
  );
});
