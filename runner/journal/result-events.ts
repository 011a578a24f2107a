import type { Digest, IntentId, JobName } from '../ids.ts';
import type { StoredFile } from '../manifest/manifest.ts';
import type { OutcomeSummary } from '../outcome/outcome.ts';
import type { BatchState, BatchView, ProviderError } from './batch.ts';

/** What became of the results of batches, and what was read of them. */
export type ResultEvent =
  | RawCollected
  | DownloadFailed
  | ResultsLost
  | RowsReleased
  | OutcomesSettled
  | CheckChanged
  | OutcomesRevised;

/** Inclusive: `[0, 9]` is ten items. */
export type OrdinalRange = readonly [first: number, last: number];

/** The provider's bytes are kept. Compressed in the store; `digest`, `bytes` and `lines` are of the bytes as received. */
export interface RawCollected {
  readonly type: 'raw.collected';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly state: BatchState;
  readonly files: readonly RawFile[];
  /** Files that the provider names and says it does not have. It may have them all the same. */
  readonly gone: readonly RawFile['kind'][];
  /** What the batch said of its lines at this very look; null where it did not say, or could not be asked. */
  readonly counts: BatchView['progress'];
}

export interface RawFile {
  readonly kind: 'output' | 'error';
  readonly remoteId: string;
  readonly stored: StoredFile;
  readonly digest: Digest;
  readonly bytes: number;
  readonly lines: number;
  /** The length that the provider lists for it; null where it lists none. */
  readonly listedBytes: number | null;
  readonly endsWithLineFeed: boolean;
}

/** The results of an ended batch could not be had. Written at the first such look, and when the reason is another one. */
export interface DownloadFailed {
  readonly type: 'download.failed';
  readonly intent: IntentId;
  readonly job: JobName;
  /** Null where there was no answer, or not a whole one. */
  readonly status: number | null;
  readonly about: ProviderError['about'];
}

/** What could not be read of a batch's results will never be: its rows are of class `lost` from here on. */
export interface ResultsLost {
  readonly type: 'results.lost';
  readonly intent: IntentId;
  readonly job: JobName;
  /** `deleted`: the provider goes on saying that it has no such file. `expired`: its time for keeping results is over. */
  readonly why: 'deleted' | 'expired';
}

/** A few unreadable rows of a batch, all else of which was read: they go again by themselves, once. */
export interface RowsReleased {
  readonly type: 'rows.released';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly ordinals: readonly OrdinalRange[];
  readonly rows: number;
}

/** Each attempt of the intent has an outcome, be it that its result cannot be read yet. */
export interface OutcomesSettled {
  readonly type: 'outcomes.settled';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly run: number;
  readonly outcomes: StoredFile;
  readonly summary: OutcomeSummary;
  /** At the batch price; null where the price is unknown. */
  readonly usd: number | null;
  /** Cost of the lines that gave no answer, a part of `usd`. */
  readonly wastedUsd: number | null;
  /** What the answers were held against. Absent: the check of the run's own recipe. */
  readonly check?: Digest | null;
  /** Cost of the lines whose items another batch had answered, a part of `wastedUsd`. Absent: none. */
  readonly duplicateUsd?: number | null;
  /** True where its lines were held against the answers of other batches of the job. Absent: there was no other. */
  readonly contested?: boolean;
  /** How many of its looks at result files it was read from. */
  readonly collections: number;
}

/**
 * Output schema or sinks were edited in a way that changes no request: from here on answers to this run's requests are held
 * against the schema in `recipe`, also those that older runs have bought and this one uses.
 */
export interface CheckChanged {
  readonly type: 'check.changed';
  readonly job: JobName;
  readonly run: number;
  readonly check: Digest;
  readonly recipe: StoredFile;
}

/** Why outcomes were read again: schema or sinks were edited, another look at the result files, or a person's `reprocess`. */
export type RevisionReason = 'check' | 'results' | 'reprocess';

/** The raw files of a settled intent were read again. Nothing was sent for it. */
export interface OutcomesRevised {
  readonly type: 'outcomes.revised';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly run: number;
  readonly why: RevisionReason;
  readonly check: Digest | null;
  readonly outcomes: StoredFile;
  readonly summary: OutcomeSummary;
  /** Of all lines that are readable now; no less than when it was settled. */
  readonly usd: number | null;
  readonly wastedUsd: number | null;
  readonly duplicateUsd?: number | null;
  readonly contested?: boolean;
  readonly collections: number;
}
