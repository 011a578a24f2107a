import { cp, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';

const ROOT = join(import.meta.dirname, '..');

/**
 * Emits JavaScript for the published package: Node strips no types under `node_modules`. What else the source reads
 * beside itself (the ledger's SQL) goes along. Type errors end the build.
 * @param to an absolute folder; what is there is replaced.
 */
export async function build(to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  await execa(tsc, ['--project', 'tsconfig.build.json', '--outDir', to], { cwd: ROOT, stdio: 'inherit' });
  const source = join(ROOT, 'runner');
  const files = await readdir(source, { recursive: true });
  for (const file of files.filter((path) => path.endsWith('.sql')))
    await cp(join(source, file), join(to, file));
}

if (import.meta.main) await build(resolve(process.argv[2] ?? join(ROOT, 'dist')));
