import type { JobName } from '../ids.ts';

/**
 * `proved`: it holds. `open`: nothing is wrong, and something is not finished. `wrong`: something is not as it was
 * written. `lost`: journal or files that it names are damaged or not there, so that state is missing.
 */
export type CheckState = 'proved' | 'open' | 'wrong' | 'lost';

/** One thing that `verify` looked at. */
export interface Check {
  /** Null for what concerns all jobs. */
  readonly job: JobName | null;
  /** Kebab case, stable: `journal`, `snapshots`, `reports`, `files`, `run`, `bought-once`, `sink`, `batches`, `remote-files`. */
  readonly check: string;
  /** What it was looked at in: `run 2`, a sink's name; empty where the check says it. */
  readonly subject: string;
  readonly state: CheckState;
  /** What was found, in one sentence. */
  readonly message: string;
  /** Each thing that is wrong or open, by itself. */
  readonly details: readonly string[];
  /** What to do; null where there is nothing to do. */
  readonly next: string | null;
}

export interface Verification {
  readonly checks: readonly Check[];
}
