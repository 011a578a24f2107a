import { effect } from '../effects.ts';
import { envForCheckout, IDENTITY } from '../store/git-checkout.ts';
import { type GitAnswer, runGit } from '../store/git-run.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Git in the checkout that holds the jobs: commits are made beside its index, so that nothing of a person's is touched. */
export interface WorkTreeGit {
  /** Output without its last line end. @throws GitRefused */
  say(args: readonly string[], more?: { readonly input?: string; readonly index?: string }): Promise<string>;
  /** The same, or null where git says no. */
  ask(args: readonly string[]): Promise<string | null>;
  /** What goes over the line; never throws. */
  call(args: readonly string[]): Promise<GitAnswer>;
}

/** Git said no. Its words hold no password. */
export class GitRefused extends Error {
  override readonly name = 'GitRefused';
}

/** @param header sent with each request to the remote in place of the checkout's credentials; null: those */
export function workTreeGit(root: string, env: Env, header: RemoteHeader | null): WorkTreeGit {
  const base = baseEnv(env, header);
  const run = (args: readonly string[], more: { input?: string; index?: string } = {}) =>
    runGit({
      cwd: root,
      env: more.index === undefined ? base : { ...base, GIT_INDEX_FILE: more.index },
      // Hooks and clean-up are for people's own commits.
      args: ['-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0', ...args],
      ...(more.input === undefined ? {} : { input: more.input }),
    });
  return {
    async say(args, more = {}) {
      const answer = await run(args, more);
      if (answer.kind === 'failed') throw new GitRefused(`git ${args[0]}: ${answer.words}`);
      return answer.output.toString('utf8').replace(/\n$/, '');
    },
    async ask(args) {
      const answer = await run(args);
      return answer.kind === 'ok' ? answer.output.toString('utf8').replace(/\n$/, '') : null;
    },
    call(args) {
      effect('git.call', args.join(' '));
      return run(args);
    },
  };
}

export type RemoteHeader = readonly [key: string, value: string];

function baseEnv(env: Env, header: RemoteHeader | null): Record<string, string> {
  return {
    ...envForCheckout(env),
    ...IDENTITY,
    ...(header === null
      ? {}
      : { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: header[0], GIT_CONFIG_VALUE_0: header[1] }),
  };
}
