import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

/** As a runner has it: no configuration of a person, and no identity. */
export const NOBODY = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

export async function git(root: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execa('git', [...args], { cwd: root, env: NOBODY });
  return stdout;
}

/** Writes the files, commits everything, and gives the commit's name. */
export async function commitFiles(root: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await git(root, 'add', '--all');
  await git(root, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '--quiet', '-m', 'edit');
  return git(root, 'rev-parse', 'HEAD');
}

export async function initRepository(root: string): Promise<void> {
  await git(root, 'init', '--quiet', '--initial-branch', 'main');
}
