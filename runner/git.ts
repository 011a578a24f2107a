import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { type Digest, digestOf } from './ids.ts';

/** What git says about the work tree; null where there is no git or no repository. */
export interface GitFacts {
  /** Full object name; null before the first commit. */
  readonly commit: string | null;
  /** Files that no commit holds, among those that define jobs or approve runs. */
  readonly dirty: boolean;
  /** The tip of the configured branch: as last fetched, or, where there is no remote, as it is here. Null: unknown. */
  readonly branchTip: string | null;
  /** What git said instead of an answer: refused (dubious ownership), damaged, not installed. Then nothing else is known. */
  readonly problem: string | null;
}

/** Paths whose changes mean that the work tree asks for, or approves, something else than the commit. */
const DEFINING = ['jobs', 'prompts', 'schemas', 'approvals', 'batchwright.yaml'];

/** @param env the environment that git is looked for and run in */
export async function readGit(
  root: string,
  branch: string | null,
  env: NodeJS.ProcessEnv = process.env,
): Promise<GitFacts | null> {
  if (!isBelowRepository(root)) return null;
  // One process and not three: a pass reads git each time.
  const status = await git(root, ['status', '--porcelain=v2', '--branch', '--', ...DEFINING], env);
  if ('problem' in status) return { ...UNKNOWN, problem: status.problem };
  const lines = status.said.split('\n').filter((line) => line !== '');
  const oid = lines.find((line) => line.startsWith(OID))?.slice(OID.length) ?? '(initial)';
  const names = branch === null ? [] : [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`];
  const tips = await Promise.all(
    names.map((name) => git(root, ['rev-parse', '--verify', '--quiet', name], env)),
  );
  return {
    commit: oid === '(initial)' ? null : oid,
    dirty: lines.some((line) => !line.startsWith('#')),
    branchTip: tips.map((tip) => ('said' in tip ? tip.said : '')).find((tip) => tip !== '') ?? null,
    problem: null,
  };
}

/** Git would not say: then the work tree counts as one that no commit holds. */
const UNKNOWN = { commit: null, dirty: true, branchTip: null };

const OID = '# branch.oid ';

/** A look at the folders spares a process where there is no git at all. */
function isBelowRepository(root: string): boolean {
  for (let folder = resolve(root); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true;
    if (dirname(folder) === folder) return false;
  }
}

/**
 * One digest over files and folders as a commit has them; null where git cannot say, or the commit lacks one of
 * `required`. `bin/due.mjs` makes the same from the same paths, with nothing installed.
 */
export async function digestOfTree(
  root: string,
  commit: string,
  paths: readonly string[],
  required: readonly string[],
): Promise<Digest | null> {
  if (paths.length === 0 || !isBelowRepository(root)) return null;
  const listing = await git(root, ['ls-tree', '-z', commit, '--', ...paths], process.env);
  if ('problem' in listing) return null;
  // A line is mode, type, object name, a tab, and the path as it was asked for.
  const known = new Set(listing.said.split('\0').map((line) => line.slice(line.indexOf('\t') + 1)));
  return required.every((path) => known.has(path)) ? digestOf(listing.said) : null;
}

/** Where a folder lies in git. */
export interface GitPlace {
  /** The top of the work tree; null where there is no git or no repository. */
  readonly top: string | null;
  /** The branch that people merge into; `main` where nothing says otherwise, or its name is not a plain one. */
  readonly branch: string;
  readonly hasRemote: boolean;
}

/** @param folder may be absent yet */
export async function gitPlace(folder: string): Promise<GitPlace> {
  if (!existsSync(folder) || !isBelowRepository(folder))
    return { top: null, branch: 'main', hasRemote: false };
  const ask = async (...args: string[]) => {
    const answer = await git(folder, args, process.env);
    return 'said' in answer && answer.said !== '' ? answer.said : null;
  };
  const hosts = (await ask('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD'))?.replace(
    /^origin\//,
    '',
  );
  const branch =
    hosts ?? (await ask('for-each-ref', '--format=%(refname:short)', 'refs/heads/main', 'refs/heads/master'));
  const first = branch?.split('\n')[0] ?? 'main';
  return {
    top: await ask('rev-parse', '--show-toplevel'),
    branch: /^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(first) ? first : 'main',
    hasRemote: (await ask('remote', 'get-url', 'origin')) !== null,
  };
}

/** Pure: why this commit may only poll and collect, or null. `isShared`: others work from the same state. */
export function readOnlyReason(
  facts: GitFacts | null,
  branch: string | null,
  isShared: boolean = false,
): string | null {
  if (isShared && (facts?.dirty ?? true)) return uncommitted(facts?.problem ?? null);
  if (branch === null) return null;
  if (facts === null) return `the settings let only branch ${branch} act, and this is no git repository`;
  if (facts.problem !== null)
    return `the settings let only branch ${branch} act, and git says: ${facts.problem}`;
  if (facts.branchTip === null)
    return `the settings let only branch ${branch} act, and git does not know it here`;
  if (facts.commit === facts.branchTip) return null;
  return `commit ${facts.commit?.slice(0, 7) ?? '(none)'} is not the tip of ${branch}: it may poll and collect, not send or apply`;
}

/** Others would collect and apply what no commit explains to them. */
function uncommitted(problem: string | null): string {
  const why = problem === null ? 'there are changes that no commit holds' : `git says: ${problem}`;
  return `the store is shared, and ${why}: it may poll and collect, not send or apply`;
}

/**
 * Output without its last line end, or why there is none. The variables that a hook sets would point git at another
 * repository, so they are taken away; others, such as credentials by `GIT_CONFIG_COUNT`, stay.
 */
async function git(
  root: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly said: string } | { readonly problem: string }> {
  const result = await execa('git', args, {
    cwd: root,
    reject: false,
    stdin: 'ignore',
    extendEnv: false,
    env: { ...elsewhereRemoved(env), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' },
  });
  if (!result.failed) return { said: result.stdout };
  if (result.code === 'ENOENT') return { problem: 'the git program cannot be started (not found)' };
  return { problem: result.stderr?.trim() || (result.shortMessage ?? 'nothing') };
}

const ELSEWHERE: ReadonlySet<string> = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]);

function elsewhereRemoved(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => !ELSEWHERE.has(entry[0]) && entry[1] !== undefined,
    ),
  );
}
