import type { AccountId, Instant, IntentId, JsonObject, WireId } from '../ids.ts';
import type { BatchView, ProviderError } from '../journal/batch.ts';
import type { EncodeBody } from '../manifest/manifest.ts';
import type { Reply } from '../outcome/outcome.ts';
import type { Endpoint, ModelSpec, OutputSpec } from '../spec/job.ts';
import type { Profile } from '../spec/profiles.ts';

export {
  BATCH_STATES,
  type BatchState,
  type BatchView,
  isTerminal,
  type ProviderError,
} from '../journal/batch.ts';
export type { Profile } from '../spec/profiles.ts';

/**
 * A provider's batch API, as narrow as the reconciler needs it. One file implements one provider.
 * Safe to repeat: upload (makes a second file), find, poll, download, fileSize, discard. Never to be repeated: create, ask.
 */
export interface Provider {
  readonly profile: Profile;
  readonly account: Account;
  /**
   * The remote file expires by itself after `profile.inputFileTtlMs`, should we vanish. Null, and no call, where the
   * requests travel in the create.
   */
  upload(file: InputFile): Promise<Call<{ readonly fileId: string | null }>>;
  /** The SDK's own retries are off. `tag` travels as metadata. */
  create(order: CreateOrder): Promise<CreateResult>;
  /**
   * Walks the provider's list, newest first, back to `since`, for batches of these intents. At most so many pages, where
   * they are given: then it may end incomplete.
   */
  find(intents: readonly IntentId[], since: Instant, mostPages?: number): Promise<Call<FindResult>>;
  poll(batchId: string): Promise<Call<BatchView> | { readonly kind: 'not_found'; readonly message: string }>;
  /** Writes the remote file's bytes to `path`, whole: a short body is a failed call. */
  download(
    fileId: string,
    path: string,
  ): Promise<Call<{ readonly bytes: number; readonly digest: string; readonly endsWithLineFeed: boolean }>>;
  /** The bytes that the provider lists for a remote file; null where it does not tell, or could not be asked. */
  fileSize(fileId: string): Promise<number | null>;
  cancel(batchId: string): Promise<Call<BatchView>>;
  /** Deletes a remote file; one that is gone already counts as deleted. */
  discard(fileId: string): Promise<Call<{ readonly deleted: true }>>;
  /** Exactly one request to the synchronous API, at its full price. An answer that was lost may be billed. */
  ask(order: AskOrder): Promise<AskResult>;
  /** Pure. Made once per run. */
  encoder(model: ModelSpec, output: OutputSpec, sentSchema: JsonObject | null): EncodeBody;
  /** Pure. The constant pieces of an input line: `beforeId + wire id + afterId + body + afterBody`, then a line feed. */
  wireEnvelope(endpoint: Endpoint): WireEnvelope;
  /** Pure. A frozen body with another token cap; all else stays byte for byte. */
  withTokenCap(body: string, endpoint: Endpoint, maxTokens: number): string;
  /** Pure. One line of a result file, without its line end. Never throws: an unreadable line is `malformed`. */
  decode(endpoint: Endpoint, line: string): Reply;
}

/** The parts of a provider that need neither key nor network: a plan of a pull request works with these. */
export type Codec = Pick<
  Provider,
  'profile' | 'account' | 'encoder' | 'decode' | 'wireEnvelope' | 'withTokenCap'
>;

export interface WireEnvelope {
  readonly beforeId: string;
  readonly afterId: string;
  readonly afterBody: string;
}

export interface Account {
  readonly id: AccountId;
  readonly provider: string;
  readonly baseUrl: string;
  /** True: nothing here is spend. */
  readonly emulator: boolean;
}

/** A shard's lines on disk. */
export interface InputFile {
  readonly intent: IntentId;
  readonly path: string;
  readonly bytes: number;
  /** For people who look at the provider's console. */
  readonly name: string;
}

export interface CreateOrder {
  readonly intent: IntentId;
  /** Null where the requests travel in the create. */
  readonly fileId: string | null;
  /** The local file, which is read where the requests travel in the create. */
  readonly input: { readonly path: string; readonly bytes: number };
  readonly endpoint: Endpoint;
  /** As the provider names it; every line names it too. */
  readonly model: string;
  /** At most 14 pairs more; the intent is added. Keys ≤ 64, values ≤ 512 characters, nothing secret. */
  readonly tags: Readonly<Record<string, string>>;
}

export interface AskOrder {
  readonly wireId: WireId;
  readonly endpoint: Endpoint;
  /** As the provider names it. */
  readonly model: string;
  /** As `encoder` wrote it. */
  readonly body: string;
}

/** `line`: what would stand in a batch's result file, without its line feed, so that it is decoded and kept the same way. */
export type AskResult =
  | { readonly kind: 'answered'; readonly line: string }
  /** Nothing was sent, or it was turned away before it ran. */
  | { readonly kind: 'not_sent'; readonly error: ProviderError }
  /** The answer was lost: what it may have cost, nobody knows. */
  | { readonly kind: 'unknown'; readonly error: ProviderError };

export type CreateResult =
  | { readonly kind: 'accepted'; readonly batch: BatchView }
  | { readonly kind: 'refused'; readonly error: ProviderError }
  /** The provider may or may not have it: the intent stays open until found or proved absent. */
  | { readonly kind: 'ambiguous'; readonly error: ProviderError };

/** A call that answered, or one that says nothing about the world. */
export type Call<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: ProviderError };

export interface FindResult {
  /** Batches that carry the tag of one of the intents. */
  readonly found: readonly BatchView[];
  /** Every batch of the walk without a tag of ours, where the provider knows no tags: one of them may be ours. */
  readonly untagged: readonly BatchView[];
  /** True where the walk reached `since` or the list's end without a doubt. */
  readonly complete: boolean;
  readonly serverNow: Instant | null;
}
