import { readdir, rm } from 'node:fs/promises';
import { basename, extname, join, relative, sep } from 'node:path';
import { git, NOBODY } from './git.ts';
import { type GitHost, gitHost } from './git-host.ts';

/** What a world runs on: what a fresh machine finds there, and what is left when one is lost. */
export interface Machine {
  /** What it keeps outside of the root. */
  readonly folders: readonly string[];
  /** Fills the empty root. */
  start(root: string): Promise<void>;
  /** Whether a file survives the loss, by its path from the root. */
  keeps(path: string): boolean;
  /** Somebody has edited files of the repository. */
  edited(root: string): Promise<void>;
  /** Everything is gone but git and the store; a fresh machine stands in its place. */
  lose(root: string): Promise<void>;
}

/** A folder without git; the store is below it. */
export const FOLDER: Machine = {
  folders: [],
  start: async () => {},
  edited: async () => {},
  keeps(path) {
    const [top, job, part] = path.split(sep);
    if (top !== 'state') return top !== 'out';
    const isStored = STORED.has(job ?? '') || STORED.has(part ?? '');
    // A page of a run stands beside its files; a file that was not yet in its place has nobody copied.
    return isStored && basename(path) !== 'report.md' && extname(path) !== '.tmp';
  },
  async lose(root) {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !FOLDER.keeps(relative(root, path))) await rm(path);
    }
  },
};

const STORED = new Set(['journal', 'runs']);

/** A clone of a bare repository that keeps the state as well: the folder itself goes, and a fresh clone takes its place. */
export async function cloneMachine(host?: GitHost): Promise<Machine> {
  const { home } = host ?? (await gitHost());
  const origin = join(home, 'host.git');
  const clone = (root: string) => git('/', 'clone', '--quiet', origin, root);
  return {
    folders: [home],
    start: async (root) => void (await clone(root)),
    keeps: () => false,
    async edited(root) {
      // As a person's repository has it: ledgers and work folders are nobody's files.
      await git(root, 'add', '--', '.', ':!state', ':!out');
      const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
      await git(root, ...who, 'commit', '--quiet', '--allow-empty', '-m', 'edit');
      await git(root, 'push', '--quiet', 'origin', 'HEAD:main');
    },
    async lose(root) {
      await rm(root, { recursive: true, force: true });
      await clone(root);
    },
  };
}

/** The environment of a runner: nothing of the person who runs the tests. */
export const RUNNER_ENV = { PATH: process.env.PATH, HOME: '/nowhere', ...NOBODY, TEST_KEY: 'key' };
