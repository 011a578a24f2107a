import type { Phases, Scenario } from '../../runner/emulator/scenario.ts';
import { UserError } from '../../runner/errors.ts';
import { QUICK } from '../../runner/plan/snapshot.ts';
import { askApproval, PRICES } from './asks.ts';
import { killedAt } from './kill.ts';
import { repositoryAt } from './providers.ts';
import { repository, type World, world } from './world.ts';

/** A life of a small job as a value: what was asked for, and what went wrong on the way. A file of it is a test. */
export interface Program {
  readonly rows: number;
  readonly canary: boolean;
  /** Whom the job asks, as `anthropic/claude-haiku-4-5`; absent: OpenAI. */
  readonly model?: string;
  readonly steps: readonly Step[];
}

export type Rules = NonNullable<Scenario['rules']>;

export type Step =
  /** A second later, one pass. */
  | { readonly do: 'pass' }
  /** A pass that ends before its n-th effect (from 0), and a new process; `machine`: all but git and the store is lost. */
  | { readonly do: 'kill'; readonly at: number; readonly lose: 'process' | 'machine' }
  /** From now on the provider fails so; what failed before is well again. */
  | { readonly do: 'faults'; readonly rules: Rules }
  | { readonly do: 'edit'; readonly what: Edit }
  | { readonly do: 'clock'; readonly ms: number };

export const EDITS = [
  'prompt',
  'add_row',
  'remove_row',
  'change_row',
  'sink',
  'on_removed',
  'max_attempts',
  'suspend',
  'check',
  'revert',
] as const;
export type Edit = (typeof EDITS)[number];

/** No waiting but for the clock to move at all: a life is as short as it can be. */
const PHASES: Phases = {
  validating_ms: 1,
  running_ms: 0,
  running_ms_per_1000: 0,
  finalizing_ms: 0,
  cancelling_ms: 0,
};

/** A batch that ends only with its window needs more time than the last passes would give it. */
const WINDOW_MS = 25 * 3_600_000;

/** A provider whose batches bear no tag proves a lost one absent only after a day. */
const LONGEST_STEP_MS = 3_600_000;

/** Lives the program in a world of its own; then the provider is well, nothing is suspended, and all comes to its end. */
export async function liveThrough(program: Program): Promise<World> {
  let wanted: Wanted = {
    prompt: 0,
    rows: Array.from({ length: program.rows }, (_, at) => at),
    texts: {},
    csv: false,
    onRemoved: 'keep',
    maxAttempts: 3,
    suspended: false,
    strict: false,
  };
  const history: Wanted[] = [];
  let agreed = false;
  const w = await world(filesOf(wanted, program), { phases: PHASES });
  const edit = async (what: Edit) => {
    const next = what === 'revert' ? (history.pop() ?? wanted) : edited(wanted, what);
    if (what !== 'revert') history.push(wanted);
    wanted = next;
    await w.write(filesOf(wanted, program));
    // Of so few rows one is more than a tenth: a person agrees to whatever is gone.
    if (LOSES_ROWS.has(what)) agreed = true;
    if (agreed) await approve(w);
  };
  try {
    for (const step of program.steps) await take(w, step, edit);
    w.emulator.setScenario({ phases: PHASES });
    if (wanted.suspended) await edit('suspend');
    await pass(w);
    w.emulator.clock.advance(program.steps.some(needsWindow) ? WINDOW_MS : QUICK.accountMs);
    await finish(w, agreed);
    return w;
  } catch (error) {
    await w.end();
    throw error;
  }
}

/** What failed after a person agreed makes the run larger than what was agreed to: they are asked once more. */
async function finish(w: World, agreed: boolean): Promise<void> {
  const { jobs } = await w.finish(LONGEST_STEP_MS);
  const reasons = jobs.flatMap(({ conditions }) => conditions.map(({ reason }) => reason));
  if (!agreed || !reasons.includes('AwaitingApproval')) return;
  await approve(w);
  await w.finish(LONGEST_STEP_MS);
}

const LOSES_ROWS: ReadonlySet<Edit> = new Set(['remove_row', 'revert']);

