import { type UserError, userError } from '../errors.ts';
import { type GitAnswer, runGit } from './git-run.ts';

/** What the store takes over from the checkout: where its remote is, and how one gets in there. */
export interface Checkout {
  /** As git would push to it. May hold a password: never shown. */
  readonly url: string;
  readonly config: readonly GitSetting[];
}

export type GitSetting = readonly [key: string, value: string];

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads the remote's address and the settings that a push needs, by whatever file of git's they are written in.
 * @throws UserError where there is no git, no repository, no such remote
 */
export async function readCheckout(root: string, remote: string, env: Env): Promise<Checkout> {
  const ask = (args: readonly string[]) => runGit({ cwd: root, env: envForCheckout(env), args });
  const url = await ask(['remote', 'get-url', '--push', remote]);
  if (url.kind === 'failed') throw unusable(root, remote, url);
  const config = await ask(['config', '--list', '-z']);
  if (config.kind === 'failed') throw unusable(root, remote, config);
  return { url: url.output.toString('utf8').trim(), config: settingsOf(config.output.toString('utf8')) };
}

function unusable(root: string, remote: string, answer: GitAnswer & { readonly kind: 'failed' }): UserError {
  if (answer.isMissing)
    return userError('store-git', 'the store `git-ref` needs git, and there is none here', 'install git');
  const message = `the store \`git-ref\` cannot use remote ${remote} of ${root}: ${answer.words}`;
  if (/dubious ownership/.test(answer.words))
    return userError(
      'store-git',
      message,
      `the folder belongs to another user; where that is meant: git config --global --add safe.directory ${root}`,
    );
  return userError(
    'store-git',
    message,
    'clone the repository from the host that keeps the state, or set `store.remote`',
  );
}

/** Credentials, proxies, certificates, the way to call ssh. Nothing that changes what git does. */
const WANTED = /^(credential|http|ssh|protocol)\.|^core\.(sshcommand|gitproxy|askpass)$/;

function settingsOf(listed: string): GitSetting[] {
  return listed
    .split('\0')
    .filter((entry) => WANTED.test(entry))
    .map((entry) => {
      const at = entry.indexOf('\n');
      return at < 0 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)];
    });
}

/** Of git's own variables those that say how to get in; those of a hook or a caller point at another repository. */
const KEPT = /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|SSL_\w+|HTTP_\w+)$/;
const KEPT_FOR_CHECKOUT = /^GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)$/;

/** For git in the checkout itself: its own settings hold, whoever's they are. */
export function envForCheckout(env: Env): Record<string, string> {
  return { ...kept(env, (name) => KEPT.test(name) || KEPT_FOR_CHECKOUT.test(name)), ...QUIET };
}

/** For everything else: only what is written here and what the checkout has told. */
export function envForStore(env: Env, config: readonly GitSetting[]): Record<string, string> {
  const settings = Object.fromEntries(
    config.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  );
  return {
    ...kept(env, (name) => KEPT.test(name)),
    ...QUIET,
    ...IDENTITY,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: String(config.length),
    ...settings,
  };
}

/** Messages are read by code here, and nobody is there to type a password. */
const QUIET = { LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GCM_INTERACTIVE: 'never' };

/** A runner has no identity of its own, and a person's must not stand on what they did not write. */
export const IDENTITY = {
  GIT_AUTHOR_NAME: 'batchwright',
  GIT_AUTHOR_EMAIL: 'batchwright@localhost',
  GIT_COMMITTER_NAME: 'batchwright',
  GIT_COMMITTER_EMAIL: 'batchwright@localhost',
};

function kept(env: Env, isKept: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (!entry[0].startsWith('GIT_') || isKept(entry[0])),
    ),
  );
}
