import type { JsonObject } from '../ids.ts';
import { PROFILES, PROVIDER_KINDS, type Profile } from '../spec/profiles.ts';
import { columns } from './columns.ts';
import { code, joined, md, words } from './escape.ts';
import { type EndpointView, type ProvidersView, providersView } from './providers-view.ts';
import { left, table } from './table.ts';

/** The matrix for a terminal: aligned columns, the facts first. */
export function providersTerminal(): string {
  const { titles, facts, endpoints } = providersView();
  const rows = [['', ...titles], ...facts.map(({ name, cells }) => [name, ...cells])];
  const ends = [ENDPOINT_HEADS, ...endpoints.map(endpointCells)];
  return `${columns(rows).join('\n')}\n\n${columns(ends).join('\n')}\n`;
}

/** The same as two tables, for `docs/providers/README.md`. */
export function providersMarkdown(): string {
  const { titles, facts, endpoints }: ProvidersView = providersView();
  const matrix = table(
    [left``, ...titles.map((title) => left`${words(title)}`)],
    facts.map(({ name, cells }) => [words(name), ...cells.map((cell) => words(cell))]),
  );
  const ends = table(
    ENDPOINT_HEADS.map((head) => left`${words(head)}`),
    endpoints.map((view) => {
      const [provider = '', endpoint = '', ...rest] = endpointCells(view);
      return [words(provider), code(endpoint), ...rest.map((cell) => words(cell))];
    }),
  );
  return `${joined([matrix, md`## Endpoints`, ends], '\n\n')}\n`;
}

const ENDPOINT_HEADS = ['provider', 'endpoint', 'outputs', 'parameters', 'system prompt', 'billed'];

function endpointCells(view: EndpointView): string[] {
  return [view.provider, view.endpoint, view.outputs, view.parameters, view.systemPrompt, view.billed];
}

/** What `providers --json` prints: `schemas/batchwright/providers.schema.json`. Times in seconds. */
export function providersJson(): JsonObject {
  return {
    format: 'batchwright/providers/v1',
    providers: PROVIDER_KINDS.map((kind) => profileJson(PROFILES[kind])),
  };
}

function profileJson(profile: Profile): JsonObject {
  return {
    kind: profile.kind,
    title: profile.title,
    base_url: profile.baseUrl,
    api_key_env: profile.apiKeyEnv,
    max_requests_per_batch: profile.maxRequestsPerBatch,
    max_bytes_per_batch: profile.maxBytesPerBatch,
    batch_factor: profile.batchFactor,
    cache_stacks: profile.cacheStacks,
    window_s: profile.windowMs / 1000,
    input: profile.input,
    input_file_kept_s: profile.input === 'file' ? profile.inputFileTtlMs / 1000 : null,
    found_by: profile.foundBy,
    min_poll_s: profile.minPollMs / 1000,
    create_timeout_s: profile.createTimeoutMs / 1000,
    list_grace_s: profile.listGraceMs / 1000,
    results_kept_s: profile.resultsKeptMs / 1000,
    results_kept_from: profile.resultsKeptFrom,
    endpoints: profile.endpoints.map((facts) => ({
      endpoint: facts.endpoint,
      outputs: [...facts.outputs],
      parameters: [...facts.parameters],
      reasoning: facts.parameters.includes('reasoning') ? [...(facts.reasoning ?? REASONING)] : [],
      system_prompt: facts.takesSystemPrompt,
      billed: facts.billed,
      max_input_tokens: facts.maxInputTokens,
    })),
  };
}

/** Every word that a job may write. */
const REASONING = ['none', 'minimal', 'low', 'medium', 'high'];
