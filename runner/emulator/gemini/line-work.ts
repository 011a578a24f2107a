import type { Json, JsonObject } from '../../ids.ts';
import { memberText } from '../batch/member-text.ts';
import type { BatchError } from '../batch/row.ts';
import type { Checked, LineWork } from '../batch/run-lines.ts';
import { isObject } from '../json-value.ts';
import { servedModel } from './question.ts';
import { resultOf } from './result-line.ts';
import type { GeminiBatch } from './types.ts';

/**
 * What Gemini does with each line of a batch's input file. A request that is wrong is its own line's error; what the
 * whole does with a line that is no JSON, or has no key, is written nowhere: here it fails.
 */
export function lineWork(batch: Pick<GeminiBatch, 'id' | 'endpoint' | 'model'>): LineWork {
  return {
    check(text, line) {
      const parsed = parsedLine(text);
      if (parsed === null) return failed(`Line ${line} of the input file is not valid JSON.`, line);
      const { key, request } = parsed;
      if (typeof key !== 'string') return failed(`Line ${line} of the input file has no key.`, line);
      const body = isObject(request) ? request : {};
      const bodyText = memberText(parsed, text ?? '', 'request');
      return { kind: 'request', request: { customId: key, body, bodyText, model: batch.model } };
    },
    run: (request, bodyHash, fault) => resultOf(batch, request, bodyHash, fault),
    servedModel,
  };
}

function parsedLine(text: string | null): JsonObject | null {
  if (text === null) return null;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function failed(message: string, line: number): Checked {
  const error: BatchError = { code: 'INVALID_ARGUMENT', message, param: null, line };
  return { kind: 'error', error };
}
