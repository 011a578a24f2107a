import type { Json, JsonObject } from '../../ids.ts';
import { memberText } from '../batch/member-text.ts';
import type { LineWork } from '../batch/run-lines.ts';
import { servedModel } from './params.ts';
import { resultOf } from './result-line.ts';
import type { AnthropicBatch } from './types.ts';

/** What Anthropic does with each request of a batch; whatever is wrong with one, the others run. */
export function lineWork(
  batch: Pick<AnthropicBatch, 'id' | 'version'>,
  models: readonly string[] | null,
): LineWork {
  // The first request warms the cache for the rest, as far as anybody asks for it.
  let warm = false;
  return {
    check(text) {
      // The create has parsed each of these lines.
      const line = JSON.parse(text ?? '') as JsonObject;
      const body = line.params as JsonObject;
      return {
        kind: 'request',
        request: {
          customId: String(line.custom_id),
          body,
          bodyText: memberText(line, text ?? '', 'params'),
          model: modelOf(body.model),
        },
      };
    },
    run(request, bodyHash, fault) {
      const context = { batchId: batch.id, version: batch.version, models, warm };
      warm = true;
      return resultOf(request, bodyHash, context, fault);
    },
    servedModel,
  };
}

function modelOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
