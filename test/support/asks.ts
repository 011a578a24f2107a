import { runApprove } from '../../runner/commands/approve.ts';
import { runCancel, runRetry } from '../../runner/commands/ask.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import type { World } from './world.ts';

/**
 * A person asks from a process of their own, for all that can be tried again unless classes are named. The world's is
 * ended first: one process cannot open a ledger twice.
 */
export async function askRetry(w: World, classes: readonly OutcomeClass[] = []): Promise<void> {
  await w.restart();
  await runRetry({ ...quiet(w), job: 'tickets', classes });
}

export async function askCancel(w: World): Promise<void> {
  process.env.TEST_KEY = 'key';
  await w.restart();
  await runCancel({ ...quiet(w), job: 'tickets' });
}

/** For the settings: without a price nobody can approve a run that sends something. */
export const PRICES =
  'models: { openai/gpt-5.4-mini: { price: { input_usd_per_mtok: 1, output_usd_per_mtok: 4 } } }\n';

/** Writes approvals/tickets.yaml, and takes it for merged. */
export async function askApproval(w: World): Promise<void> {
  await w.restart();
  await runApprove({ ...quiet(w), job: 'tickets', ceiling: null, expires: null });
}

function quiet(w: World) {
  return { root: w.root, json: false, color: false, out: () => {} };
}
