import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../errors.ts';
import { readTextOrNull } from '../files.ts';
import { epochMs, type Instant } from '../ids.ts';
import { askHost, hostOf } from '../publish/host.ts';
import type { PassContext } from '../reconcile/context.ts';
import type { Diagnosis } from '../report/doctor-view.ts';
import { cronGapMs } from './cron.ts';

type Env = Readonly<Record<string, string | undefined>>;
const PART = 'host';

/** The schedule and the rules of the host, as far as they can be seen from here. */
export async function diagnoseHost(ctx: PassContext, env: Env): Promise<Diagnosis[]> {
  const schedules = await schedulesOf(ctx.root);
  return [...diagnoseSchedule(ctx, schedules), ...(await diagnoseBranch(ctx, env))];
}

/** The cron lines of the workflows that run `reconcile`, or call the one that does. */
async function schedulesOf(root: string): Promise<string[]> {
  const folder = join(root, '.github/workflows');
  const files = await readdir(folder).catch(() => []);
  const { parse } = await import('yaml');
  const crons: string[] = [];
  for (const file of files.filter((name) => /\.ya?ml$/.test(name))) {
    const text = (await readTextOrNull(join(folder, file))) ?? '';
    if (!/reconcile/.test(text)) continue;
    const found = parse(text)?.on?.schedule;
    if (Array.isArray(found))
      crons.push(...found.flatMap(({ cron }) => (typeof cron === 'string' ? [cron] : [])));
  }
  return crons;
}

function diagnoseSchedule(ctx: PassContext, crons: readonly string[]): Diagnosis[] {
  if (crons.length === 0)
    return [
      {
        part: PART,
        state: 'doubtful',
        message: 'no workflow here runs `reconcile` on a schedule',
        next: 'run `batchwright init` for the workflows, or see that something else runs it',
      },
    ];
  return [scheduleVerdict(crons, lastPassAt(ctx), isUnderWay(ctx), ctx.now())];
}

/**
 * Pure. Hosts start scheduled runs late, drop some, and switch the schedule off in a repository that rests for 60 days
 * (GitHub Docs, "Events that trigger workflows", schedule).
 */
export function scheduleVerdict(
  crons: readonly string[],
  last: Instant | null,
  underWay: boolean,
  now: Instant,
): Diagnosis {
  const gap = Math.min(...crons.map(cronGapMs));
  const every = `a schedule runs it about every ${Math.round(gap / 60_000)} minutes`;
  if (last === null || !underWay) return { part: PART, state: 'good', message: every, next: null };
  const late = epochMs(now) - epochMs(last);
  if (late <= MOST_MISSED * gap)
    return {
      part: PART,
      state: 'good',
      message: `${every}; the last pass that wrote was on time`,
      next: null,
    };
  return {
    part: PART,
    state: 'doubtful',
    message: `${every}, but work is under way and nothing was written for ${Math.round(late / 3_600_000)} h`,
    next: "look at the workflow's runs on the host: is the schedule switched off, or every run failing?",
  };
}

/** A pass that finds nothing new writes nothing; so many in a row are no surprise. */
const MOST_MISSED = 36;

/** The newest thing that the journal says of a batch. */
function lastPassAt(ctx: PassContext): Instant | null {
  const times = Object.values(ctx.journal.state.intents).flatMap(({ at, settled, batch }) => [
    at,
    settled?.at ?? at,
    batch?.serverNow ?? at,
  ]);
  return times.sort().at(-1) ?? null;
}

function isUnderWay(ctx: PassContext): boolean {
  return Object.values(ctx.journal.state.intents).some(({ phase }) => phase === 'live' || phase === 'ended');
}

async function diagnoseBranch(ctx: PassContext, env: Env): Promise<Diagnosis[]> {
  const { branch } = ctx.settings;
  if (branch === null)
    return [
      {
        part: PART,
        state: 'doubtful',
        message: 'any commit that is checked out may send: `branch` is not set',
        next: 'set `branch: main` in batchwright.yaml',
      },
    ];
  const host = hostOf(env, ctx.settings.report.tokenEnv ?? 'GITHUB_TOKEN');
  if ('missing' in host)
    return [
      {
        part: PART,
        state: 'skipped',
        message: `branch protection was not looked at: ${host.missing} is not set`,
        next: null,
      },
    ];
  try {
    const found = await askHost(host, 'GET', `/branches/${encodeURIComponent(branch)}`);
    const { protected: isProtected } = found as { protected?: unknown };
    return [branchVerdict(branch, isProtected === true)];
  } catch (error) {
    return [
      {
        part: PART,
        state: 'skipped',
        message: `branch protection could not be seen: ${messageOf(error)}`,
        next: null,
      },
    ];
  }
}

/** Pure. */
export function branchVerdict(branch: string, isProtected: boolean): Diagnosis {
  return isProtected
    ? { part: PART, state: 'good', message: `branch ${branch} is protected`, next: null }
    : {
        part: PART,
        state: 'doubtful',
        message: `branch ${branch} is not protected: whoever may push to it may spend`,
        next: 'require a pull request with a review of the code owners for it',
      };
}
