import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, onTestFinished } from 'vitest';
import { type Emulator, startEmulator } from '../../runner/emulator/server.ts';
import { testFolder } from './folder.ts';
import { commitFiles, git } from './git.ts';
import { gitHttp } from './git-http.ts';
import { packedPackage, REPOSITORY } from './package.ts';
import { type Ran, runJob } from './workflow.ts';
import type { Order } from './workflow-machine.ts';

/** What a job is given beside what every job of this host has. */
export type Given = Partial<Omit<Order, 'github'>> & { readonly github: Partial<Order['github']> };

/** A private repository on a host that asks for a token, a person's clone of it, and a provider. */
export interface WorkflowHost {
  /** The person's clone, on `main`. */
  readonly laptop: string;
  readonly emulator: Emulator;
  /** The settings that make the provider the emulator. */
  readonly providers: string;
  /** Commits everything on the laptop with these files, and pushes it to a branch; gives the commit. */
  push(branch: string, files?: Readonly<Record<string, string>>): Promise<string>;
  /** Runs git in the host's repository. */
  git(...args: string[]): Promise<string>;
  /** Runs a job of a workflow as the laptop has it, on a machine of its own. */
  run(path: string, job: string, given: Given): Promise<Ran | null>;
  /** What was asked of npm so far, a line each. */
  installs(): Promise<string[]>;
}

export const TOKEN = 'ghs_a-token-of-one-job';
export const KEY = 'sk-a-key-of-the-provider';

export async function workflowHost(): Promise<WorkflowHost> {
  const home = await testFolder();
  const bare = join(home, 'jobs.git');
  const laptop = join(home, 'laptop');
  await git(home, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  // As GitHub: a commit can be fetched by its name.
  await git(bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  await git(home, 'clone', '--quiet', bare, laptop);
  await git(laptop, 'checkout', '--quiet', '-B', 'main');
  const http = await gitHttp(home, `x-access-token:${TOKEN}`);
  const tools = await toolsIn(home);
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const account = `api_key_env: OPENAI_API_KEY, account: test, emulator: true`;
  return {
    laptop,
    emulator,
    providers: `providers: { openai: { kind: openai, base_url: ${emulator.url}, ${account} } }\n`,
    async push(branch, files = {}) {
      const isClean = Object.keys(files).length === 0 && (await git(laptop, 'status', '--porcelain')) === '';
      const commit = isClean ? await git(laptop, 'rev-parse', 'HEAD') : await commitFiles(laptop, files);
      await git(laptop, 'push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`);
      return commit;
    },
    git: (...args) => git(bare, ...args),
    run: async (path, job, given) =>
      runJob({
        workflow: await readFile(join(laptop, path), 'utf8'),
        job,
        remote: `${http.url}/jobs.git`,
        tools,
        artifacts: join(home, 'artifacts'),
        secrets: { OPENAI_API_KEY: KEY },
        ...given,
        github: {
          ref: 'refs/heads/main',
          event_name: 'push',
          server_url: http.url,
          token: TOKEN,
          ...given.github,
        },
      }),
    async installs() {
      const text = await readFile(join(tools, 'installs'), 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    },
  };
}

/** In place of npm: what it would fetch is this checkout's, built and packed, and its packages. */
async function toolsIn(home: string): Promise<string> {
  const folder = await installedPackage();
  const { stdout: version } = await execa(process.execPath, [
    join(folder, 'bin/batchwright.js'),
    '--version',
  ]);
  const tools = join(home, 'tools');
  await mkdir(tools);
  await writeFile(
    join(tools, 'npm'),
    `#!/usr/bin/env bash
set -eu
echo "$PWD $*" >> '${tools}/installs'
case "$*" in
  'ci --omit=dev --ignore-scripts '*) ln -s '${REPOSITORY}/node_modules' node_modules ;;
  'install --global --prefix '*' --ignore-scripts '*' batchwright@${version}')
    mkdir -p "$4/bin"
    ln -s '${folder}/bin/batchwright.js' "$4/bin/batchwright" ;;
  *) echo "npm $* is not known here" >&2; exit 1 ;;
esac
`,
  );
  await chmod(join(tools, 'npm'), 0o755);
  return tools;
}

/** Built and packed once a file of tests. */
let installed: Promise<string> | null = null;

function installedPackage(): Promise<string> {
  installed ??= mkdtemp(join(tmpdir(), 'batchwright-package-')).then(async (home) => {
    made = home;
    return (await packedPackage(home)).folder;
  });
  return installed;
}

let made: string | null = null;
afterAll(async () => {
  if (made !== null) await rm(made, { recursive: true, force: true });
});
