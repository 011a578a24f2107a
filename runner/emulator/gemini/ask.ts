import type { JsonObject } from '../../ids.ts';
import type { AskForm } from '../asks.ts';
import { json } from '../http.ts';
import { isObject } from '../json-value.ts';
import { lineWork } from './line-work.ts';
import { refusal } from './replies.ts';
import type { Endpoint } from './types.ts';

/** `POST models/{model}:generateContent` or `:embedContent`. @param body as it came */
export function askForm(model: string, endpoint: Endpoint, body: string): AskForm {
  return {
    work: (id) => lineWork({ id, endpoint, model }),
    line: (id) => `{"key":"${id}","request":${body}}`,
    shown: ({ response, error }: JsonObject, status) =>
      isObject(error) ? json(status, { error }) : json(200, response ?? {}),
    wrong: ({ message }) => refusal('INVALID_ARGUMENT', message),
  };
}
