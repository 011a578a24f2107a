import { join } from 'node:path';
import type { JobName } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import type { JournalState } from '../journal/state.ts';
import type { ProjectionInput } from '../ledger/input.ts';
import { hasOtherRuns, type Ledger, ledgerPath, openLedger } from '../ledger/ledger.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import { sinkId } from '../plan/apply.ts';
import { filesRead, withoutDropped } from '../plan/stored.ts';
import type { Job } from '../spec/job.ts';
import type { Store } from '../store/port.ts';
import { presentPath, proveFiles, provenPath, storedPath } from './stored.ts';

/** The ledgers that a pass has open: each job's is opened once, and brought up to the fold whenever that has moved. */
export interface LedgerPool {
  /**
   * Null where the job has no run yet. `job`: as git has it; null where git has it no more.
   * @throws DamagedFiles where a stored file of the job is not as it was written
   */
  of(name: JobName, job: Job | null, state: JournalState): Promise<Ledger | null>;
  /** Throws a damaged ledger away: it is made anew when it is asked for again. */
  discard(name: JobName): Promise<void>;
  close(): void;
}

export interface PoolOptions {
  readonly stateFolder: string;
  readonly work: string;
  readonly store: Store;
  /** Takes files for what they are: for `verify`, which proves each by itself and goes on after damage. */
  readonly unproven?: boolean;
  /** Told of a ledger that could not be kept. */
  warn?(job: JobName, text: string): void;
}

export function ledgerPool(options: PoolOptions): LedgerPool {
  const held = new Map<JobName, Ledger>();

  async function open(input: ProjectionInput): Promise<Ledger> {
    const path = ledgerPath(options.stateFolder, input.job);
    const ledger = await openLedger({ ...input, path, work: join(options.work, input.job) });
    held.set(input.job, ledger);
    return told(ledger);
  }

  function told(ledger: Ledger): Ledger {
    if (ledger.notKept !== null) options.warn?.(ledger.job, `${NOT_KEPT} (${ledger.notKept})`);
    return ledger;
  }

  function drop(name: JobName): void {
    held.get(name)?.close();
    held.delete(name);
  }

  return {
    async of(name, job, state) {
      if (currentRun(state, name) === undefined) {
        // Renamed: whoever gets the name next begins with a ledger of its own.
        drop(name);
        return null;
      }
      const kept = withoutDropped(state, name);
      const input = inputOf(name, job, kept, options);
      const known = held.get(name);
      if (known === undefined) return open(input);
      if (kept !== state && (await hasOtherRuns(known.duck, input))) {
        drop(name);
        return open(input);
      }
      await known.update(input);
      return told(known);
    },
    async discard(name) {
      await held.get(name)?.discard();
      held.delete(name);
    },
    close() {
      for (const name of [...held.keys()]) drop(name);
    },
  };
}

const NOT_KEPT = 'its ledger could not be kept, so one that goes with this process stands in for it';

function inputOf(name: JobName, job: Job | null, state: JournalState, options: PoolOptions): ProjectionInput {
  const spec = job ?? currentRun(state, name)?.spec;
  return {
    job: name,
    state,
    ...pathsOf(options, () => filesRead(state, name)),
    retry: spec?.retry ?? NO_RETRY,
    sinks: (spec?.sinks ?? []).map(sinkId),
    withdrawn: job === null,
  };
}

function pathsOf(
  { store, unproven = false }: PoolOptions,
  files: () => readonly StoredFile[],
): Pick<ProjectionInput, 'pathOf' | 'provenPathOf' | 'proveFiles'> {
  if (unproven) {
    const pathOf = (file: StoredFile) => presentPath(store, file);
    return { pathOf, provenPathOf: pathOf, proveFiles: async () => {} };
  }
  return {
    pathOf: (file) => storedPath(store, file),
    provenPathOf: (file) => provenPath(store, file),
    proveFiles: () => proveFiles(store, files()),
  };
}

const NO_RETRY = { maxAttempts: 1, invalidOutput: 0, truncatedMaxTokens: null, unreadableShare: 0 };
