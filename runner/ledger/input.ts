import type { JobName } from '../ids.ts';
import type { JournalState } from '../journal/state.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import type { RetrySpec } from '../spec/job.ts';

/** What a projection needs besides the fold. */
export interface ProjectionInput {
  readonly job: JobName;
  readonly state: JournalState;
  /** Local path of a stored file, which is there and as long as it was. @throws DamagedFiles */
  readonly pathOf: (file: StoredFile) => Promise<string>;
  /** The same of a file whose bytes were read through: what is projected from it is not read a second time. */
  readonly provenPathOf: (file: StoredFile) => Promise<string>;
  /** Reads every file of the job through. @throws DamagedFiles that names what is not as it was written */
  readonly proveFiles: () => Promise<void>;
  readonly retry: RetrySpec;
  /** The sinks of the current spec: the current run counts as applied as far as all of these hold. */
  readonly sinks: readonly string[];
  /** True where git has no such job any more. */
  readonly withdrawn: boolean;
}
