import type { JsonObject } from '../../ids.ts';
import type { AskForm } from '../asks.ts';
import type { World } from '../face.ts';
import { json } from '../http.ts';
import { member } from '../json-value.ts';
import { lineWork } from './line-work.ts';
import { refusal } from './replies.ts';
import type { Endpoint } from './types.ts';

/** `POST` of a request body to one of the endpoints that batches have too. @param body as it came */
export function askForm(world: World, endpoint: Endpoint, body: string): AskForm {
  return {
    work: (id) => {
      const created = {
        createdAt: world.clock.now(),
        phases: { ...world.scenario().phases, validating_ms: 0 },
      };
      return lineWork({ id, endpoint, ...created }, world.scenario().limits.models);
    },
    line: (id) => `{"custom_id":"${id}","method":"POST","url":"${endpoint}","body":${body}}`,
    shown: (line, status) => json(status, member((line as JsonObject).response, 'body') ?? {}),
    wrong: ({ code, message, param }) =>
      refusal(code === 'model_not_found' ? 404 : 400, {
        message,
        param: param?.replace(/^body\./, '') ?? null,
        code,
      }),
  };
}
