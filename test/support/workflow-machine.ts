import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { execa } from 'execa';
import { testFolder } from './folder.ts';
import type { Names } from './workflow-expression.ts';

/** The repository's name on the host. */
export const REPOSITORY_NAME = 'acme/jobs';

/** One job of one workflow, as a host would start it. */
export interface Order {
  /** The workflow's text. */
  readonly workflow: string;
  readonly job: string;
  /** Where `actions/checkout` clones from. */
  readonly remote: string;
  readonly github: {
    readonly ref: string;
    readonly base_ref?: string;
    readonly event_name: string;
    readonly event?: object;
    /** What git's credentials are for. */
    readonly server_url: string;
    readonly api_url?: string;
    readonly token: string;
  };
  readonly inputs?: object;
  readonly vars?: object;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly needs?: object;
  /** What jobs hand to each other: a folder. */
  readonly artifacts?: string;
  /** Goes over the `env` of the steps: addresses of the world outside, such as a token server. */
  readonly outside?: Readonly<Record<string, string>>;
  /** Once this was printed the step's process gets a signal: SIGINT where a person cancels, SIGKILL where all is lost. */
  readonly end?: { readonly on: string; readonly by: 'SIGINT' | 'SIGKILL' };
  /** A folder of programs that stand in for those that would fetch something. */
  readonly tools: string;
}

export interface Script {
  readonly run: string;
  /** Null: the host's own choice. */
  readonly shell: string | null;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** The step's id: its outputs are kept under it. */
  readonly id: string | null;
}

/** A machine that is made for a job and thrown away afterwards. */
export interface Machine {
  readonly order: Order;
  readonly workspace: string;
  readonly temp: string;
  /** Names of the steps that ran. */
  readonly steps: string[];
  failed: boolean;
  /** Everything that was printed, before masking. */
  raw: string;
  env: Record<string, string>;
  /** In front of what the machine has. */
  path: string[];
  outputs: Record<string, { outputs: Record<string, string> }>;
  /** What expressions can name. */
  names(): Names;
  /** False where the script failed. */
  script(script: Script): Promise<boolean>;
  summary(): Promise<string>;
}

export async function newMachine(order: Order): Promise<Machine> {
  const home = await testFolder();
  const file = (name: string) => join(home, name);
  const machine: Machine = {
    order,
    workspace: file('workspace'),
    temp: file('temp'),
    steps: [],
    failed: false,
    raw: '',
    env: {},
    path: [order.tools],
    outputs: {},
    names() {
      const { github, inputs = {}, vars = {}, secrets = {}, needs = {} } = order;
      return {
        github: { event: {}, ...github, repository: REPOSITORY_NAME },
        runner: { temp: machine.temp },
        steps: machine.outputs,
        env: machine.env,
        ...{ inputs, vars, secrets, needs },
      };
    },
    async script({ run, shell, folder, env, id }) {
      for (const name of ['output', 'env', 'path']) await writeFile(file(name), '');
      await writeFile(file('step.sh'), run);
      const flags = shell === 'bash' ? ['--noprofile', '--norc', '-e', '-o', 'pipefail'] : ['-e'];
      const running = execa('bash', [...flags, file('step.sh')], {
        cwd: isAbsolute(folder) ? folder : join(machine.workspace, folder),
        env: { ...variables(machine, file), ...machine.env, ...env, ...order.outside },
        extendEnv: false,
        all: true,
        reject: false,
        timeout: 120_000,
      });
      let said = '';
      running.all.on('data', (piece: Buffer) => {
        said += piece;
        if (order.end !== undefined && said.includes(order.end.on)) running.kill(order.end.by);
      });
      const result = await running;
      machine.raw += `${result.all}\n`;
      machine.env = { ...machine.env, ...Object.fromEntries(await pairsIn(file('env'))) };
      machine.path.unshift(...(await linesIn(file('path'))));
      if (id !== null) machine.outputs[id] = { outputs: Object.fromEntries(await pairsIn(file('output'))) };
      return !result.failed;
    },
    summary: () => readFile(file('summary'), 'utf8'),
  };
  await mkdir(machine.workspace);
  await mkdir(machine.temp);
  await writeFile(file('summary'), '');
  await writeFile(file('event.json'), JSON.stringify(order.github.event ?? {}));
  return machine;
}

/** Without what this checkout has put first: before `setup-node` a runner has a Node of its own. */
const SYSTEM_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'));

function variables({ order, workspace, temp, path }: Machine, file: (name: string) => string) {
  const { github } = order;
  return {
    PATH: [...path, ...SYSTEM_PATH].join(delimiter),
    HOME: file('.'),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: workspace,
    GITHUB_REPOSITORY: REPOSITORY_NAME,
    GITHUB_REF: github.ref,
    GITHUB_EVENT_NAME: github.event_name,
    GITHUB_EVENT_PATH: file('event.json'),
    GITHUB_SERVER_URL: github.server_url,
    GITHUB_API_URL: github.api_url ?? 'http://127.0.0.1:9',
    GITHUB_STEP_SUMMARY: file('summary'),
    GITHUB_OUTPUT: file('output'),
    GITHUB_ENV: file('env'),
    GITHUB_PATH: file('path'),
    RUNNER_TEMP: temp,
  };
}

async function linesIn(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}

async function pairsIn(file: string): Promise<(readonly [string, string])[]> {
  return (await linesIn(file)).map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });
}
