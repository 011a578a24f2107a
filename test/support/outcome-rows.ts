import { join } from 'node:path';
import { openDuck, sqlTexts } from '../../runner/duck.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import type { World } from './world.ts';

/** One closed attempt, as an outcomes file has it. */
export interface OutcomeRow {
  readonly shard: number;
  readonly ordinal: number;
  readonly class: OutcomeClass;
  readonly cause: string;
  readonly detail: string | null;
  readonly answer: string | null;
  readonly input_tokens: number | null;
}

/** Every closed attempt of the job's runs, from the stored files themselves, by shard and ordinal. */
export async function outcomeRows(world: World): Promise<OutcomeRow[]> {
  const state = await world.journal();
  const settled = Object.values(state.intents).filter((intent) => intent.settled !== null);
  const duck = await openDuck();
  try {
    const rows: OutcomeRow[] = [];
    for (const intent of settled) {
      const path = join(world.root, 'state', intent.settled?.outcomes.name ?? '');
      const found = await duck.rows<Omit<OutcomeRow, 'shard'>>(
        `SELECT ordinal, class, cause, detail, answer, input_tokens FROM read_parquet(${sqlTexts([path])}) ORDER BY ordinal`,
      );
      rows.push(...found.map((row) => ({ shard: intent.shard, ...row })));
    }
    return rows;
  } finally {
    duck.close();
  }
}

/** `ok 3, held 1` of one shard, in the order of the ordinals: what each item's attempt came to. */
export async function classesOf(world: World, shard: number): Promise<OutcomeClass[]> {
  return (await outcomeRows(world)).filter((row) => row.shard === shard).map((row) => row.class);
}
