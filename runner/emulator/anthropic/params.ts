import type { Json, JsonObject } from '../../ids.ts';
import type { Question } from '../answers.ts';
import { isArray, isObject, member } from '../json-value.ts';

/** What a request's `params` ask. Only the parts that matter to an answer are looked at. */
export function questionOf(params: JsonObject): Question {
  const schema = member(member(params.output_config, 'format'), 'schema');
  return {
    model: typeof params.model === 'string' ? params.model : '',
    text: lastUserText(params.messages),
    schema: isObject(schema) ? schema : null,
    maxTokens: typeof params.max_tokens === 'number' ? params.max_tokens : null,
  };
}

/** The dated snapshot that serves a model's alias, as in `claude-haiku-4-5-20251001`. */
export function servedModel(model: string): string {
  return /-\d{8}$/.test(model) ? model : `${model}-20251001`;
}

export function thinks(params: JsonObject): boolean {
  const type = member(params.thinking, 'type');
  return type === 'enabled' || type === 'adaptive';
}

/** Parameters that this version of the API does not have any more. */
const GONE: Readonly<Record<string, readonly string[]>> = { '2026-10-21': ['temperature', 'top_p', 'top_k'] };

/** Why a request is refused when its turn comes, or null where it is not. */
export function problemOf(params: JsonObject, version: string): string | null {
  const { model, max_tokens, messages } = params;
  if (typeof model !== 'string' || model === '') return 'model: a name is needed';
  if (typeof max_tokens !== 'number' || max_tokens < 1) return 'max_tokens: at least 1 is needed in a batch';
  if (!isArray(messages) || messages.length === 0) return 'messages: at least one is needed';
  const gone = (GONE[version] ?? []).find((name) => params[name] !== undefined);
  if (gone !== undefined) return `${gone}: not a parameter of version ${version}`;
  const barred = ['stream', 'speed'].find((name) => params[name] !== undefined && params[name] !== false);
  if (barred !== undefined) return `${barred}: not taken in a batch`;
  return schemaProblem(member(member(params.output_config, 'format'), 'schema'), 'schema');
}

/** Keywords that a few users in every issue tracker meet with a 400. */
const NOT_TAKEN = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'maxItems', 'oneOf', 'not'];

function schemaProblem(schema: Json | undefined, path: string): string | null {
  if (isArray(schema)) return firstProblem(Object.entries(schema), path);
  if (!isObject(schema)) return null;
  if (schema.type === 'object' && schema.additionalProperties !== false)
    return `output_config.format.${path}: 'additionalProperties' must be false`;
  const keyword = NOT_TAKEN.find((name) => schema[name] !== undefined);
  if (keyword !== undefined) return `output_config.format.${path}: '${keyword}' is not supported`;
  const groups = ['properties', '$defs'].flatMap((name) => Object.entries(schema[name] ?? {}));
  const inner = ['items', 'anyOf', 'allOf'].map((name) => [name, schema[name]] as const);
  return firstProblem([...groups, ...inner], path);
}

function firstProblem(
  schemas: readonly (readonly [string, Json | undefined])[],
  path: string,
): string | null {
  for (const [name, schema] of schemas) {
    const found = schemaProblem(schema, `${path}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

function lastUserText(messages: Json | undefined): string {
  if (!isArray(messages)) return '';
  const content = member(
    messages.findLast((message) => member(message, 'role') === 'user'),
    'content',
  );
  if (typeof content === 'string') return content;
  const texts = isArray(content) ? content.map((block) => member(block, 'text')) : [];
  return texts.filter((text) => typeof text === 'string').join('\n');
}
