import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { FleetReport } from '../report/report.ts';
import { type CommittedPages, committedStatus } from './committed.ts';
import { commitMessage } from './message.ts';
import { isMoved, type Refusal, refusalOf } from './refusal.ts';
import { GitRefused, type WorkTreeGit } from './work-tree.ts';
import { worthOf } from './worth.ts';

export interface CommitOrder {
  readonly git: WorkTreeGit;
  readonly root: string;
  /** Absolute, below `root`. */
  readonly stateFolder: string;
  /** A folder for scratch files. */
  readonly work: string;
  /** The branch that acts: the commit grows from its tip. */
  readonly branch: string;
  /** Where the commit goes: the same branch, or one that a pull request is made from. */
  readonly onto: string;
  /** Null: nobody else has this repository, and the commit stays here. */
  readonly remote: string | null;
  readonly fleet: FleetReport;
  /** The text of `pass.json`. */
  readonly note: string;
  pause(ms: number): Promise<void>;
}

export type Commit =
  | { readonly kind: 'committed'; readonly commit: string; readonly message: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'outdated' }
  | ({ readonly kind: 'refused' } & Refusal);

/** Between tries: the branch moved in the meantime, and each time the pages are put onto its new tip. */
const PAUSES_MS = [200, 700, 2_000, 5_000];

/**
 * Commits the pages onto the branch's tip, if something has happened, and pushes. The work tree and the index of a
 * person are left alone. State is safe before this begins: whatever fails here costs a page, and nothing else.
 */
export async function commitPages(order: CommitOrder): Promise<Commit> {
  try {
    for (const pause of [...PAUSES_MS, null]) {
      const done = await attempt(order);
      if (done !== 'moved') return done;
      if (pause !== null) await order.pause(pause);
    }
    return { kind: 'refused', ...BUSY };
  } catch (error) {
    if (!(error instanceof GitRefused)) throw error;
    return { kind: 'refused', ...refusalOf(error.message) };
  }
}

const BUSY: Refusal = {
  words: 'the branch moved at every try',
  hint: 'nothing is wrong; the next pass tries again',
};

async function attempt(order: CommitOrder): Promise<Commit | 'moved'> {
  const { git, fleet, note } = order;
  const tip = await tipOf(order, order.branch);
  if (tip === null) throw new GitRefused(`there is no branch ${order.branch}`);
  const before = order.onto === order.branch ? tip : await tipOf(order, order.onto);
  const folder = await folderInRepository(order);
  const worth = worthOf(fleet, note, await pagesAt(order, folder, before ?? tip));
  if (worth.kind !== 'news') return worth;
  const tree = await treeWith(order, folder, tip);
  if (tree === (await git.say(['rev-parse', `${tip}^{tree}`]))) return { kind: 'nothing' };
  const message = commitMessage(worth.news, fleet);
  const commit = await git.say(['commit-tree', tree, '-p', tip, '-F', '-'], { input: message });
  const pushed = await publish(order, commit, before);
  return pushed ?? { kind: 'committed', commit, message };
}

