import type { AccountId, IntentId, JobName, ShortDigest } from '../ids.ts';
import type { StoredFile } from '../manifest/manifest.ts';

/** A person asks a few rows now, at the synchronous price. One announcement for all of its requests. */
export interface TryIntent {
  readonly type: 'try.intent';
  readonly attempt: IntentId;
  readonly job: JobName;
  /** Whose budget it uses: a try needs no run that would say so. */
  readonly owner: string;
  readonly account: AccountId;
  readonly emulator: boolean;
  /** `provider/name` */
  readonly model: string;
  /** Of each request, in the order in which they are asked. */
  readonly requests: readonly ShortDigest[];
  /** USD: the most that all of them may cost. */
  readonly reservedUsd: number;
  readonly commit: string | null;
  readonly by: string;
}

/** What came of it. An announcement without this word keeps its whole reservation: what it has cost nobody knows. */
export interface TryAnswered {
  readonly type: 'try.answered';
  readonly attempt: IntentId;
  readonly job: JobName;
  /** The answers as they came, in the form of a batch's result file; null where none came. */
  readonly raw: StoredFile | null;
  readonly answered: number;
  /** At the synchronous price. */
  readonly usd: number;
  /** What the requests may have cost of whose usage nobody was told, such as those whose answer was lost. */
  readonly unknownUsd: number;
}
