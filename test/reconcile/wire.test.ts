import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { testFolder } from '../support/folder.ts';

/** Sorting them takes more memory than DuckDB is given, and one JavaScript string of them 200 MB. */
it.each([
  ['as they are', null, 50],
  ['with a raised cap', 900, 900],
])(
  '200 MB of lines that are tried again are written in order and in little memory, %s',
  async (_how, cap, sent) => {
    const program = fileURLToPath(new URL('../support/large-wire.ts', import.meta.url));
    const args = ['--max-semi-space-size=8', program, await testFolder(), JSON.stringify(cap)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 50_000 });
    const { bytes, megabytes, ...found } = JSON.parse(stdout);
    expect(found).toEqual({ lines: 50_000, caps: [String(sent)], isInOrder: true });
    expect(bytes).toBeGreaterThan(200_000_000);
    expect(megabytes).toBeLessThan(300);
  },
);
