import { readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { git, NOBODY } from './git.ts';
import { type GitHost, gitHost } from './git-host.ts';

/** What a world runs on: what a fresh machine finds there, and what is left when one is lost. */
export interface Machine {
  /** What it keeps outside of the root. */
  readonly folders: readonly string[];
  /** Fills the empty root. */
  start(root: string): Promise<void>;
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
  async lose(root) {
    const kept = new Set(['journal', 'runs']);
    const state = join(root, 'state');
    const entries = await readdir(state, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const path of entries) {
      const place = relative(state, join(path.parentPath, path.name)).split(sep);
      const inStore = kept.has(place[0] ?? '') || (kept.has(place[1] ?? '') && path.name !== 'report.md');
      if (path.isFile() && !inStore) await rm(join(path.parentPath, path.name));
    }
    await rm(join(root, 'out'), { recursive: true, force: true });
  },
};

/** A clone of a bare repository that keeps the state as well: the folder itself goes, and a fresh clone takes its place. */
export async function cloneMachine(host?: GitHost): Promise<Machine> {
  const { home } = host ?? (await gitHost());
  const origin = join(home, 'host.git');
  const clone = (root: string) => git('/', 'clone', '--quiet', origin, root);
  return {
    folders: [home],
    start: async (root) => void (await clone(root)),
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
