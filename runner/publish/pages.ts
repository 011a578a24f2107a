import { join } from 'node:path';
import { messageOf, UserError } from '../errors.ts';
import { readTextOrNull } from '../files.ts';
import type { PassContext } from '../reconcile/context.ts';
import type { FleetReport } from '../report/report.ts';
import { readCheckout } from '../store/git-checkout.ts';
import { withToken } from '../store/git-token.ts';
import { type Commit, commitPages } from './commit.ts';
import { hostOf } from './host.ts';
import { ensurePullRequest } from './pull-request.ts';
import { type RemoteHeader, type WorkTreeGit, workTreeGit } from './work-tree.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface PagesOptions {
  readonly env: Env;
  pause(ms: number): Promise<void>;
}

/** Where the rolling pull request comes from. */
export const REPORTS_BRANCH = 'batchwright/reports';
const REMOTE = 'origin';

/**
 * Commits the pages of a pass that has just written them, where something has happened. True unless it was refused:
 * that is said, with what to do, and loses nothing but the pages.
 */
export async function publishPages(
  ctx: PassContext,
  fleet: FleetReport,
  options: PagesOptions,
): Promise<boolean> {
  if (ctx.readOnly !== null) return true;
  try {
    const done = await commit(ctx, fleet, options);
    if (done.kind === 'committed') say(ctx, 'info', `pages committed: ${done.message.split('\n', 1)[0]}`);
    if (done.kind !== 'refused') return true;
    return refused(ctx, done.words, done.hint);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const [finding] = error.findings;
    return refused(ctx, finding?.message ?? error.message, finding?.hint ?? null);
  }
}

async function commit(ctx: PassContext, fleet: FleetReport, options: PagesOptions): Promise<Commit> {
  const { target, tokenEnv } = ctx.settings.report;
  const there = await remoteOf(ctx, tokenEnv, options.env);
  const git = workTreeGit(ctx.root, options.env, there?.header ?? null);
  const branch = ctx.settings.branch ?? (await branchHere(git));
  const isPull = target === 'pull_request' && there !== null;
  const done = await commitPages({
    git,
    root: ctx.root,
    stateFolder: ctx.stateFolder,
    work: join(ctx.work, 'pages'),
    branch,
    onto: isPull ? REPORTS_BRANCH : branch,
    remote: there?.url ?? null,
    fleet,
    note: (await readTextOrNull(join(ctx.stateFolder, 'pass.json'))) ?? '',
    pause: options.pause,
  });
  if (done.kind !== 'committed' || !isPull) return done;
  return (await pullRequest(ctx, branch, done, options.env)) ?? done;
}

export interface Remote {
  readonly url: string;
  readonly header: RemoteHeader | null;
}

/** Null: a repository that nobody else has. @throws UserError where the token cannot be used */
export async function remoteOf(ctx: PassContext, tokenEnv: string | null, env: Env): Promise<Remote | null> {
  const known = await workTreeGit(ctx.root, env, null).ask(['remote', 'get-url', REMOTE]);
  if (known === null) return null;
  const checkout = withToken(await readCheckout(ctx.root, REMOTE, env), tokenEnv, env);
  const header = tokenEnv === null ? undefined : checkout.config.at(-1);
  // By its name the remote brings its own settings along; with a token only what the token needs.
  return { url: header === undefined ? REMOTE : checkout.url, header: header ?? null };
}

async function branchHere(git: WorkTreeGit): Promise<string> {
  const here = await git.ask(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  if (here !== null) return here;
  throw new UserError([
    {
      level: 'error',
      code: 'no-branch',
      message: 'the checkout is on no branch, so nobody can say where pages belong',
      hint: 'set `branch` in batchwright.yaml',
    },
  ]);
}

/** The host may refuse it; the commit is there all the same. */
async function pullRequest(
  ctx: PassContext,
  base: string,
  { message }: Extract<Commit, { kind: 'committed' }>,
  env: Env,
): Promise<Commit | null> {
  const host = hostOf(env, ctx.settings.report.tokenEnv ?? 'GITHUB_TOKEN');
  if ('missing' in host) return notAsked(`${host.missing} is not set`);
  const [title = ''] = message.split('\n', 1);
  const body = `Pages of the last passes. The reconciler keeps this branch up to date; merge it whenever you like.\n`;
  try {
    const pull = await ensurePullRequest(host, { head: REPORTS_BRANCH, base, title, body });
    if (pull.isNew) say(ctx, 'info', `opened pull request ${pull.number}: ${pull.url}`);
    return null;
  } catch (error) {
    return notAsked(messageOf(error));
  }
}

function notAsked(words: string): Commit {
  return {
    kind: 'refused',
    words: `the pages are on branch ${REPORTS_BRANCH}, but there is no pull request: ${words}`,
    hint: 'give the token the right to make pull requests (`pull-requests: write`), or make one by hand',
  };
}

function refused(ctx: PassContext, words: string, hint: string | null): false {
  const safe = `the pages were not committed (${words}); the state itself is safe in the store at journal ${ctx.journal.state.seq}`;
  say(ctx, 'error', hint === null ? safe : `${safe} → ${hint}`);
  return false;
}

function say(ctx: PassContext, level: 'info' | 'error', text: string): void {
  ctx.say({ level, job: null, text });
}
