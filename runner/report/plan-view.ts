import type { AccountId, Digest, JobName } from '../ids.ts';
import type { RenderedRow } from '../manifest/manifest.ts';
import type { NewRunSize, Plan } from '../plan/action.ts';
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
  /** Rows that would be set aside, by the finding's code. */
  readonly problems: Readonly<Record<string, number>>;
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
