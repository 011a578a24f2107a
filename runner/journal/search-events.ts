import type { Instant, IntentId, JobName } from '../ids.ts';
import type { BatchState, BatchView } from './batch.ts';

/** What looking for batches has shown, in a provider's list or by their ids. */
export type SearchEvent =
  | ListingSearched
  | SecondFound
  | SecondsSearched
  | CandidatesSeen
  | BatchUnseen
  | BatchLost;

/**
 * A complete listing that had no batch of this intent. Its input file is gone by the end of this look; only looks that
 * found it gone already count, and some of those, far enough apart, prove the batch absent.
 */
export interface ListingSearched {
  readonly type: 'listing.searched';
  readonly intent: IntentId;
  readonly job: JobName;
  /** By the provider's clock where it told the time. */
  readonly serverAt: Instant;
  readonly counts: boolean;
}

/**
 * A batch that proves to hold an intent's requests beside the one that we know, or after the intent was given up: a
 * create that was repeated on its way, say. From here on it is followed like a shard of its own.
 */
export interface SecondFound {
  readonly type: 'second.found';
  /** Its own name in the journal, from its batch's id: two writers who find it say the same. */
  readonly intent: IntentId;
  /** Whose requests it holds; its lines carry that id. */
  readonly secondOf: IntentId;
  readonly job: JobName;
  readonly batch: BatchView;
}

/** A complete listing showed no batch of this intent that the journal does not know. */
export interface SecondsSearched {
  readonly type: 'seconds.searched';
  readonly intent: IntentId;
  readonly job: JobName;
  /** By the provider's clock where it told the time. */
  readonly serverAt: Instant;
}

/**
 * The provider says that it has no such batch. It may all the same: providers have answered 404 for batches that ran.
 * Written at the first such look; `batch.observed` says when it is there again.
 */
export interface BatchUnseen {
  readonly type: 'batch.unseen';
  readonly intent: IntentId;
  readonly job: JobName;
  /** In the provider's words. */
  readonly why: string;
}

/** A person gives up a batch that nobody finds: its rows may be sent again, though it may have been paid for. */
export interface BatchLost {
  readonly type: 'batch.lost';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly by: string;
}

/**
 * Batches that may be an intent's, at a provider that keeps no tag: made in its time, with its number of requests, and
 * in the journal of nobody. Only their results tell whose they are. Written when the picture changed.
 */
export interface CandidatesSeen {
  readonly type: 'candidates.seen';
  readonly intent: IntentId;
  readonly job: JobName;
  readonly batches: readonly Candidate[];
  /** The only one that is left: it is taken for the intent's, and nothing is done to it, until its results are there. */
  readonly presumed: string | null;
}

export interface Candidate {
  readonly id: string;
  readonly createdAt: Instant;
  readonly state: BatchState;
  /** `foreign`: its results bear ids of others, and it is looked at no more. `unreadable`: it has ended and has none. */
  readonly ids: 'unread' | 'foreign' | 'unreadable';
  /** Since when its results have borne ids of others alone; believed an hour later. Absent: they have not, or it is. */
  readonly foreignSince?: Instant;
}
