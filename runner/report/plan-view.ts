import type { AccountId, Digest, JobName } from '../ids.ts';
import type { Messages, RenderedRow } from '../manifest/manifest.ts';
import type { NewRunSize, Plan } from '../plan/action.ts';
import type { ToApprove } from '../plan/approval.ts';
import type { Ceiling } from '../plan/ceilings.ts';

/** A plan with everything that a reader wants to know before saying yes. A value: renderers only lay it out. */
export interface PlanView {
  readonly plan: Plan;
  /** One for each new run, blocked ones too: a guard must not hide the plan that explains it. */
  readonly newRuns: readonly NewRunView[];
  /** One for each `submit` among the actions. */
  readonly sends: readonly SendView[];
  /** Edits of operational fields: they take effect without a run. */
  readonly inPlace: readonly { readonly job: JobName; readonly change: string }[];
  /** Files that cannot be read as a job: what they ask for is not in the plan. */
  readonly broken: readonly { readonly file: string; readonly message: string }[];
  /** What carries the plan out; null where nothing has to be typed, as in a rehearsal. */
  readonly command: string | null;
  readonly stamp: PlanStamp;
  /** Files that a person would commit for runs that wait for one. */
  readonly toApprove?: readonly { readonly job: JobName; readonly file: string; readonly text: string }[];
  /** Of Batchwright. */
  readonly version?: string;
}

/** More requests of a run that is frozen already. Money in USD; null is unknown. */
export interface SendView {
  readonly job: JobName;
  readonly run: number;
  readonly requests: number;
  readonly estimateUsd: number | null;
  readonly ceilingUsd: number | null;
  readonly emulator: boolean;
}

export interface NewRunView {
  readonly job: JobName;
  readonly run: number;
  readonly owner: string;
  readonly account: AccountId;
  /** `openai/gpt-5.4-mini` */
  readonly model: string;
  readonly emulator: boolean;
  readonly size: NewRunSize;
  /** Shortest, median and longest request of all rows, reused ones too, rendered; fewer where there are fewer rows. */
  readonly samples: readonly RenderedRow[];
  /** The run that this one would follow; null for a first one. */
  readonly before: RunBefore | null;
  /** Columns that reach the prompt, and those of the source that do not. */
  readonly sends: readonly string[];
  readonly holdsBack: readonly string[];
  readonly maxOutputTokens: number;
  /** Null where the rest does not wait for a canary. */
  readonly canaryItems: number | null;
  /** After the canary. */
  readonly shards: number;
  /** The provider's window and the job's own deadline. */
  readonly windowMs: number;
  readonly deadlineMs: number;
  readonly budgets: readonly BudgetLine[];
  /** What a person would have to approve for it. */
  readonly approval: ToApprove;
  /** Rows that would be set aside, by the finding's code. */
  readonly problems: Readonly<Record<string, number>>;
}

/** Money in USD. `sent`: what it asked for some keys, where that could be read. */
export interface RunBefore {
  readonly run: number;
  readonly spentUsd: number;
  readonly reservedUsd: number;
  /** Requests that have no answer yet. */
  readonly inFlight: number;
  readonly sent: Readonly<Record<string, Messages>>;
}

/** What one ceiling says about a run. Money in USD; null is unknown (or, for `ofUsd`, no ceiling). */
export interface BudgetLine {
  readonly scope: Ceiling['scope'];
  readonly usedUsd: number;
  readonly afterUsd: number | null;
  readonly ofUsd: number | null;
}

export interface PlanStamp {
  readonly commit: string | null;
  readonly dirty: boolean;
  readonly journalSeq: number;
  /** Over the plan as a value; null where none was made. */
  readonly digest: Digest | null;
}
