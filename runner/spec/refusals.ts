import type { Note } from './source-text.ts';

const FILES = 'Write a parquet, jsonl or csv file and load it from there.';

/**
 * Fields and values that other tools have, that the design names or that were left out on purpose: each with the
 * reason and with what to use. Keys are `<field>` or `<field>=<value>`, list indexes left out.
 */
export const REFUSALS: Readonly<Record<string, Pick<Note, 'message' | 'hint'>>> = {
  'sla.class=interactive': {
    message: 'Batch APIs answer in hours, so no job can be `interactive`.',
    hint: "Call the provider's synchronous API where a person waits; a job here is `offline`.",
  },
  'sla.class=nearline': {
    message: '`nearline` (answers within minutes to an hour) has no batch API behind it yet.',
    hint: 'Write `offline` with the deadline you need; many batches are back within hours.',
  },
  'model.max_tokens': {
    message: 'The token cap is not a field of `model`.',
    hint: 'Write it as `output.max_tokens`.',
  },
  'model.max_output_tokens': {
    message: 'The token cap is not a field of `model`.',
    hint: 'Write it as `output.max_tokens`.',
  },
  'sinks.kind=duckdb': { message: 'The sink `duckdb` is not built yet.', hint: FILES },
  'sinks.kind=postgres': { message: 'The sink `postgres` is not built yet.', hint: FILES },
  'sinks.kind=json': { message: 'There is no sink `json`.', hint: 'Write `jsonl`: one answer a line.' },
  'store.kind=s3': { message: 'The store `s3` is not built yet.', hint: 'Write `local` or `git-ref`.' },
  'providers.*.api_key': {
    message: 'Keys never stand in a file.',
    hint: 'Put the key into an environment variable and write its name: `api_key_env: OPENAI_API_KEY`.',
  },
};
