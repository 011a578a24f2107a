import { type EndpointFacts, PROFILES, PROVIDER_KINDS, type Profile } from '../spec/profiles.ts';
import { subsetOf } from '../spec/schema-subset.ts';
import { count, duration } from './text.ts';

/** What each kind of provider allows, in words: one row a fact, one cell a provider. Made from `PROFILES` alone. */
export interface ProvidersView {
  readonly titles: readonly string[];
  readonly facts: readonly { readonly name: string; readonly cells: readonly string[] }[];
  readonly endpoints: readonly EndpointView[];
}

export interface EndpointView {
  readonly provider: string;
  readonly endpoint: string;
  readonly outputs: string;
  readonly parameters: string;
  readonly systemPrompt: string;
  readonly billed: string;
}

export function providersView(): ProvidersView {
  const profiles = PROVIDER_KINDS.map((kind) => PROFILES[kind]);
  return {
    titles: profiles.map(({ title }) => title),
    facts: FACTS.map(([name, of]) => ({ name, cells: profiles.map(of) })),
    endpoints: profiles.flatMap((profile) =>
      profile.endpoints.map((facts) => endpointView(profile.title, facts)),
    ),
  };
}

const FACTS: readonly (readonly [name: string, of: (profile: Profile) => string])[] = [
  ['kind', ({ kind }) => kind],
  ['address', ({ baseUrl }) => baseUrl],
  ['variable of the key', ({ apiKeyEnv }) => apiKeyEnv],
  ['requests in a batch', ({ maxRequestsPerBatch }) => `at most ${count(maxRequestsPerBatch)}`],
  ['bytes of a batch', ({ maxBytesPerBatch }) => `at most ${megabytes(maxBytesPerBatch)}`],
  ['how requests travel', ({ input }) => (input === 'file' ? 'in a file' : 'in the create itself')],
  ['input file is kept', ({ input, inputFileTtlMs }) => (input === 'file' ? duration(inputFileTtlMs) : '–')],
  ['a batch ends within', ({ windowMs }) => duration(windowMs)],
  ['a look, at most every', ({ minPollMs }) => duration(minPollMs)],
  ['results can be fetched', resultsKept],
  ['a lost batch is found by', foundBy],
  ['price', price],
  ['a schema outside its subset', ({ kind }) => subsetOf(kind).outside],
];

function megabytes(bytes: number): string {
  return `${count(bytes / 1_000_000)} MB`;
}

function resultsKept({ resultsKeptMs, resultsKeptFrom }: Profile): string {
  const from = resultsKeptFrom === 'end' ? 'the end' : 'the creation';
  return `${duration(resultsKeptMs)} from ${from} of the batch`;
}

function foundBy({ foundBy: how }: Profile): string {
  return how === 'tag' ? 'the tag in the list of batches' : 'the ids in its results alone';
}

function price({ batchFactor, cacheStacks }: Profile): string {
  const cache = cacheStacks ? '; the discount for cached input multiplies' : '';
  return `${count(batchFactor * 100)} % of the synchronous price${cache}`;
}

function endpointView(provider: string, facts: EndpointFacts): EndpointView {
  return {
    provider,
    endpoint: facts.endpoint,
    outputs: facts.outputs.join(', '),
    parameters: facts.parameters.map((name) => parameterText(name, facts)).join(', ') || 'none',
    systemPrompt: facts.takesSystemPrompt ? 'yes' : 'no',
    billed: facts.billed,
  };
}

function parameterText(name: EndpointFacts['parameters'][number], { reasoning }: EndpointFacts): string {
  return name === 'reasoning' && reasoning !== undefined ? `reasoning (${reasoning.join(', ')})` : name;
}
