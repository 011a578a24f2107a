import type { Disposition } from '../../runner/outcome/disposition.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import type { Lie } from '../fake/lies.ts';
import type { Plan } from '../fake/life.ts';
import type { ProviderName } from '../fake/model.ts';
import type { Quirks } from '../fake/world.ts';

/** A job, what its provider does, and what a gateway makes of it. */
export interface Schedule {
  readonly name: string;
  readonly provider: ProviderName;
  readonly lies: readonly Lie[];
  /** How long it is watched. */
  readonly days: number;
  readonly plan?: Partial<Plan>;
  readonly planFor?: (nth: number) => Partial<Plan> | undefined;
  readonly quirks?: Quirks;
  readonly rows?: number;
  /** Further lines of the job's file; by default there is no canary. */
  readonly job?: string;
  readonly real?: boolean;
  readonly ends: Ending;
  /** Classes that Rule A may buy again here, although the model had answered. */
  readonly rebuys?: readonly OutcomeClass[];
  /** True where a lie cannot be told from the truth, so that results may go although nobody has had their true bytes. */
  readonly blind?: boolean;
}

/**
 * `applied`: each row, with so many creates. `told`: whatever is not applied is told and nothing comes by itself any more.
 * `first` is how many rows stand in the sink when any does: what came in part must not wait for the rest. `left` is what
 * becomes of the rows that are not applied.
 */
export type Ending =
  | {
      readonly as: 'applied';
      readonly creates?: number;
      readonly by?: number;
      readonly first?: number;
    }
  | {
      readonly as: 'told';
      readonly creates?: number;
      readonly first?: number;
      readonly left?: Readonly<Partial<Record<Disposition, number>>>;
    };
