import { cp, mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';
import { NOBODY } from './git.ts';
import type { Machine } from './workflow-machine.ts';

type Inputs = Readonly<Record<string, string>>;

/**
 * The few actions that our workflows use, by what they come to.
 * @throws Error for any other: it would have to be tried first
 */
export async function foreignAction(machine: Machine, uses: string, inputs: Inputs): Promise<void> {
  switch (uses.slice(0, uses.indexOf('@'))) {
    case 'actions/checkout':
      return checkout(machine, inputs);
    case 'actions/setup-node':
      machine.path.unshift(dirname(process.execPath));
      return;
    case 'actions/upload-artifact':
      return upload(machine, inputs);
    case 'actions/download-artifact':
      return cp(artifact(machine, inputs), machine.workspace, { recursive: true });
    default:
      throw new Error(`${uses} is not known here`);
  }
}

/**
 * One commit and no history. A full name of a branch fetches its tip, and a local branch follows it; a commit leaves a
 * detached head. The token serves this one fetch, as with `persist-credentials: false`.
 */
async function checkout(machine: Machine, inputs: Inputs): Promise<void> {
  const { remote, github } = machine.order;
  const folder = join(machine.workspace, inputs.path ?? '');
  const secret = Buffer.from(`x-access-token:${github.token}`).toString('base64');
  const git = (...args: string[]) => execa('git', args, { cwd: folder, env: NOBODY });
  const fetch = (ref: string) =>
    git(
      '-c',
      `http.extraheader=AUTHORIZATION: basic ${secret}`,
      'fetch',
      '--quiet',
      '--depth=1',
      'origin',
      ref,
    );
  await mkdir(folder, { recursive: true });
  await git('init', '--quiet');
  await git('remote', 'add', 'origin', remote);
  const ref = inputs.ref ?? '';
  if (/^[0-9a-f]{40}$/.test(ref)) {
    await fetch(ref);
    await git('checkout', '--quiet', '--detach', ref);
    return;
  }
  const branch = ref.replace(/^refs\/heads\//, '');
  await fetch(`+refs/heads/${branch}:refs/remotes/origin/${branch}`);
  await git('checkout', '--quiet', '-B', branch, `refs/remotes/origin/${branch}`);
}

async function upload(machine: Machine, inputs: Inputs): Promise<void> {
  const file = join(machine.workspace, inputs.path ?? '');
  const there = await stat(file).catch(() => null);
  if (there === null && inputs['if-no-files-found'] === 'error') throw new Error(`no file at ${inputs.path}`);
  if (there !== null) await cp(file, join(artifact(machine, inputs), basename(file)));
}

function artifact({ order }: Machine, inputs: Inputs): string {
  if (order.artifacts === undefined) throw new Error('no folder for artifacts');
  return join(order.artifacts, inputs.name ?? 'artifact');
}
