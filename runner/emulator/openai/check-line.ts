import type { Json, JsonObject } from '../../ids.ts';
import { memberText } from '../batch/member-text.ts';
import type { BatchError } from '../batch/row.ts';
import type { Checked, LineWork, RequestLine } from '../batch/run-lines.ts';
import { isObject } from '../json-value.ts';
import { missingIn } from './question.ts';
import type { Endpoint } from './types.ts';
import { inputsOf } from './wordless.ts';

/** openai SDK 7.59.0, `BatchCreateParams.endpoint`: over all lines of a batch of embeddings. */
const MOST_INPUTS = 50_000;

/**
 * Validates the lines of one input file in order; one bad line fails the whole batch. Codes are those that were seen
 * at OpenAI or that Azure documents for the same API.
 * @param models those that exist; null for any.
 */
export function createLineChecker(
  endpoint: Endpoint,
  models: readonly string[] | null,
): Pick<LineWork, 'check'> {
  const seen = new Set<string>();
  let firstModel: string | null = null;
  let inputs = 0;

  function problemOf(line: JsonObject): Omit<BatchError, 'line'> | null {
    const { custom_id: id, method, url, body } = line;
    if (typeof id !== 'string' || id === '') return missing('custom_id');
    if (seen.has(id))
      return because('duplicate_custom_id', `The custom_id '${id}' is used more than once.`, 'custom_id');
    seen.add(id);
    if (method !== 'POST')
      return because('invalid_method', "The method of a request must be 'POST'.", 'method');
    if (url !== endpoint) {
      return because('url_mismatch', `The url must be the batch's endpoint, '${endpoint}'.`, 'url');
    }
    if (!isObject(body)) return missing('body');
    const forgotten = missingIn(endpoint, body);
    if (forgotten !== null) return missing(`body.${forgotten}`);
    return modelProblem(String(body.model)) ?? inputsProblem(body);
  }

  function inputsProblem(body: JsonObject): Omit<BatchError, 'line'> | null {
    if (endpoint !== '/v1/embeddings') return null;
    inputs += inputsOf(body).length;
    if (inputs <= MOST_INPUTS) return null;
    const message = `The batch has more than ${MOST_INPUTS} embedding inputs over all its requests.`;
    return because('too_many_tasks', message, 'body.input');
  }

  function modelProblem(model: string): Omit<BatchError, 'line'> | null {
    firstModel ??= model;
    if (model !== firstModel) {
      const message = `All requests of a batch must have one model: '${firstModel}' came first, here is '${model}'.`;
      return because('mismatched_model', message, 'body.model');
    }
    if (models === null || models.includes(model)) return null;
    return because(
      'model_not_found',
      `The model '${model}' does not exist or you do not have access to it.`,
      'body.model',
    );
  }

  return {
    check(text, line) {
      const parsed = parsedLine(text);
      if (parsed === null) return failed(unreadable, line);
      const found = problemOf(parsed);
      return found === null
        ? { kind: 'request', request: requestOf(parsed, text ?? '') }
        : failed(found, line);
    },
  };
}

const unreadable = {
  code: 'invalid_json_line',
  message: 'This line is not parseable as valid JSON.',
  param: null,
} satisfies Omit<BatchError, 'line'>;

function parsedLine(text: string | null): JsonObject | null {
  if (text === null) return null;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function requestOf(line: JsonObject, text: string): RequestLine {
  const body = line.body as JsonObject;
  return {
    customId: String(line.custom_id),
    body,
    bodyText: memberText(line, text, 'body'),
    model: String(body.model),
  };
}

function missing(param: string): Omit<BatchError, 'line'> {
  return because('missing_required_parameter', `Missing required parameter: '${param}'.`, param);
}

function because(code: string, message: string, param: string): Omit<BatchError, 'line'> {
  return { code, message, param };
}

function failed(error: Omit<BatchError, 'line'>, line: number): Checked {
  return { kind: 'error', error: { ...error, line } };
}
