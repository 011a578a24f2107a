import { parse } from 'yaml';

/** As much of a workflow or a composite action as the rules look at. */
interface Workflow {
  readonly on?: Readonly<Record<string, unknown>> | string | readonly string[];
  readonly permissions?: unknown;
  readonly concurrency?: Concurrency;
  readonly jobs?: Readonly<Record<string, Job>>;
  readonly runs?: { readonly steps: readonly Step[] };
}

interface Concurrency {
  readonly 'cancel-in-progress'?: unknown;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: unknown;
  readonly 'runs-on'?: string;
  readonly uses?: string;
  readonly concurrency?: Concurrency;
  readonly steps?: readonly Step[];
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** What is wrong with a workflow, or with an action, in the order of the rules; empty where nothing is. */
export function brokenRules(text: string): string[] {
  const workflow = parse(text) as Workflow;
  const jobs = Object.entries(workflow.jobs ?? {});
  return [
    ...(workflow.runs === undefined ? topRules(workflow, text) : []),
    ...jobs.flatMap(([name, job]) => jobRules(name, job, workflow)),
    ...stepsOf(workflow).flatMap((step) => stepRules(step, text)),
  ];
}

function topRules(workflow: Workflow, text: string): string[] {
  const events = eventsOf(workflow);
  const minutes = cronMinutes(workflow);
  return [
    ...broken(JSON.stringify(workflow.permissions) !== '{}', 'the workflow has permissions'),
    ...broken(events.includes('pull_request_target'), 'pull_request_target runs with secrets for strangers'),
    ...broken(events.includes('workflow_run'), 'workflow_run runs with secrets for strangers'),
    ...broken(
      events.includes('schedule') && events.length > 1,
      'a schedule takes its other events down with it',
    ),
    ...broken(
      minutes.some((minute) => !/^\d+$/.test(minute)),
      'a cron without plain minutes',
    ),
    ...broken(
      minutes.some((minute) => Number(minute) % 30 === 0),
      'a cron at a full or half hour',
    ),
    ...broken(isPlan(workflow) && /secrets\.|id-token/.test(text), 'a pull request can reach secrets'),
  ];
}

function jobRules(name: string, job: Job, workflow: Workflow): string[] {
  const rights = job.permissions ?? {};
  const writes = Object.keys(rights).filter((right) => rights[right] === 'write');
  const checksOut = (job.steps ?? []).some(({ uses }) => uses?.startsWith('actions/checkout@'));
  const cancels = [workflow.concurrency, job.concurrency].some(
    (group) => group?.['cancel-in-progress'] === true,
  );
  const spends = writes.includes('contents') || writes.includes('id-token');
  return [
    ...broken(job.permissions === undefined, `${name} does not say its permissions`),
    ...broken(
      job.uses === undefined && typeof job['timeout-minutes'] !== 'number',
      `${name} has no time limit`,
    ),
    ...broken(job['runs-on']?.endsWith('-latest') ?? false, `${name} runs on whatever is latest`),
    ...broken(
      isPlan(workflow) && writes.length > 0 && checksOut,
      `${name} may write, and has the files of strangers`,
    ),
    ...broken(spends && cancels, `${name} can be cancelled while it sends`),
    ...broken(
      spends && job.uses === undefined && job.concurrency === undefined && workflow.concurrency === undefined,
      `${name} can run beside itself`,
    ),
  ];
}

function stepRules({ uses, run, with: inputs }: Step, text: string): string[] {
  const isOurs = uses?.startsWith('./') ?? false;
  const isPinned = uses === undefined || isOurs || /^[\w.-]+(\/[\w.-]+)+@[0-9a-f]{40}$/.test(uses);
  const isNamed = uses === undefined || isOurs || new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+\\n`).test(text);
  const isCheckout = uses?.startsWith('actions/checkout@') ?? false;
  return [
    ...broken(!isPinned, `${uses} is no full commit`),
    ...broken(isPinned && !isNamed, `${uses} does not say its version`),
    ...broken(
      isCheckout && inputs?.['persist-credentials'] !== false,
      'a checkout leaves credentials behind',
    ),
    ...broken(run?.includes('${{') ?? false, 'an expression in a command is the code of somebody else'),
  ];
}

function stepsOf({ jobs, runs }: Workflow): Step[] {
  return [...(runs?.steps ?? []), ...Object.values(jobs ?? {}).flatMap(({ steps }) => steps ?? [])];
}

function cronMinutes({ on }: Workflow): string[] {
  const schedule = typeof on === 'object' && 'schedule' in on ? on.schedule : [];
  const crons = (Array.isArray(schedule) ? schedule : []) as readonly { readonly cron: string }[];
  return crons.flatMap(({ cron }) => cron.split(' ')[0]?.split(',') ?? []);
}

function eventsOf({ on }: Workflow): string[] {
  if (typeof on === 'string') return [on];
  return Array.isArray(on) ? on : Object.keys(on ?? {});
}

/** A workflow that only pull requests start. */
function isPlan(workflow: Workflow): boolean {
  const events = eventsOf(workflow);
  return events.includes('pull_request') && !events.includes('push');
}

function broken(isBroken: boolean, what: string): string[] {
  return isBroken ? [what] : [];
}
