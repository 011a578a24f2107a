import type { JobName } from '../ids.ts';
import type { JournalState } from '../journal/state.ts';
import type { RetrySpec } from '../spec/job.ts';

/** What a projection needs besides the fold. */
export interface ProjectionInput {
  readonly job: JobName;
  readonly state: JournalState;
  /** Local path of a stored file. */
  readonly pathOf: (name: string) => Promise<string>;
  readonly retry: RetrySpec;
  /** The sinks of the current spec: the current run counts as applied as far as all of these hold. */
  readonly sinks: readonly string[];
  /** True where git has no such job any more. */
  readonly withdrawn: boolean;
}