async function tipOf({ git, remote }: CommitOrder, branch: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  if (remote === null) return git.ask(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  const listed = await git.call(['ls-remote', '--refs', remote, ref]);
  if (listed.kind === 'failed') throw new GitRefused(listed.words);
  const oid = listed.output.toString('utf8').split('\t')[0]?.trim() ?? '';
  if (oid === '') return null;
  if ((await git.ask(['cat-file', '-e', `${oid}^{tree}`])) === null) {
    const fetched = await git.call(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', remote, ref]);
    if (fetched.kind === 'failed') throw new GitRefused(fetched.words);
  }
  return oid;
}

/** What the pages of a commit say. */
async function pagesAt({ git, fleet }: CommitOrder, folder: string, commit: string): Promise<CommittedPages> {
  const read = (path: string) => git.ask(['cat-file', 'blob', `${commit}:${folder}/${path}`]);
  const texts = await Promise.all(fleet.jobs.map(({ job }) => read(`${job}/status.json`)));
  const jobs = texts.flatMap((text) => (text === null ? [] : (committedStatus(text) ?? [])));
  return { jobs, note: await read('pass.json') };
}

/** The state folder from where the repository begins, which may be above `root`. */
async function folderInRepository({ git, root, stateFolder }: CommitOrder): Promise<string> {
  const prefix = await git.say(['rev-parse', '--show-prefix']);
  return `${prefix}${relative(root, stateFolder).split(sep).join('/')}`;
}

/** The tree of `tip` with the pages as they lie here. As bytes: no filter of the repository looks at them. */
async function treeWith(order: CommitOrder, folder: string, tip: string): Promise<string> {
  const { git, work } = order;
  await mkdir(work, { recursive: true });
  const index = join(work, `index-${randomBytes(6).toString('hex')}`);
  try {
    await git.say(['read-tree', tip], { index });
    const entries = await Promise.all(
      pagePaths(order.fleet).map(async (path) => {
        const file = join(order.stateFolder, path);
        const blob = await git.ask(['hash-object', '-w', '--no-filters', '--', file]);
        return blob === null ? null : `100644 ${blob}\t${folder}/${path}`;
      }),
    );
    const input = entries.filter((entry) => entry !== null).join('\n');
    await git.say(['update-index', '--add', '--index-info'], { index, input: `${input}\n` });
    return await git.say(['write-tree'], { index });
  } finally {
    await rm(index, { force: true });
  }
}

/** Every page that a pass writes, below the state folder. One that is not there is passed over. */
export function pagePaths(fleet: FleetReport): string[] {
  const ofJob = fleet.jobs.flatMap(({ job, run }) => [
    `${job}/README.md`,
    `${job}/status.json`,
    ...(run === null ? [] : [`${job}/held.csv`, `${job}/runs/${run.run}/report.md`]),
  ]);
  return ['README.md', 'pass.json', ...ofJob];
}

/** Null: it is there. Only from where the branch was seen: nobody's commit is ever turned back. */
async function publish(
  { git, remote, branch, onto }: CommitOrder,
  commit: string,
  before: string | null,
): Promise<Commit | 'moved' | null> {
  const ref = `refs/heads/${onto}`;
  if (remote === null) {
    const moved = await git.ask(['update-ref', ref, commit, before ?? '']);
    if (moved === null) return 'moved';
  } else {
    const lease = `--force-with-lease=${ref}:${before ?? ''}`;
    const pushed = await git.call([
      'push',
      '--quiet',
      '--porcelain',
      '--no-verify',
      lease,
      remote,
      `${commit}:${ref}`,
    ]);
    if (pushed.kind === 'failed') {
      if (isMoved(pushed.words)) return 'moved';
      // The answer may have been lost on its way.
      const [now] = (await git.say(['ls-remote', '--refs', remote, ref])).split('\t');
      if (now !== commit) return { kind: 'refused', ...refusalOf(pushed.words) };
    }
  }
  if (onto === branch) await follow(git, branch, commit, before);
  return null;
}

/**
 * A checkout of the branch's tip goes along: else the next pass would find itself behind. A detached one too. Whoever
 * has gone elsewhere in the meantime stays there.
 */
async function follow(
  git: WorkTreeGit,
  branch: string,
  commit: string,
  before: string | null,
): Promise<void> {
  const on = await git.ask(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  if (on !== null && on !== branch) return;
  const head = await git.ask(['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (head !== before && head !== commit) return;
  if (head === before) await git.say(['update-ref', 'HEAD', commit, before ?? '']);
  // The index knows the pages from now on; what a person has staged stays staged.
  const changed = await git.say([
    'diff-tree',
    '-r',
    '-z',
    '--name-only',
    '--no-commit-id',
    before ?? '',
    commit,
  ]);
  const paths = changed.split('\0').filter((path) => path !== '');
  if (paths.length > 0)
    await git.ask(['reset', '--quiet', '--', ...paths.map((path) => `:(top,literal)${path}`)]);
}
