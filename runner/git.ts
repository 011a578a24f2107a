import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';

/** What git says about the work tree; null where there is no git or no repository. */
export interface GitFacts {
  /** Full object name; null before the first commit. */
  readonly commit: string | null;
  /** Files that no commit holds, among those that define jobs. */
  readonly dirty: boolean;
  /** The tip of the configured branch: as last fetched, or, where there is no remote, as it is here. Null: unknown. */
  readonly branchTip: string | null;
}

/** Paths whose changes mean that the job in the work tree is not the one in the commit. */
const DEFINING = ['jobs', 'prompts', 'schemas', 'batchwright.yaml'];

export async function readGit(root: string, branch: string | null): Promise<GitFacts | null> {
  if (!isBelowRepository(root)) return null;
  // One process and not three: a pass reads git each time.
  const status = await git(root, ['status', '--porcelain=v2', '--branch', '--', ...DEFINING]);
  if (status === null) return null;
  const lines = status.split('\n').filter((line) => line !== '');
  const oid = lines.find((line) => line.startsWith(OID))?.slice(OID.length) ?? '(initial)';
  const names = branch === null ? [] : [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`];
  const tips = await Promise.all(names.map((name) => git(root, ['rev-parse', '--verify', '--quiet', name])));
  return {
    commit: oid === '(initial)' ? null : oid,
    dirty: lines.some((line) => !line.startsWith('#')),
    branchTip: tips.find((tip) => tip !== null && tip !== '') ?? null,
  };
}

const OID = '# branch.oid ';

/** A look at the folders spares a process where there is no git at all. */
function isBelowRepository(root: string): boolean {
  for (let folder = resolve(root); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true;
    if (dirname(folder) === folder) return false;
  }
}

/** Pure: why this commit may only poll and collect, or null. */
export function readOnlyReason(facts: GitFacts | null, branch: string | null): string | null {
  if (branch === null) return null;
  if (facts === null) return `the settings let only branch ${branch} act, and this is no git repository`;
  if (facts.branchTip === null)
    return `the settings let only branch ${branch} act, and git does not know it here`;
  if (facts.commit === facts.branchTip) return null;
  return `commit ${facts.commit?.slice(0, 7) ?? '(none)'} is not the tip of ${branch}: it may poll and collect, not send or apply`;
}

/**
 * Output without its last line end; null where git fails. The variables that a hook sets would point git at another
 * repository, so they are taken away.
 */
async function git(root: string, args: readonly string[]): Promise<string | null> {
  const result = await execa('git', args, {
    cwd: root,
    reject: false,
    stdin: 'ignore',
    extendEnv: false,
    env: { ...withoutGit(process.env), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' },
  });
  return result.failed ? null : result.stdout;
}

function withoutGit(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => !/^GIT_/.test(entry[0]) && entry[1] !== undefined,
    ),
  );
}
