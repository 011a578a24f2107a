import type { Json, JsonObject } from '../../ids.ts';
import { spoiledVector, vectorOf } from '../answer/vector.ts';
import { isArray, isObject, member } from '../json-value.ts';
import type { AnswerFault } from '../scenario.ts';
import { type Draw, drawFrom, startOf } from '../seed.ts';
import type { Endpoint } from './types.ts';

/** Endpoints that answer with numbers. */
export type WordlessEndpoint = Extract<Endpoint, '/v1/embeddings' | '/v1/moderations'>;

export function isWordless(endpoint: Endpoint): endpoint is WordlessEndpoint {
  return endpoint === '/v1/embeddings' || endpoint === '/v1/moderations';
}

/** The inputs of a body: one text, or a list of them. A list of numbers is one input in tokens. */
export function inputsOf(body: JsonObject): readonly Json[] {
  const { input } = body;
  if (isArray(input) && input.every((each) => typeof each !== 'number')) return input;
  return [input ?? null];
}

/** Why the request is answered with 400, or null. */
export function wordlessProblem(
  endpoint: WordlessEndpoint,
  body: JsonObject,
): { readonly message: string; readonly param: string } | null {
  if (inputsOf(body).some((input) => input === '' || input === null)) {
    return { message: "'$.input' is invalid. It cannot be an empty string.", param: 'input' };
  }
  const { dimensions } = body;
  if (endpoint !== '/v1/embeddings' || dimensions === undefined) return null;
  const most = mostDimensions(String(body.model));
  if (typeof dimensions === 'number' && Number.isInteger(dimensions) && dimensions > 0 && dimensions <= most)
    return null;
  return { message: `'dimensions' must be a whole number from 1 to ${most}.`, param: 'dimensions' };
}

/** What a response of these endpoints is made of. `id` is hex, 48 characters or more. */
export interface ServedNumbers {
  readonly id: string;
  readonly model: string;
  readonly inputTokens: number;
}

/** The JSON text of a response body: the same for the same request. `bodyHash` is hex, 8 characters or more. */
export function wordlessBody(
  endpoint: WordlessEndpoint,
  body: JsonObject,
  bodyHash: string,
  served: ServedNumbers,
  fault?: AnswerFault,
): string {
  const draw = drawFrom(startOf(bodyHash));
  const inputs = inputsOf(body);
  return endpoint === '/v1/embeddings'
    ? embeddingsBody(inputs, body, served, draw, fault)
    : moderationsBody(inputs, served, draw, fault);
}

function embeddingsBody(
  inputs: readonly Json[],
  body: JsonObject,
  { model, inputTokens }: ServedNumbers,
  draw: Draw,
  fault: AnswerFault | undefined,
): string {
  const length = typeof body.dimensions === 'number' ? body.dimensions : mostDimensions(String(body.model));
  const data = inputs.map((_, index) => ({
    object: 'embedding',
    index,
    embedding: spoiledVector(vectorOf(length, draw), fault),
  }));
  const usage = { prompt_tokens: inputTokens, total_tokens: inputTokens };
  return JSON.stringify({ object: 'list', data, model, usage });
}

/** OpenAI embeddings guide: the longest vector of each model. */
function mostDimensions(model: string): number {
  return model.startsWith('text-embedding-3-large') ? 3072 : 1536;
}

/** A few of the thirteen of `omni-moderation`: enough to see that a name may hold a slash. */
const CATEGORIES = ['harassment', 'hate', 'hate/threatening', 'illicit', 'self-harm', 'sexual', 'violence'];
/** One text in so many is flagged. */
const FLAGGED = 8;

function moderationsBody(
  inputs: readonly Json[],
  { id, model }: ServedNumbers,
  draw: Draw,
  fault: AnswerFault | undefined,
): string {
  const results = inputs.map((input) => {
    const flagged = draw.below(FLAGGED) === 0 ? CATEGORIES[draw.below(CATEGORIES.length)] : null;
    const scores = CATEGORIES.map((name) => [name, name === flagged ? 0.9 : draw.next() / 100] as const);
    const verdict = fault === 'breaks_schema' ? {} : { flagged: flagged !== null };
    return {
      ...verdict,
      categories: Object.fromEntries(CATEGORIES.map((name) => [name, name === flagged])),
      category_scores: Object.fromEntries(scores),
      category_applied_input_types: Object.fromEntries(CATEGORIES.map((name) => [name, [typeOf(input)]])),
    };
  });
  return JSON.stringify({
    id: `modr-${id.slice(0, 32)}`,
    model,
    results: fault === 'empty' || fault === 'invalid_json' ? [] : results,
  });
}

function typeOf(input: Json): string {
  return isObject(input) && member(input, 'type') === 'image_url' ? 'image' : 'text';
}
