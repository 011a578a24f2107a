import type { JsonObject } from '../ids.ts';
import type { ProviderKind } from './profiles.ts';
import { isObject } from './schema-walk.ts';

const PROMPT = 'The prompt stands in `prompt`.';
const CAP = 'Write `output.max_tokens`.';
const SCHEMA = 'Write `output.schema`.';
const DIMENSIONS = 'Write `output.embedding.dimensions`.';
const ONE_ANSWER = 'One answer a row; several would break the cost ceiling.';

/**
 * Fields of a request body that the job decides elsewhere, by their path: in `model.raw` they would change what is
 * asked, how often it is answered or what it may cost, behind the back of estimate, canary and checks.
 */
const RESERVED: Readonly<Record<ProviderKind, Readonly<Record<string, string>>>> = {
  openai: {
    model: 'Name the model in `model.name`.',
    input: PROMPT,
    messages: PROMPT,
    instructions: 'The system prompt stands in `prompt`.',
    stream: 'A batch cannot stream.',
    background: 'A batch runs in the background as it is.',
    n: ONE_ANSWER,
    max_tokens: CAP,
    max_output_tokens: CAP,
    max_completion_tokens: CAP,
    response_format: SCHEMA,
    'text.format': SCHEMA,
    dimensions: DIMENSIONS,
    encoding_format: 'Embeddings travel as numbers.',
  },
  gemini: {
    model: 'Name the model in `model.name`.',
    contents: PROMPT,
    systemInstruction: 'The system prompt stands in `prompt`.',
    system_instruction: 'The system prompt stands in `prompt`.',
    'generationConfig.maxOutputTokens': CAP,
    'generationConfig.candidateCount': ONE_ANSWER,
    'generationConfig.responseMimeType': SCHEMA,
    'generationConfig.responseSchema': SCHEMA,
    'generationConfig.responseJsonSchema': SCHEMA,
    'generationConfig.responseFormat': SCHEMA,
    // Protocol buffers take both spellings, and fail where both are there.
    generation_config: 'Write `generationConfig`.',
    content: PROMPT,
    outputDimensionality: DIMENSIONS,
    output_dimensionality: DIMENSIONS,
  },
  anthropic: {
    model: 'Name the model in `model.name`.',
    messages: PROMPT,
    system: 'The system prompt stands in `prompt`.',
    stream: 'A batch cannot stream.',
    max_tokens: CAP,
    'output_config.format': SCHEMA,
    output_format: SCHEMA,
  },
};

/** Fields that would be refused in every request, hours later. */
const NOT_TAKEN: Readonly<Partial<Record<ProviderKind, Readonly<Record<string, string>>>>> = {
  // Version 2026-10-21 of the API; the batch guide, "Batch limitations".
  anthropic: {
    temperature: 'This version of the API has none. Leave it out.',
    top_p: 'This version of the API has none. Leave it out.',
    top_k: 'This version of the API has none. Leave it out.',
    speed: 'A batch has one speed. Leave it out.',
  },
};

export interface ReservedField {
  readonly path: readonly string[];
  readonly hint: string;
}

/** The fields of `raw` that are the job's to decide. Pure. */
export function reservedFields(kind: ProviderKind, raw: JsonObject): ReservedField[] {
  return setOf(RESERVED[kind], raw);
}

/** The fields of `raw` that the provider does not take. Pure. */
export function fieldsNotTaken(kind: ProviderKind, raw: JsonObject): ReservedField[] {
  return setOf(NOT_TAKEN[kind] ?? {}, raw);
}

function setOf(fields: Readonly<Record<string, string>>, raw: JsonObject): ReservedField[] {
  return Object.entries(fields)
    .map(([path, hint]) => ({ path: path.split('.'), hint }))
    .filter(({ path }) => isSet(raw, path));
}

function isSet(raw: JsonObject, [name = '', ...inner]: readonly string[]): boolean {
  if (!Object.hasOwn(raw, name)) return false;
  const value = raw[name];
  return inner.length === 0 || (isObject(value) && isSet(value, inner));
}
