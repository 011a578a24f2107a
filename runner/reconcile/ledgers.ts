import { join } from 'node:path';
import type { JobName } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import type { JournalState } from '../journal/state.ts';
import { type Ledger, ledgerPath, openLedger } from '../ledger/ledger.ts';
import { sinkId } from '../plan/apply.ts';
import type { Job } from '../spec/job.ts';
import type { Store } from '../store/port.ts';

/** The ledgers that a pass has open: each job's is opened once, and brought up to the fold whenever that has moved. */
export interface LedgerPool {
  /** Null where the job has no run yet. `job`: as git has it; null where git has it no more. */
  of(name: JobName, job: Job | null, state: JournalState): Promise<Ledger | null>;
  close(): void;
}

interface Held {
  readonly ledger: Ledger;
  readonly seq: number;
}

export function ledgerPool(options: {
  readonly stateFolder: string;
  readonly work: string;
  readonly store: Store;
}): LedgerPool {
  const held = new Map<JobName, Held>();

  async function open(name: JobName, job: Job | null, state: JournalState): Promise<Ledger> {
    held.get(name)?.ledger.close();
    held.delete(name);
    const spec = job ?? currentRun(state, name)?.spec;
    const ledger = await openLedger({
      job: name,
      state,
      path: ledgerPath(options.stateFolder, name),
      work: join(options.work, name),
      pathOf: (file) => storedPath(options.store, file),
      retry: spec?.retry ?? NO_RETRY,
      sinks: (spec?.sinks ?? []).map(sinkId),
      withdrawn: job === null,
    });
    held.set(name, { ledger, seq: state.seq });
    return ledger;
  }

  return {
    async of(name, job, state) {
      if (currentRun(state, name) === undefined) return null;
      const known = held.get(name);
      return known !== undefined && known.seq === state.seq ? known.ledger : open(name, job, state);
    },
    close() {
      for (const { ledger } of held.values()) ledger.close();
      held.clear();
    },
  };
}

const NO_RETRY = { maxAttempts: 1, invalidOutput: 0, truncatedMaxTokens: null };

/** @throws Error where the store lacks a file that the journal names: state was lost, nothing may be sent. */
export async function storedPath(store: Store, name: string): Promise<string> {
  const path = await store.get(name);
  if (path === null) throw new StoredFileMissing(name);
  return path;
}

export class StoredFileMissing extends Error {
  override readonly name = 'StoredFileMissing';

  constructor(file: string) {
    super(`the journal names ${file}, and the store does not have it`);
  }
}
