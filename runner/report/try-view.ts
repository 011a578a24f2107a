import type { JobName } from '../ids.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';

/** What a person tried: a few rows asked at once, beside the answers of the last run. Strings are hostile. */
export interface TryView {
  readonly job: JobName;
  readonly model: string;
  readonly endpoint: string;
  readonly servedModels: readonly string[];
  readonly emulator: boolean;
  readonly rows: readonly TriedRow[];
  /** USD at the synchronous price. */
  readonly reservedUsd: number;
  readonly usd: number;
  /** Part of the reservation whose cost nobody was told. */
  readonly unknownUsd: number;
  readonly pricesOf: string;
  /** The run that the answers are compared with; null: there is none yet. */
  readonly run: number | null;
}

export interface TriedRow {
  readonly key: string;
  readonly result: TryResult;
  /** The last run's accepted answer to the same key, as JSON text; null where it has none. */
  readonly before: string | null;
}

export type TryResult =
  | {
      readonly kind: 'answered';
      readonly class: OutcomeClass;
      readonly cause: string;
      readonly detail: string | null;
      /** As JSON text; null unless `ok`. */
      readonly answer: string | null;
      /** What the model said where that is no accepted answer. */
      readonly said: string | null;
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
      readonly usd: number | null;
    }
  /** The answer was lost, or the request was never sent. */
  | { readonly kind: 'lost' | 'not_sent'; readonly message: string }
  /** One before it showed that asking on would only cost. */
  | { readonly kind: 'not_asked' };

/** Pure: whether two answers say the same, whatever the order of their properties. */
export function sameAnswer(one: string, other: string): boolean {
  return one === other || sorted(one) === sorted(other);
}

function sorted(json: string): string {
  return JSON.stringify(JSON.parse(json), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
