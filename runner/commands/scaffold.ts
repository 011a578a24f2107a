import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** The folder of the package, or of the checkout: both have the same tops. */
const HOME = join(import.meta.dirname, '../..');

/** What is the same in every repository but for these. */
export interface ScaffoldNames {
  /** Of this package, exact: workflows install no other. */
  readonly version: string;
  /** A plain branch name: it comes into YAML. */
  readonly branch: string;
  /** False: there is no remote to keep the state in yet, so the line that names it stands as a comment. */
  readonly hasRemote: boolean;
}

/** Texts by path, from the root of a repository. */
export type Scaffold = ReadonlyMap<string, string>;

/** The files of a new repository: those under `scaffold/`, our schemas, and the script that workflows start first. */
export async function readScaffold(names: ScaffoldNames): Promise<Scaffold> {
  const files = await textsIn(join(HOME, 'scaffold'), '');
  const schemas = await textsIn(join(HOME, 'schemas/batchwright'), 'schemas/batchwright/');
  const due = await readFile(join(HOME, 'bin/due.mjs'), 'utf8');
  const all = [
    ...files.map(([path, text]) => [pathOf(path), filled(text, names)] as const),
    ...schemas,
    ['.github/batchwright/due.mjs', due] as const,
  ];
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function textsIn(folder: string, prefix: string): Promise<(readonly [string, string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  return Promise.all(
    paths.map(async (path) => [`${prefix}${path}`, await readFile(join(folder, path), 'utf8')] as const),
  );
}

/** npm packs no file of this name. */
function pathOf(path: string): string {
  return path === 'gitignore' ? '.gitignore' : path;
}

/** Braces of YAML, prompts and expressions stay: only these names are known. */
function filled(text: string, { version, branch, hasRemote }: ScaffoldNames): string {
  const named = text.replaceAll('{{version}}', version).replaceAll('{{branch}}', branch);
  return hasRemote
    ? named
    : named.replace(STORE_LINE, `# Once this repository has a remote:\n# ${STORE_LINE}`);
}

const STORE_LINE = 'store: { kind: git-ref }\n';
