import type { Effect } from '../../runner/effects.ts';
import type { Scenario } from '../../runner/emulator/scenario.ts';
import { expectSound } from './invariants.ts';
import { killedAt } from './kill.ts';
import { cloneMachine } from './machine.ts';
import { repositoryAt } from './providers.ts';
import { repository, TICKETS, type World, world } from './world.ts';

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

export type StoreKind = 'local' | 'git-ref';

/** Over git each effect costs more, so that life is smaller: what differs is the store alone. */
const GIT_ROWS = ROWS.slice(0, 2);

async function smallWorld(store: StoreKind, model?: string): Promise<World> {
  if (store === 'local') return world(lifeFiles(model), LIFE);
  const files = repository('', GIT_ROWS);
  const settings = `${files['batchwright.yaml']}store: { kind: git-ref }\n`;
  return world({ ...files, 'batchwright.yaml': settings }, { ...LIFE, rules: [] }, await cloneMachine());
}

function keysOf(store: StoreKind): readonly string[] {
  return store === 'local' ? KEYS : GIT_ROWS.map((row) => row.id);
}

/** The effects of an undisturbed life, in order. */
export async function effectsOfLife(store: StoreKind = 'local', model?: string): Promise<readonly Effect[]> {
  const w = await smallWorld(store, model);
  const { effects } = await killedAt(Number.POSITIVE_INFINITY, () => w.finish());
  await expectSound(w, { keys: keysOf(store) });
  await w.end();
  return effects;
}

/** A provider whose batches bear no tag proves a lost one absent only after a day. */
const LONGEST_STEP_MS = 3_600_000;

export type Loss = 'process' | 'machine';

/**
 * Kills one process after the other, each before the given effect of its own; the last one is left to finish.
 * `machine`: all that is not in the store is lost as well.
 * @returns what is not sound then, or null.
 */
export async function killAndFinish(
  points: readonly number[],
  loss: Loss = 'process',
  store: StoreKind = 'local',
  model?: string,
): Promise<string | null> {
  const w = await smallWorld(store, model);
  try {
    for (const at of points) {
      const { result } = await killedAt(at, () => w.finish());
      if (result !== null) break;
      await w.restart();
      if (loss === 'machine') await w.loseMachine();
    }
    await w.finish(LONGEST_STEP_MS);
    await expectSound(w, { keys: keysOf(store) });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await w.end();
  }
}
