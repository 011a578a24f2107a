import type { Endpoint, ModelSpec, OutputSpec } from './job.ts';

/** Whose API an account speaks. A new provider begins with a row in `PROFILES`. */
export const PROVIDER_KINDS = ['openai', 'anthropic', 'gemini'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Neutral parameters of a model that an endpoint may or may not take. */
export type Parameter = Extract<keyof ModelSpec, 'temperature' | 'reasoning' | 'seed'>;

/** What the provider is known to do and allow; the source of each number stands beside it. */
export interface Profile {
  readonly kind: ProviderKind;
  /** As people write it. */
  readonly title: string;
  readonly baseUrl: string;
  /** The provider's own addresses, regional ones too: only there its list prices hold. */
  readonly vendorUrl: RegExp;
  /** Its name in `@pydantic/genai-prices`. */
  readonly priceProvider: string;
  /** The environment variable of the key, where the settings name none. */
  readonly apiKeyEnv: string;
  readonly maxRequestsPerBatch: number;
  readonly maxBytesPerBatch: number;
  /** Batch price as a share of the synchronous price. */
  readonly batchFactor: number;
  /**
   * True where the discount for cached input multiplies with that for batches, and writing to the cache has a price of
   * its own. Elsewhere cached input counts as any other: too high a sum is the safe side.
   */
  readonly cacheStacks: boolean;
  readonly windowMs: number;
  /** `inline`: the requests travel in the create itself, and there is no input file. */
  readonly input: 'file' | 'inline';
  readonly inputFileTtlMs: number;
  /**
   * How a batch whose create was never answered is known again. `tag`: the intent stands in the provider's list.
   * `wire_ids`: only the results say whose they are, since the provider keeps neither tag nor file.
   */
  readonly foundBy: 'tag' | 'wire_ids';
  readonly minPollMs: number;
  /** How long a create may take, and how long lists may lag behind it. */
  readonly createTimeoutMs: number;
  readonly listGraceMs: number;
  /** How long results can be fetched, and since when that counts. */
  readonly resultsKeptMs: number;
  readonly resultsKeptFrom: 'end' | 'creation';
  /** The endpoints that can be encoded; the first that has the job's kind of output is the default. */
  readonly endpoints: readonly EndpointFacts[];
}

export interface EndpointFacts {
  readonly endpoint: Endpoint;
  readonly outputs: readonly OutputSpec['kind'][];
  readonly parameters: readonly Parameter[];
  /** The words of `reasoning` that it has; absent: all of them, at least for some model. */
  readonly reasoning?: readonly NonNullable<ModelSpec['reasoning']>[];
  readonly takesSystemPrompt: boolean;
  /** What has a price: nothing at all is a fact too, and not an unknown price. */
  readonly billed: 'input and output' | 'input' | 'nothing';
  /** The longest input of one request, where it is the endpoint's and not the model's. */
  readonly maxInputTokens: number | null;
}

/** An endpoint that answers in words. */
const WORDS = { takesSystemPrompt: true, billed: 'input and output', maxInputTokens: null } as const;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * What each kind of provider allows and does, one row a fact, its source beside it. Code that differs by
 * provider asks this table; nothing else knows these numbers.
 */
export const PROFILES: Readonly<Record<ProviderKind, Profile>> = {
  openai: {
    kind: 'openai',
    title: 'OpenAI',
    // openai SDK 7.59.0, `ClientOptions.baseURL`.
    baseUrl: 'https://api.openai.com/v1',
    vendorUrl: /^https:\/\/([a-z]{2}\.)?api\.openai\.com(\/|$)/,
    priceProvider: 'openai',
    apiKeyEnv: 'OPENAI_API_KEY',
    // OpenAI batch guide, and openai SDK 7.59.0 at `BatchCreateParams.input_file_id`: 50,000 requests.
    maxRequestsPerBatch: 50_000,
    // The same two places: "up to 200 MB". Neither says which megabyte, so the smaller is taken.
    maxBytesPerBatch: 200_000_000,
    // OpenAI batch guide: half the synchronous price, input and output alike.
    batchFactor: 0.5,
    // Nowhere is it said that a cached token costs half in a batch too.
    cacheStacks: false,
    // openai SDK 7.59.0, `completion_window`: only "24h" is supported.
    windowMs: 24 * HOUR,
    input: 'file',
    // OpenAI file reference, `expires_after.seconds`: one hour to 30 days. A week outlives the window, a
    // validation that lags, and the quarter of an hour in which a lost create is looked for.
    inputFileTtlMs: 7 * DAY,
    // openai SDK 7.59.0, `Batch.metadata`: comes back in every list.
    foundBy: 'tag',
    // Ours. No interval is documented; validation alone takes 20 s to 15 min, and polling is not billed.
    minPollMs: 30 * SECOND,
    // Ours. A create only stores a record; past a minute its answer is not coming.
    createTimeoutMs: MINUTE,
    // Ours. Read-after-write of the list is promised nowhere; another OpenAI-shaped service answered 404 for
    // up to ten seconds after a create.
    listGraceMs: 15 * MINUTE,
    // OpenAI batch guide: output files are deleted 30 days after the batch has completed.
    resultsKeptMs: 30 * DAY,
    resultsKeptFrom: 'end',
    // The batch endpoint takes more (openai SDK 7.59.0, `BatchCreateParams.endpoint`).
    endpoints: [
      // `ResponseCreateParams` has no seed; `ChatCompletionCreateParams` has.
      {
        ...WORDS,
        endpoint: '/v1/responses',
        outputs: ['json', 'text'],
        parameters: ['temperature', 'reasoning'],
      },
      {
        ...WORDS,
        endpoint: '/v1/chat/completions',
        outputs: ['json', 'text'],
        parameters: ['temperature', 'reasoning', 'seed'],
      },
      {
        // A batch takes 50,000 inputs over all its lines (`BatchCreateParams.endpoint`); our lines have one each, so
        // that the limit of lines is that of inputs.
        endpoint: '/v1/embeddings',
        outputs: ['embedding'],
        parameters: [],
        takesSystemPrompt: false,
        billed: 'input',
        // `EmbeddingCreateParams.input`: 8192 tokens for all embedding models.
        maxInputTokens: 8192,
      },
      {
        endpoint: '/v1/moderations',
        outputs: ['moderation'],
        parameters: [],
        takesSystemPrompt: false,
        // OpenAI moderation guide: free of charge. `@pydantic/genai-prices` 0.1.8 lists these models without a price.
        billed: 'nothing',
        maxInputTokens: null,
      },
    ],
  },
  anthropic: {
    kind: 'anthropic',
    title: 'Anthropic',
    // @anthropic-ai/sdk 1.14.0, `ClientOptions.baseURL`: without a version.
    baseUrl: 'https://api.anthropic.com',
    vendorUrl: /^https:\/\/api\.anthropic\.com(\/|$)/,
    priceProvider: 'anthropic',
    apiKeyEnv: 'ANTHROPIC_API_KEY',
    // Anthropic batch guide, "Batch limitations": 100,000 requests or 256 MB, whichever comes first.
    maxRequestsPerBatch: 100_000,
    // The same place. It does not say which megabyte, so the smaller is taken.
    maxBytesPerBatch: 256_000_000,
    // Anthropic batch guide, "Pricing": half the synchronous price, input and output alike.
    batchFactor: 0.5,
    // Anthropic batch guide, "Using prompt caching with Message Batches": the discounts can stack.
    cacheStacks: true,
    // @anthropic-ai/sdk 1.14.0, `MessageBatch.expires_at`: 24 hours after creation.
    windowMs: 24 * HOUR,
    input: 'inline',
    inputFileTtlMs: 0,
    // @anthropic-ai/sdk 1.14.0, `MessageBatch`: neither metadata nor name, and the requests cannot be read back.
    foundBy: 'wire_ids',
    // Anthropic batch guide, "Tracking your batch": its examples look once a minute.
    minPollMs: MINUTE,
    // The SDK's own limit. All requests travel in the create: 256 MB in ten minutes are 3.4 Mbit/s.
    createTimeoutMs: 10 * MINUTE,
    // Ours, as at OpenAI: nothing is promised about the list.
    listGraceMs: 15 * MINUTE,
    // Anthropic batch guide, "Results availability": 29 days after the batch's creation, not its end.
    resultsKeptMs: 29 * DAY,
    resultsKeptFrom: 'creation',
    endpoints: [
      {
        ...WORDS,
        endpoint: '/v1/messages',
        outputs: ['json', 'text'],
        // Under version 2026-10-21, which the SDK 1.14.0 sends, `MessageCreateParams` has no temperature; it has no
        // seed in any.
        parameters: ['reasoning'],
        // `OutputConfig.effort` begins at low; `ThinkingConfigDisabled` is none.
        reasoning: ['none', 'low', 'medium', 'high'],
      },
    ],
  },
  gemini: {
    kind: 'gemini',
    title: 'Gemini',
    // @google/genai 3.3.0, `ApiClient`; the version is the adapter's.
    baseUrl: 'https://generativelanguage.googleapis.com',
    vendorUrl: /^https:\/\/generativelanguage\.googleapis\.com(\/|$)/,
    priceProvider: 'google',
    // Of the two that the SDK reads, the one that names this service.
    apiKeyEnv: 'GEMINI_API_KEY',
    // Ours; no count is documented. A batch that expires gives no result at all, so that more would risk more.
    maxRequestsPerBatch: 50_000,
    // Gemini batch guide: an input file may have 2 GB. It does not say which gigabyte, so the smaller is taken.
    maxBytesPerBatch: 2_000_000_000,
    // Gemini batch guide: half the standard price. Cached tokens cost what they cost elsewhere.
    batchFactor: 0.5,
    cacheStacks: false,
    // Gemini batch guide: aims at 24 hours; what has not ended after 48 hours expires, without results.
    windowMs: 48 * HOUR,
    input: 'file',
    // Gemini files guide: files are deleted after 48 hours. The upload cannot ask for another time.
    inputFileTtlMs: 48 * HOUR,
    // @google/genai 3.3.0, `CreateBatchJobConfig.displayName`, which comes back in every list; and the input file's
    // name, which the upload chooses.
    foundBy: 'tag',
    // Ours. No interval is documented.
    minPollMs: 30 * SECOND,
    // Ours, as for OpenAI.
    createTimeoutMs: MINUTE,
    // Ours. Nothing is promised of the list.
    listGraceMs: 15 * MINUTE,
    // Gemini files guide, as for inputs; whether results live longer is written nowhere.
    resultsKeptMs: 48 * HOUR,
    resultsKeptFrom: 'end',
    endpoints: [
      // @google/genai 3.3.0, `GenerationConfig`: `temperature`, `thinkingConfig`, `seed`.
      {
        ...WORDS,
        endpoint: 'generateContent',
        outputs: ['json', 'text'],
        parameters: ['temperature', 'reasoning', 'seed'],
      },
      {
        // @google/genai 3.3.0, `asyncBatchEmbedContent`. How much one text may have is the model's; longer ones are cut
        // without a word.
        endpoint: 'embedContent',
        outputs: ['embedding'],
        parameters: [],
        takesSystemPrompt: false,
        billed: 'input',
        maxInputTokens: null,
      },
    ],
  },
};

/** Against the emulator nobody's quota is spent by looking, and a rehearsal should not wait. */
export function profileOf(kind: ProviderKind, emulator: boolean): Profile {
  const profile = PROFILES[kind];
  return emulator ? { ...profile, minPollMs: 100 } : profile;
}

/** A provider that nobody knows is told elsewhere; until then it is taken for the most common kind. */
export function kindOf(
  provider: string,
  settings: { readonly providers: Readonly<Record<string, { readonly kind: ProviderKind }>> },
): ProviderKind {
  const found = Object.hasOwn(settings.providers, provider) ? settings.providers[provider] : undefined;
  return found?.kind ?? 'openai';
}

/** What is known of a job's endpoint; null where its provider has none of that name: `validate` says so. */
export function endpointFacts(kind: ProviderKind, endpoint: Endpoint): EndpointFacts | null {
  return PROFILES[kind].endpoints.find((facts) => facts.endpoint === endpoint) ?? null;
}

/** The endpoint of a job that names none. A provider without one for this output gets its first: `validate` says so. */
export function defaultEndpoint(kind: ProviderKind, output: OutputSpec['kind']): Endpoint {
  const { endpoints } = PROFILES[kind];
  const fitting = endpoints.find(({ outputs }) => outputs.includes(output)) ?? endpoints[0];
  if (fitting === undefined) throw new RangeError(`${kind} has no endpoint`);
  return fitting.endpoint;
}
