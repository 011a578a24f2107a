import type { JsonObject } from '../../ids.ts';
import type { AskForm } from '../asks.ts';
import type { World } from '../face.ts';
import { json } from '../http.ts';
import { isObject, member } from '../json-value.ts';
import { lineWork } from './line-work.ts';
import { refusal } from './replies.ts';

/** `POST /v1/messages`. @param body as it came, an object @param version of the API that is asked */
export function askForm(world: World, version: string, body: string): AskForm {
  return {
    work: (id) => lineWork({ id, version }, world.scenario().limits.models),
    line: (id) => `{"custom_id":"${id}","params":${body}}`,
    shown({ result }: JsonObject, status) {
      const error = member(result, 'error');
      return isObject(error)
        ? json(status === 0 ? 400 : status, error)
        : json(200, member(result, 'message'));
    },
    wrong: ({ message }) => refusal(400, { message }),
  };
}
