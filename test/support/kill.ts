import { type Effect, withEffects } from '../../runner/effects.ts';

/** A lost machine: from the chosen effect on, nothing of this process reaches the world any more. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

export interface Killing<Result> {
  /** Null: it was killed before it ended. */
  readonly result: Result | null;
  /** The effects that happened, in order; the one at which it was killed did not. */
  readonly effects: readonly Effect[];
}

/**
 * Runs work and kills it right before its `at`-th effect (from 0). What is thrown passes through `finally` blocks,
 * which a lost machine never reaches; so every later effect is refused as well. Infinity: only counts.
 */
export async function killedAt<Result>(at: number, work: () => Promise<Result>): Promise<Killing<Result>> {
  const effects: Effect[] = [];
  let dead = false;
  const listener = (effect: Effect) => {
    if (dead || effects.length >= at) {
      dead = true;
      throw new Killed(`killed before ${effect.name} ${effect.target}`);
    }
    effects.push(effect);
  };
  try {
    return { result: await withEffects(listener, work), effects };
  } catch (error) {
    if (!dead) throw error;
    return { result: null, effects };
  }
}
