import type { AccountId, Instant, IntentId, JobName, WireId } from '../ids.ts';
import type { BatchState } from '../journal/batch.ts';
import type { ShardKind } from '../journal/events.ts';
import type { IntentPhase } from '../journal/state.ts';
import type { Decision, Disposition } from '../outcome/disposition.ts';
import type { OutcomeClass, Usage } from '../outcome/outcome.ts';

/** Everything that happened to one key of a job. Holds customer data: for the person who asked, not for a page. */
export interface TraceView {
  readonly job: JobName;
  readonly key: string;
  /** One for each manifest row with this key, oldest run first. */
  readonly items: readonly TracedItem[];
}

export interface TracedItem {
  readonly run: number;
  readonly current: boolean;
  readonly emulator: boolean;
  readonly account: AccountId;
  /** `<provider>/<model>` as the run asked for it. */
  readonly model: string;
  readonly frozenAt: Instant;
  /** The row's place in the manifest, from 0. */
  readonly ordinal: number;
  readonly customId: string | null;
  readonly inputHash: string;
  readonly request: TracedRequest | null;
  /** Null where the row could not be read. */
  readonly rowJson: string | null;
  readonly setAside: { readonly problem: string; readonly detail: string | null } | null;
  readonly disposition: Disposition;
  readonly attempts: readonly TracedAttempt[];
  /** What the disposition rests on: an answer, or an end that no retry changes. */
  readonly verdict: TracedVerdict | null;
  /** Another row's open attempt at the same request, whose answer will serve this row too. */
  readonly waitsOn: { readonly run: number; readonly shard: number; readonly key: string | null } | null;
  readonly sinks: readonly TracedSink[];
}

export interface TracedRequest {
  readonly hash: string;
  readonly bytes: number;
  /** Estimated. */
  readonly inputTokens: number;
  /** The body as JSON text. */
  readonly body: string;
}

export interface TracedAttempt {
  readonly shard: number;
  readonly kind: ShardKind;
  /** The shard whose rows this batch holds too, which nobody announced; null for a try of ours. */
  readonly secondOf: number | null;
  readonly intent: IntentId;
  readonly wireId: WireId;
  readonly announcedAt: Instant;
  readonly phase: IntentPhase;
  readonly batch: { readonly id: string; readonly state: BatchState } | null;
  /** Why the batch was refused or failed as a whole. */
  readonly batchError: string | null;
  /** The raised token cap of this try, where it had one. */
  readonly maxTokens: number | null;
  /** Names in the store of the raw files that hold its line. */
  readonly raw: readonly string[];
  /** Null while it is open, and where the batch came to nothing. */
  readonly outcome: TracedOutcome | null;
}

export interface TracedOutcome {
  readonly class: OutcomeClass;
  /** What it was first read as, where an edited schema or another reading has made `class` of it; null where none has. */
  readonly firstClass: OutcomeClass | null;
  readonly cause: string;
  readonly detail: string | null;
  /** Null for an answer. */
  readonly decision: Decision | null;
  readonly usage: Usage | null;
  /** Its usage at the price that was frozen with the run; null: usage or price unknown. */
  readonly usd: number | null;
  readonly servedModel: string | null;
  readonly responseId: string | null;
  readonly settledAt: Instant | null;
}

export interface TracedVerdict {
  readonly class: OutcomeClass;
  readonly cause: string;
  readonly detail: string | null;
  /** JSON text; null unless `ok`. */
  readonly answer: string | null;
  /** Which attempt bought it. `own`: an attempt of this very row in this run. */
  readonly from: {
    readonly own: boolean;
    readonly run: number;
    readonly shard: number;
    readonly key: string | null;
  };
  readonly servedModel: string | null;
  readonly responseId: string | null;
}

/**
 * Whether a sink holds the answer, as its last proof says. `holds`: yes. `not_yet`: the proof is older than the answer,
 * or there is none. `replaced`: a later run has written the sink since. `kept`: it has, and left this row in it, since
 * the key is gone from the input.
 */
export interface TracedSink {
  readonly kind: string;
  readonly path: string;
  readonly state: 'holds' | 'not_yet' | 'replaced' | 'kept';
  /** When the proof was given; null where there is none. */
  readonly appliedAt: Instant | null;
  /** The run that has written the sink last. */
  readonly byRun: number | null;
}
