import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { build } from '../../scripts/build.ts';

export const REPOSITORY = join(import.meta.dirname, '../..');

/** What a checkout holds that could be packed by mistake, beside what should be. */
const CHECKOUT = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'bin',
  'docs',
  'jobs',
  'package.json',
  'runner',
  'scaffold',
  'schemas',
  'scripts',
];

export interface Packed {
  /** `node_modules/batchwright` of a folder in which the package is installed. */
  readonly folder: string;
  /** Paths in the package. */
  readonly files: readonly string[];
}

/**
 * The package as it would be published, built and packed by npm, and installed as far as that needs no network: its
 * dependencies are those of this checkout. `home`: an empty folder.
 */
export async function packedPackage(home: string): Promise<Packed> {
  const checkout = join(home, 'checkout');
  for (const path of CHECKOUT)
    await cp(join(REPOSITORY, path), join(checkout, path), { recursive: true, force: true });
  await build(join(checkout, 'dist'));
  const { stdout } = await execa('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home], {
    cwd: checkout,
  });
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  if (packed === undefined) throw new Error('npm packed nothing');
  const folder = join(home, 'node_modules/batchwright');
  await mkdir(folder, { recursive: true });
  await execa('tar', ['--extract', '--file', join(home, packed.filename), '--strip-components', '1'], {
    cwd: folder,
  });
  await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  return { folder, files: packed.files.map(({ path }) => path) };
}