/** An edit makes the approval before it void. There is nothing to approve where no run is due, a suspended job say. */
async function approve(w: World): Promise<void> {
  try {
    await askApproval(w);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
}

async function take(w: World, step: Step, edit: (what: Edit) => Promise<void>): Promise<void> {
  switch (step.do) {
    case 'pass':
      return pass(w);
    case 'kill':
      return kill(w, step.at, step.lose);
    case 'faults':
      return w.emulator.setScenario({ phases: PHASES, rules: step.rules });
    case 'edit':
      return edit(step.what);
    case 'clock':
      return w.emulator.clock.advance(step.ms);
    default:
      return step satisfies never;
  }
}

async function pass(w: World): Promise<void> {
  w.emulator.clock.advance(1_000);
  await w.pass();
}

async function kill(w: World, at: number, lose: 'process' | 'machine'): Promise<void> {
  w.emulator.clock.advance(1_000);
  const { result } = await killedAt(at, () => w.pass());
  if (result !== null) return;
  await w.restart();
  if (lose === 'machine') await w.loseMachine();
}

function needsWindow(step: Step): boolean {
  return step.do === 'faults' && step.rules.some((rule) => 'expire_with' in rule.do);
}

/** What git says; the rest of the repository never changes. */
interface Wanted {
  readonly prompt: number;
  readonly rows: readonly number[];
  /** How often the row's text was changed. */
  readonly texts: Readonly<Record<number, number>>;
  readonly csv: boolean;
  readonly onRemoved: 'keep' | 'delete';
  readonly maxAttempts: number;
  readonly suspended: boolean;
  /** The schema checks what no answer fits; it is sent as before. */
  readonly strict: boolean;
}

function edited(wanted: Wanted, what: Exclude<Edit, 'revert'>): Wanted {
  const { rows, texts } = wanted;
  const last = rows.at(-1) ?? 0;
  switch (what) {
    case 'prompt':
      return { ...wanted, prompt: wanted.prompt + 1 };
    case 'add_row':
      return { ...wanted, rows: [...rows, last + 1] };
    case 'remove_row':
      return rows.length === 1 ? wanted : { ...wanted, rows: rows.slice(1) };
    case 'change_row':
      return { ...wanted, texts: { ...texts, [last]: (texts[last] ?? 0) + 1 } };
    case 'sink':
      return { ...wanted, csv: !wanted.csv };
    case 'on_removed':
      return { ...wanted, onRemoved: wanted.onRemoved === 'keep' ? 'delete' : 'keep' };
    case 'max_attempts':
      return { ...wanted, maxAttempts: wanted.maxAttempts === 3 ? 2 : 3 };
    case 'suspend':
      return { ...wanted, suspended: !wanted.suspended };
    case 'check':
      return { ...wanted, strict: !wanted.strict };
    default:
      return what satisfies never;
  }
}

function filesOf(wanted: Wanted, { canary, model }: Program): Record<string, string> {
  const rows = wanted.rows.map((id) => ({
    id: `T-${id}`,
    text: `Ticket ${id}, told ${wanted.texts[id] ?? 0} times over`,
  }));
  const files =
    model === undefined
      ? repository(operational(wanted), rows)
      : repositoryAt(model, operational(wanted), rows);
  const job = files['jobs/tickets.yaml'] as string;
  return {
    ...files,
    'jobs/tickets.yaml': canary ? job.replace('canary: false', 'canary: { items: 1, min_valid: 0.5 }') : job,
    'batchwright.yaml': `${files['batchwright.yaml']}${PRICES}`,
    ...(wanted.strict
      ? { [SCHEMA]: (files[SCHEMA] as string).replace(LABEL, `${LABEL}"maxLength":4,`) }
      : {}),
    'prompts/tickets/user.hbs': `Label this ticket, ${wanted.prompt}: {{text}}\n`,
  };
}

const SCHEMA = 'schemas/label.schema.json';
const LABEL = '"label":{"type":"string",';

function operational({ csv, onRemoved, maxAttempts, suspended }: Wanted): string {
  const parquet = `{ kind: parquet, on_removed: ${onRemoved} }`;
  return [
    'shard: { max_items: 2 }',
    `retry: { max_attempts: ${maxAttempts}, invalid_output: 1 }`,
    `sinks: [${csv ? `${parquet}, { kind: csv }` : parquet}]`,
    suspended ? 'suspend: waiting' : '',
    '',
  ].join('\n');
}
