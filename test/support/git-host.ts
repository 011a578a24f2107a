import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { execa } from 'execa';
import { type GitRefOptions, gitRefStore } from '../../runner/store/git-ref.ts';
import type { Store } from '../../runner/store/port.ts';
import { testFolder } from './folder.ts';

/** A bare repository that stands for the host, and clones of it that stand for runners. */
export interface GitHost {
  /** What the bare repository lies in, as `host.git`. */
  readonly home: string;
  /** A fresh clone, from this address or from the folder itself. */
  clone(url?: string, ...options: string[]): Promise<string>;
  /** A store of a fresh clone: another machine. */
  runner(options?: Partial<GitRefOptions>): Promise<Store>;
  /** The store of a clone that is there. */
  store(root: string, options?: Partial<GitRefOptions>): Store;
  /** Runs git in the bare repository; gives its output without the last line end. */
  git(...args: string[]): Promise<string>;
}

function store(root: string, options: Partial<GitRefOptions> = {}): Store {
  return gitRefStore({
    root,
    remote: 'origin',
    prefix: 'refs/heads/batch-state',
    tokenEnv: null,
    env: process.env,
    cache: join(root, 'cache.git'),
    work: join(root, 'work'),
    now: () => new Date(0),
    pause: async () => {},
    ...options,
  });
}

export async function gitHost(): Promise<GitHost> {
  const home = await testFolder();
  const folder = join(home, 'host.git');
  await execa('git', ['init', '--quiet', '--bare', '--initial-branch=main', folder]);
  const clone = async (url = folder, ...options: string[]) => {
    const path = join(home, `clone-${randomBytes(4).toString('hex')}`);
    await execa('git', ['clone', '--quiet', ...options, url, path]);
    return path;
  };
  return {
    home,
    clone,
    runner: async (options = {}) => store(options.root ?? (await clone()), options),
    store,
    git: async (...args) => (await execa('git', args, { cwd: folder })).stdout,
  };
}
