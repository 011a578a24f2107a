import { runCancel, runRetry } from '../../runner/commands/ask.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import type { World } from './world.ts';

/** A person asks from a process of their own, for all that can be tried again unless classes are named. */
export async function askRetry(w: World, classes: readonly OutcomeClass[] = []): Promise<void> {
  await runRetry({ ...quiet(w), job: 'tickets', classes });
  await w.restart();
}

export async function askCancel(w: World): Promise<void> {
  process.env.TEST_KEY = 'key';
  await runCancel({ ...quiet(w), job: 'tickets' });
  await w.restart();
}

function quiet(w: World) {
  return { root: w.root, json: false, color: false, out: () => {} };
}
