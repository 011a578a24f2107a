import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { foreignAction } from './workflow-actions.ts';
import { filled, holds, type Names } from './workflow-expression.ts';
import { type Machine, newMachine, type Order } from './workflow-machine.ts';

export interface Ran {
  readonly failed: boolean;
  /** Names of the steps that ran, in order. */
  readonly steps: readonly string[];
  /** Everything that they printed, with secrets masked as the host does it. */
  readonly log: string;
  readonly summary: string;
  readonly workspace: string;
  /** What steps have handed on by `GITHUB_ENV`. */
  readonly env: Readonly<Record<string, string>>;
}

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: unknown;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly 'working-directory'?: string;
}

interface Workflow {
  readonly env?: Readonly<Record<string, unknown>>;
  readonly defaults?: { readonly run?: { readonly shell?: string } };
  readonly jobs: Readonly<Record<string, { readonly if?: unknown; readonly steps: readonly Step[] }>>;
}

interface Action {
  readonly inputs?: Readonly<Record<string, { readonly default?: unknown }>>;
  readonly outputs?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

/**
 * Runs the steps of a job as they are written: `run:` by bash, in order, with a runner's variables and files; the few
 * actions that our workflows use by what they come to. Null where the job's own `if` does not hold.
 */
export async function runJob(order: Order): Promise<Ran | null> {
  const workflow = parse(order.workflow) as Workflow;
  const job = workflow.jobs[order.job];
  if (job === undefined) throw new Error(`there is no job ${order.job}`);
  const machine = await newMachine(order);
  if (!holds(job.if, machine.names(), machine)) return null;
  machine.env = texts(workflow.env, machine.names());
  await runSteps(machine, job.steps, { shell: workflow.defaults?.run?.shell ?? null, names: {}, env: {} });
  const { failed, steps, workspace, env } = machine;
  return { failed, steps, log: masked(machine), summary: await machine.summary(), workspace, env };
}

/** What the steps of an action see besides what all see. */
interface Scope {
  readonly shell: string | null;
  readonly names: Names;
  readonly env: Readonly<Record<string, string>>;
}

async function runSteps(machine: Machine, steps: readonly Step[], scope: Scope): Promise<void> {
  for (const step of steps) {
    const names = { ...machine.names(), ...scope.names };
    if (!holds(step.if, names, machine)) continue;
    machine.steps.push(step.name ?? step.uses ?? '');
    const env = { ...scope.env, ...texts(step.env, names) };
    if (!(await runStep(machine, step, { ...scope, names, env }))) machine.failed = true;
  }
}

async function runStep(machine: Machine, step: Step, scope: Scope): Promise<boolean> {
  const { names, env } = scope;
  const id = step.id ?? null;
  if (step.uses === undefined) {
    const folder = String(filled(step['working-directory'] ?? '.', names));
    return machine.script({ run: step.run ?? '', shell: step.shell ?? scope.shell, folder, env, id });
  }
  const inputs = texts(step.with, names);
  if (step.uses.startsWith('./')) return ownAction(machine, step.uses, inputs, scope, id);
  try {
    await foreignAction(machine, step.uses, inputs);
    return true;
  } catch (error) {
    machine.raw += `${String(error)}\n`;
    return false;
  }
}

/** A composite action of the workspace: its steps see its inputs, and only its outputs are seen outside. */
async function ownAction(
  machine: Machine,
  uses: string,
  given: Readonly<Record<string, string>>,
  scope: Scope,
  id: string | null,
): Promise<boolean> {
  const folder = join(machine.workspace, uses);
  const action = parse(await readFile(join(folder, 'action.yml'), 'utf8')) as Action;
  const defaults = Object.entries(action.inputs ?? {}).map(([name, input]) => [name, input.default ?? '']);
  const inputs = { ...Object.fromEntries(defaults), ...given };
  const outer = { outputs: machine.outputs, failed: machine.failed };
  // How the job stands is not how the action stands: a step of it asks for the latter.
  Object.assign(machine, { outputs: {}, failed: false });
  const github = { ...(machine.names().github as object), action_path: folder };
  const env = { ...scope.env, GITHUB_ACTION_PATH: folder };
  await runSteps(machine, action.runs.steps, { shell: null, names: { inputs, github }, env });
  const values = Object.entries(action.outputs ?? {}).map(([name, { value }]) => [name, value] as const);
  const outputs = texts(Object.fromEntries(values), machine.names());
  const isDone = !machine.failed;
  Object.assign(machine, outer);
  if (id !== null) machine.outputs[id] = { outputs };
  return isDone;
}

function texts(of: Readonly<Record<string, unknown>> = {}, names: Names): Record<string, string> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, String(filled(value, names))]));
}

/** As the host does it: its own secrets, and what a step has named with `::add-mask::`. */
function masked({ raw, order }: Machine): string {
  const named = [...raw.matchAll(/^::add-mask::(.+)$/gm)].map(([, secret]) => secret ?? '');
  const secrets = [order.github.token, ...Object.values(order.secrets ?? {}), ...named];
  return secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '***'), raw);
}
