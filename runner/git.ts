import { execa } from 'execa';

/** What git says about the work tree; null where there is no git or no repository. */
export interface GitFacts {
  /** Full object name; null before the first commit. */
  readonly commit: string | null;
  /** Files that no commit holds, among those that define jobs. */
  readonly dirty: boolean;
  /** The object names of the configured branch, here and as last fetched, as far as they exist. */
  readonly branchTips: readonly string[];
}

/** Paths whose changes mean that the job in the work tree is not the one in the commit. */
const DEFINING = ['jobs', 'prompts', 'schemas', 'batchwright.yaml'];

export async function readGit(root: string, branch: string | null): Promise<GitFacts | null> {
  const inside = await git(root, ['rev-parse', '--is-inside-work-tree']);
  if (inside !== 'true') return null;
  const commit = await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const status = await git(root, ['status', '--porcelain', '--', ...DEFINING]);
  const names = branch === null ? [] : [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
  const tips = await Promise.all(names.map((name) => git(root, ['rev-parse', '--verify', '--quiet', name])));
  return {
    commit: commit === null || commit === '' ? null : commit,
    dirty: (status ?? '') !== '',
    branchTips: tips.filter((tip): tip is string => tip !== null && tip !== ''),
  };
}

/** Pure: why this commit may only poll and collect, or null. */
export function readOnlyReason(facts: GitFacts | null, branch: string | null): string | null {
  if (branch === null) return null;
  if (facts === null) return `the settings let only branch ${branch} act, and this is no git repository`;
  if (facts.branchTips.length === 0)
    return `the settings let only branch ${branch} act, and git does not know it here`;
  if (facts.commit !== null && facts.branchTips.includes(facts.commit)) return null;
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
