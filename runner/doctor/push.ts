import { UserError } from '../errors.ts';
import { remoteOf } from '../publish/pages.ts';
import { refusalOf } from '../publish/refusal.ts';
import { workTreeGit } from '../publish/work-tree.ts';
import type { PassContext } from '../reconcile/context.ts';
import type { Diagnosis } from '../report/doctor-view.ts';

type Env = Readonly<Record<string, string | undefined>>;
const PART = 'host';

/** A branch that nobody has: a rehearsed push of it asks for the right to write, and moves nothing. */
const NOWHERE = 'HEAD:refs/heads/batchwright/doctor';

/** May this runner push? Pages and the store `git-ref` need it. */
export async function diagnosePush(ctx: PassContext, env: Env): Promise<Diagnosis[]> {
  if (ctx.commit === null) return [];
  try {
    const there = await remoteOf(ctx, ctx.settings.report.tokenEnv, env);
    if (there === null)
      return [
        { part: PART, state: 'skipped', message: 'no remote: pages are committed here alone', next: null },
      ];
    const git = workTreeGit(ctx.root, env, there.header);
    const pushed = await git.call(['push', '--dry-run', '--quiet', '--no-verify', there.url, NOWHERE]);
    if (pushed.kind === 'ok')
      return [{ part: PART, state: 'good', message: 'this runner may push to origin', next: null }];
    const { words, hint } = refusalOf(pushed.words);
    // Whoever neither commits pages nor keeps state there needs no such right.
    const state = ctx.store.kind === 'git-ref' ? 'bad' : 'doubtful';
    return [{ part: PART, state, message: `this runner may not push to origin: ${words}`, next: hint }];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const [finding] = error.findings;
    return [
      { part: PART, state: 'bad', message: finding?.message ?? error.message, next: finding?.hint ?? null },
    ];
  }
}
