import type { Effect } from '../../runner/effects.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { expectSound } from './invariants.ts';
import { cloneMachine, FOLDER } from './machine.ts';
import {
  type Choice,
  failuresAt,
  type Loss,
  type Moment,
  type Place,
  type Remembered,
  remember,
  worldAfter,
} from './moments.ts';
import { repositoryAt } from './providers.ts';
import { repository, TICKETS, world } from './world.ts';

const ROWS = TICKETS.slice(0, 5);
export const KEYS = ROWS.map((row) => row.id);

/** Two shards, and one row whose first try fails: a life with every kind of effect, in as few passes as it can have. */
export const LIFE: Scenario = {
  phases: { validating_ms: 1, running_ms: 0, running_ms_per_1000: 0, finalizing_ms: 0, cancelling_ms: 0 },
  rules: [{ on: 'line', batch: 1, line: 2, do: { status: 500 } }],
};

export function lifeFiles(model: string = OPENAI): Record<string, string> {
  const shards = 'shard: { max_items: 3 }\n';
  return model === OPENAI ? repository(shards, ROWS) : repositoryAt(model, shards, ROWS);
}

const OPENAI = 'openai/gpt-5.4-mini';

/** A small job from its first pass to its last, where it runs, and the rows that it must have in the end. */
export interface Life extends Place {
  readonly keys: readonly string[];
}

export function localLife(model?: string): Life {
  return { files: lifeFiles(model), scenario: LIFE, machine: FOLDER, keys: KEYS };
}

/** Over git each effect costs more, so that life is smaller: what differs is the store alone. */
export async function gitLife(): Promise<Life> {
  const rows = TICKETS.slice(0, 2);
  const files = repository('', rows);
  const settings = `${files['batchwright.yaml']}store: { kind: git-ref }\n`;
  return {
    files: { ...files, 'batchwright.yaml': settings },
    scenario: { ...LIFE, rules: [] },
    machine: await cloneMachine(),
    keys: rows.map((row) => row.id),
  };
}

/** An undisturbed life, with the moments that are chosen. */
export async function live(life: Life, choice: Choice): Promise<Remembered> {
  const w = await world(life.files, life.scenario, life.machine);
  const lived = await remember(w, () => w.finish(), choice);
  await expectSound(w, { keys: life.keys });
  await w.end();
  return lived;
}

/** A second process, which goes on after the moment, and moments of it. */
export async function liveAfter(life: Life, moment: Moment, choice: Choice): Promise<Remembered> {
  const w = await worldAfter(moment, life);
  const lived = await remember(w, () => w.finish(LONGEST_STEP_MS), choice);
  await w.end();
  return lived;
}

/** What is not sound where another process finishes what was lost, named by the effect before which it was. */
export function failuresAfter(life: Life, moments: readonly Moment[], loss: Loss): Promise<string[]> {
  return failuresAt(moments, life, async (w) => {
    if (loss === 'machine') await w.loseMachine();
    await w.finish(LONGEST_STEP_MS);
    await expectSound(w, { keys: life.keys });
  });
}

/** A provider whose batches bear no tag proves a lost one absent only after a day. */
const LONGEST_STEP_MS = 3_600_000;

/** Before and after a call that is paid for. */
export function isPaid({ target }: Effect): boolean {
  return target.startsWith('create ');
}
