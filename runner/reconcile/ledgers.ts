import { join } from 'node:path';
import { StateConflict } from '../errors.ts';
import type { JobName } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import type { JournalState } from '../journal/state.ts';
import type { ProjectionInput } from '../ledger/input.ts';
import { hasOtherRuns, type Ledger, ledgerPath, openLedger } from '../ledger/ledger.ts';
import { sinkId } from '../plan/apply.ts';
import { withoutDropped } from '../plan/stored.ts';
import type { Job } from '../spec/job.ts';
import type { Store } from '../store/port.ts';

/** The ledgers that a pass has open: each job's is opened once, and brought up to the fold whenever that has moved. */
export interface LedgerPool {
  /** Null where the job has no run yet. `job`: as git has it; null where git has it no more. */
  of(name: JobName, job: Job | null, state: JournalState): Promise<Ledger | null>;
  close(): void;
}

export function ledgerPool(options: {
  readonly stateFolder: string;
  readonly work: string;
  readonly store: Store;
}): LedgerPool {
  const held = new Map<JobName, Ledger>();

  async function open(input: ProjectionInput): Promise<Ledger> {
    const path = ledgerPath(options.stateFolder, input.job);
    const ledger = await openLedger({ ...input, path, work: join(options.work, input.job) });
    held.set(input.job, ledger);
    return ledger;
  }

  return {
    async of(name, job, state) {
      if (currentRun(state, name) === undefined) {
        // Renamed: whoever gets the name next begins with a ledger of its own.
        held.get(name)?.close();
        held.delete(name);
        return null;
      }
      const kept = withoutDropped(state, name);
      const input = inputOf(name, job, kept, options.store);
      const known = held.get(name);
      if (known === undefined) return open(input);
      if (kept !== state && (await hasOtherRuns(known.duck, input))) {
        known.close();
        return open(input);
      }
      await known.update(input);
      return known;
    },
    close() {
      for (const ledger of held.values()) ledger.close();
      held.clear();
    },
  };
}

function inputOf(name: JobName, job: Job | null, state: JournalState, store: Store): ProjectionInput {
  const spec = job ?? currentRun(state, name)?.spec;
  return {
    job: name,
    state,
    pathOf: (file) => storedPath(store, file),
    retry: spec?.retry ?? NO_RETRY,
    sinks: (spec?.sinks ?? []).map(sinkId),
    withdrawn: job === null,
  };
}

const NO_RETRY = { maxAttempts: 1, invalidOutput: 0, truncatedMaxTokens: null, unreadableShare: 0 };

/** @throws StateConflict where the store lacks a file that the journal names: state was lost, nothing may be sent. */
export async function storedPath(store: Store, name: string): Promise<string> {
  const path = await store.get(name);
  if (path !== null) return path;
  throw new StateConflict(
    `The journal names ${name}, and the store does not have it.`,
    'Bring it back from a copy of the state; `batchwright verify` names everything that is missing.',
  );
}
