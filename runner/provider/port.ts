import type { AccountId, Instant, IntentId, JsonObject } from '../ids.ts';
import type { BatchView, ProviderError } from '../journal/batch.ts';
import type { EncodeBody } from '../manifest/manifest.ts';
import type { Reply } from '../outcome/outcome.ts';
import type { Endpoint, ModelSpec, OutputSpec } from '../spec/job.ts';

export {
  BATCH_STATES,
  type BatchState,
  type BatchView,
  isTerminal,
  type ProviderError,
} from '../journal/batch.ts';

/**
 * A provider's batch API, as narrow as the reconciler needs it. One file implements one provider.
 * Safe to repeat: upload (makes a second file), find, poll, download, discard. Never to be repeated: create.
 */
export interface Provider {
  readonly profile: Profile;
  readonly account: Account;
  /** The remote file expires by itself after `profile.inputFileTtlMs`, should we vanish. */
  upload(file: {
    readonly path: string;
    readonly bytes: number;
    readonly name: string;
  }): Promise<Call<{ readonly fileId: string }>>;
  /** The SDK's own retries are off. `tag` travels as metadata. */
  create(order: CreateOrder): Promise<CreateResult>;
  /** Walks the provider's list, newest first, back to `since`, for batches of these intents. */
  find(intents: readonly IntentId[], since: Instant): Promise<Call<FindResult>>;
  poll(batchId: string): Promise<Call<BatchView> | { readonly kind: 'not_found'; readonly message: string }>;
  /** Writes the remote file's bytes to `path`, whole: a short body is a failed call. */
  download(fileId: string, path: string): Promise<Call<{ readonly bytes: number; readonly digest: string }>>;
  cancel(batchId: string): Promise<Call<BatchView>>;
  /** Deletes a remote file; one that is gone already counts as deleted. */
  discard(fileId: string): Promise<Call<{ readonly deleted: true }>>;
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

/** What the provider is known to do and allow; `profiles.ts` has the source of each number. */
export interface Profile {
  readonly kind: 'openai';
  readonly maxRequestsPerBatch: number;
  readonly maxBytesPerBatch: number;
  /** Batch price as a share of the synchronous price. */
  readonly batchFactor: number;
  readonly windowMs: number;
  readonly inputFileTtlMs: number;
  readonly minPollMs: number;
  /** How long a create may take, and how long lists may lag behind it. */
  readonly createTimeoutMs: number;
  readonly listGraceMs: number;
  /** The `url` field of a wire line, and so the batch's endpoint. */
  readonly endpoints: readonly Endpoint[];
  /** How long results can be fetched, counted from the batch's end. */
  readonly resultsKeptMs: number;
}

export interface CreateOrder {
  readonly intent: IntentId;
  readonly fileId: string;
  readonly endpoint: Endpoint;
  /** At most 14 pairs more; the intent is added. Keys ≤ 64, values ≤ 512 characters, nothing secret. */
  readonly tags: Readonly<Record<string, string>>;
}

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
  readonly found: readonly BatchView[];
  /** True where the walk reached `since` or the list's end without a doubt. */
  readonly complete: boolean;
  readonly serverNow: Instant | null;
}
