import type { Instant, JobName } from '../ids.ts';
import type { Journal } from '../journal/journal.ts';
import type { Pacing } from '../plan/snapshot.ts';
import type { Codec, Provider } from '../provider/port.ts';
import type { Sink } from '../sink/port.ts';
import type { SinkSpec } from '../spec/job.ts';
import type { Repository } from '../spec/load.ts';
import type { Settings } from '../spec/settings.ts';
import type { Store } from '../store/port.ts';
import type { LedgerPool } from './ledgers.ts';

/** Everything a pass may touch. Built in one place (`runner/context.ts`), so that tests can build another. */
export interface PassContext {
  readonly root: string;
  /** Where reports and ledgers stand: `<state>/<job>/…`. */
  readonly stateFolder: string;
  /** A folder for files that no other pass needs. */
  readonly work: string;
  readonly repository: Repository;
  readonly settings: Settings;
  readonly store: Store;
  readonly journal: Journal;
  readonly ledgers: LedgerPool;
  readonly pacing: Pacing;
  readonly commit: string | null;
  readonly dirty: boolean;
  /** Null where this commit may submit and apply; else why not. */
  readonly readOnly: string | null;
  /** Only these jobs are planned; null: all. */
  readonly only: ReadonlySet<JobName> | null;
  now(): Instant;
  /** By the name under `providers` in the settings. @throws UserError where its credentials are missing. */
  provider(name: string): Promise<Provider>;
  /** The parts of a provider that need neither key nor network. */
  codec(name: string): Codec;
  /** A key as a short code, for reports that may not show keys. */
  hashKey(key: string): string;
  sink(spec: SinkSpec): Promise<Sink>;
  say(entry: LogEntry): void;
  /** True once a signal asked to stop: nothing new is started. */
  stopping(): boolean;
}

export interface LogEntry {
  readonly level: 'info' | 'warning' | 'error';
  readonly job: JobName | null;
  readonly text: string;
}
