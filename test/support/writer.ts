import { openSession } from '../../runner/context.ts';
import { StateConflict, UserError } from '../../runner/errors.ts';
import type { Rest } from '../../runner/plan/action.ts';
import { QUICK } from '../../runner/plan/snapshot.ts';
import type { PassContext } from '../../runner/reconcile/context.ts';
import { newMemory } from '../../runner/reconcile/memory.ts';
import { reconcileOnce } from '../../runner/reconcile/pass.ts';

/**
 * A reconciler as a process of its own: passes on one repository until nothing is under way, with pauses of its own
 * rhythm. Started by tests: `node test/support/writer.ts ROOT RHYTHM_MS`.
 */
const [root = '', rhythm = '0'] = process.argv.slice(2);
const session = await openSession({
  root,
  stateFolder: null,
  sinkRoot: root,
  env: process.env,
  pacing: { ...QUICK, pollMs: 20, retryMs: 50, capacityMs: 100 },
  only: null,
  say: (entry) => process.stderr.write(`${entry.level} ${entry.job ?? ''} ${entry.text}\n`),
});
const memory = newMemory();
const end = Date.now() + 170_000;
let quiet = 0;
let passes = 0;
let conflicts = 0;
while (quiet < 3 && Date.now() < end) {
  const ctx = await session.context();
  const before = ctx.journal.state.seq;
  const rests = await onePass(ctx);
  passes += 1;
  const open = Object.values(ctx.journal.state.intents).some((intent) =>
    ['intent', 'live', 'ended', 'collected'].includes(intent.phase),
  );
  const moved = ctx.journal.state.seq > before;
  quiet = open || moved || rests.some((rest) => rest.kind === 'waiting') ? 0 : quiet + 1;
  await new Promise((resolve) => setTimeout(resolve, Number(rhythm)));
}

/** A loser ends its pass with exit code 4; a schedule then starts the next one. */
async function onePass(ctx: PassContext): Promise<readonly Rest[]> {
  try {
    return (await reconcileOnce(ctx, memory)).rests;
  } catch (error) {
    if (!(error instanceof StateConflict)) throw error;
    conflicts += 1;
    return [];
  }
}

await session.close();
process.stdout.write(`${JSON.stringify({ passes, conflicts, quiet })}\n`);
if (quiet < 3) throw new UserError([], 'still not quiet');
