import { join } from 'node:path';
import { openSession } from '../../runner/context.ts';
import type { Emulator } from '../../runner/emulator/server.ts';
import { StateConflict } from '../../runner/errors.ts';
import { instantOf } from '../../runner/ids.ts';
import type { Journal } from '../../runner/journal/journal.ts';
import { QUICK } from '../../runner/plan/snapshot.ts';
import { isOpen } from '../../runner/plan/spend.ts';
import type { PassContext } from '../../runner/reconcile/context.ts';
import { ledgerPool } from '../../runner/reconcile/ledgers.ts';
import { newMemory } from '../../runner/reconcile/memory.ts';
import { reconcileOnce } from '../../runner/reconcile/pass.ts';

/** Reconcilers of one process on one store, each with a ledger of its own and a clock that is wrong in its own way. */
export interface Crowd extends AsyncDisposable {
  readonly passes: number;
  /** Appends that returned: each of them is one segment. */
  readonly appended: number;
  /** Passes that ended as a loser's do, with exit code 4. */
  readonly conflicts: number;
  /** How many rounds in a row nobody had anything to do. */
  readonly quietRounds: number;
  /** One pass of each, all at once; whoever comes first differs from round to round. */
  round(number: number): Promise<void>;
}

export async function crowdOf(root: string, emulator: Emulator, count: number): Promise<Crowd> {
  const counts = { passes: 0, appended: 0, conflicts: 0, quietRounds: 0 };
  const members = await Promise.all(
    Array.from({ length: count }, (_, at) => memberOf(root, emulator, at, counts)),
  );
  return {
    get passes() {
      return counts.passes;
    },
    get appended() {
      return counts.appended;
    },
    get conflicts() {
      return counts.conflicts;
    },
    get quietRounds() {
      return counts.quietRounds;
    },
    async round(number) {
      const shift = number % count;
      const inTurn = [...members.slice(shift), ...members.slice(0, shift)];
      const busy = await Promise.all(inTurn.map(({ pass }, place) => pass((place * (number % 5)) % 4)));
      counts.quietRounds = busy.includes(true) ? 0 : counts.quietRounds + 1;
    },
    async [Symbol.asyncDispose]() {
      for (const { close } of members) await close();
    },
  };
}

interface Counts {
  passes: number;
  appended: number;
  conflicts: number;
}

async function memberOf(root: string, emulator: Emulator, at: number, counts: Counts) {
  // From 45 s behind to 90 s ahead: nobody's clock is right.
  const skewMs = (at % 2 === 0 ? 1 : -0.5) * (5_000 + at * 12_000);
  const session = await openSession({
    root,
    stateFolder: null,
    sinkRoot: root,
    env: { TEST_KEY: 'key' },
    pacing: QUICK,
    only: null,
    snapshotEvery: 5,
    now: () => instantOf(emulator.clock.now() + skewMs),
    say: () => {},
  });
  const memory = newMemory();
  let ledgers: ReturnType<typeof ledgerPool> | null = null;

  /** DuckDB's lock holds between processes; within one, two instances of a file would not see each other. */
  async function context(): Promise<PassContext> {
    const ctx = await session.context();
    ledgers ??= ledgerPool({ stateFolder: join(ctx.work, 'ledgers'), work: ctx.work, store: ctx.store });
    return { ...ctx, ledgers, journal: counted(ctx.journal, counts) };
  }

  return {
    /** `late`: turns of the event loop before it starts. Gives whether there was, or will be, anything to do. */
    async pass(late: number): Promise<boolean> {
      for (let turn = 0; turn < late; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      counts.passes += 1;
      const ctx = await context();
      const before = ctx.journal.state.seq;
      try {
        const { rests } = await reconcileOnce(ctx, memory);
        const { state } = ctx.journal;
        const isWaiting = rests.some((rest) => rest.kind === 'waiting');
        return state.seq > before || isWaiting || Object.values(state.intents).some(isOpen);
      } catch (error) {
        if (!(error instanceof StateConflict)) throw error;
        counts.conflicts += 1;
        return true;
      }
    },
    async close() {
      ledgers?.close();
      await session.close();
    },
  };
}

function counted(journal: Journal, counts: Counts): Journal {
  return {
    get state() {
      return journal.state;
    },
    refresh: () => journal.refresh(),
    keepSnapshot: () => journal.keepSnapshot(),
    async append(events) {
      const state = await journal.append(events);
      counts.appended += 1;
      return state;
    },
  };
}
