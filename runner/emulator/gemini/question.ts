import type { Json, JsonObject } from '../../ids.ts';
import type { Question } from '../answers.ts';
import { isArray, isObject, member } from '../json-value.ts';
import type { Endpoint } from './types.ts';

/** What a `GenerateContentRequest` asks. Only the parts that matter to an answer are looked at. */
export function questionOf(model: string, body: JsonObject): Question {
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  return {
    model,
    text: lastUserText(body.contents),
    schema: schemaOf(config),
    maxTokens: typeof config.maxOutputTokens === 'number' ? config.maxOutputTokens : null,
  };
}

/** What a request cannot do without or must not have; null where all is well. */
export function problemOf(endpoint: Endpoint, model: string, body: JsonObject): string | null {
  const wanted = body.model === undefined || body.model === `models/${model}`;
  if (!wanted) return `The request is for ${JSON.stringify(body.model)}, and its batch for models/${model}.`;
  return endpoint === 'embedContent' ? embedProblem(body) : generateProblem(body);
}

function embedProblem({ content, outputDimensionality: length = 1 }: JsonObject): string | null {
  if (textIn(content) === '') return '* EmbedContentRequest.content: contents is not specified';
  const isLength = typeof length === 'number' && Number.isInteger(length) && length > 0;
  return isLength ? null : 'output_dimensionality must be a whole number from 1.';
}

function generateProblem(body: JsonObject): string | null {
  if (!isArray(body.contents) || body.contents.length === 0)
    return '* GenerateContentRequest.contents: contents is not specified';
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  const hasSchema = config.responseSchema !== undefined || config.responseJsonSchema !== undefined;
  return hasSchema && config.responseMimeType !== 'application/json'
    ? 'A response schema needs the response mime type application/json.'
    : null;
}

/** The version that serves a model's alias, as in `gemini-2.5-flash-001`. */
export function servedModel(model: string): string {
  return /-\d{3}$/.test(model) ? model : `${model}-001`;
}

/** Tokens that the model thinks: some where thinking is asked for, none where it is switched off or not spoken of. */
export function thoughtsOf(body: JsonObject): number {
  const config = member(body.generationConfig, 'thinkingConfig');
  return isObject(config) && config.thinkingBudget !== 0 ? 16 : 0;
}

function schemaOf(config: JsonObject): JsonObject | null {
  if (config.responseMimeType !== 'application/json') return null;
  const { responseJsonSchema, responseSchema } = config;
  if (isObject(responseJsonSchema)) return responseJsonSchema;
  return isObject(responseSchema)
    ? asJsonSchema(responseSchema)
    : { type: 'object', properties: { answer: {} }, required: ['answer'] };
}

/** Gemini's own `Schema`: types in capitals, `nullable`, and a format for lists of texts. */
function asJsonSchema({ type, nullable, format: _format, ...rest }: JsonObject): JsonObject {
  const own = typeof type === 'string' ? type.toLowerCase() : null;
  const types = nullable === true && own !== null ? [own, 'null'] : own;
  const inner = Object.entries(rest).map(([keyword, value]): [string, Json] => {
    if (keyword === 'items' && isObject(value)) return [keyword, asJsonSchema(value)];
    if (keyword === 'anyOf' && isArray(value)) return [keyword, value.filter(isObject).map(asJsonSchema)];
    return [keyword, keyword === 'properties' && isObject(value) ? propertiesOf(value) : value];
  });
  return { ...(types === null ? {} : { type: types }), ...Object.fromEntries(inner) };
}

function propertiesOf(properties: JsonObject): JsonObject {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isObject(value) ? asJsonSchema(value) : value]),
  );
}

function lastUserText(contents: Json | undefined): string {
  if (!isArray(contents)) return '';
  const last = contents.findLast((content) => member(content, 'role') !== 'model');
  return textIn(last);
}

function textIn(content: Json | undefined): string {
  const parts = member(content, 'parts');
  return isArray(parts)
    ? parts
        .map((part) => member(part, 'text'))
        .filter((text) => typeof text === 'string')
        .join('\n')
    : '';
}
