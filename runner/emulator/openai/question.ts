import type { Json, JsonObject } from '../../ids.ts';
import type { Question } from '../answers.ts';
import { isArray, isObject, member } from '../json-value.ts';
import type { Endpoint } from './types.ts';

/** What a request body asks. Only the parts that matter to an answer are looked at. */
export function questionOf(endpoint: Endpoint, body: JsonObject): Question {
  const isChat = endpoint === '/v1/chat/completions';
  return {
    model: typeof body.model === 'string' ? body.model : '',
    text: isChat ? lastUserText(body.messages) : inputText(body.input),
    schema: schemaOf(formatOf(endpoint, body)),
    maxTokens: capOf(isChat ? [body.max_completion_tokens, body.max_tokens] : [body.max_output_tokens]),
  };
}

/** The parameter that a body of this endpoint cannot be without, or null where all are there. */
export function missingIn(endpoint: Endpoint, body: JsonObject): string | null {
  if (typeof body.model !== 'string' || body.model === '') return 'model';
  if (endpoint !== '/v1/chat/completions') return body.input === undefined ? 'input' : null;
  return Array.isArray(body.messages) && body.messages.length > 0 ? null : 'messages';
}

/**
 * The dated snapshot that serves a model's alias, as in `gpt-5.4-mini-2026-03-17`. Embedding models have none.
 */
export function servedModel(model: string): string {
  if (model.startsWith('text-embedding-')) return model;
  return /-\d{4}-\d{2}-\d{2}$/.test(model) ? model : `${model}-2026-03-17`;
}

/**
 * The wanted form of the answer, `{type, name, strict, schema}`: the two endpoints write the same thing at different
 * depths.
 */
export function formatOf(endpoint: Endpoint, body: JsonObject): JsonObject | null {
  if (endpoint === '/v1/responses') return objectOrNull(member(body.text, 'format'));
  const format = objectOrNull(body.response_format);
  return format === null ? null : { ...format, ...objectOrNull(format.json_schema) };
}

function schemaOf(format: JsonObject | null): JsonObject | null {
  if (format?.type === 'json_object') return ANY_OBJECT;
  return format?.type === 'json_schema' ? objectOrNull(format.schema) : null;
}

const ANY_OBJECT: JsonObject = { type: 'object', properties: { answer: {} }, required: ['answer'] };

function objectOrNull(value: Json | undefined): JsonObject | null {
  return isObject(value) ? value : null;
}

function capOf(values: readonly (Json | undefined)[]): number | null {
  return values.find((value) => typeof value === 'number') ?? null;
}

function lastUserText(messages: Json | undefined): string {
  if (!isArray(messages)) return '';
  const last = messages.findLast((message) => member(message, 'role') === 'user');
  return textOfContent(member(last, 'content'));
}

function inputText(input: Json | undefined): string {
  return typeof input === 'string' ? input : lastUserText(input);
}

function textOfContent(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!isArray(content)) return '';
  return content
    .map((part) => member(part, 'text'))
    .filter((text) => typeof text === 'string')
    .join('\n');
}
