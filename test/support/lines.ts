import type { Rule } from '../../runner/emulator/scenario.ts';
import type { Json } from '../../runner/ids.ts';
import type { Endpoint } from '../../runner/spec/job.ts';

/**
 * Lines of result files as providers and servers of their shape have written them, for the emulator's `text` fault.
 * The emulator puts the request's id in place of `{custom_id}`.
 */
export type LineText = string;

type Fields = Readonly<Record<string, unknown>>;

export function line(fields: Fields): LineText {
  return JSON.stringify({
    id: 'batch_req_1',
    custom_id: '{custom_id}',
    response: null,
    error: null,
    ...fields,
  });
}

/** A request that became an HTTP answer. */
export function answered(body: unknown, status: unknown = 200): LineText {
  return line({ response: { status_code: status, request_id: 'req_1', body } });
}

/** A request that never became one. */
export function unanswered(error: unknown): LineText {
  return line({ error });
}

/** An HTTP error with OpenAI's error object in its body. */
export function refusedWith(status: number, error: Fields = {}): LineText {
  return answered({ error: errorObject(error) }, status);
}

export function errorObject(error: Fields = {}): Fields {
  return { message: 'It went wrong.', type: 'invalid_request_error', param: null, code: null, ...error };
}

export const CHAT_USAGE = { prompt_tokens: 40, completion_tokens: 10, total_tokens: 50 };
export const RESPONSES_USAGE = { input_tokens: 40, output_tokens: 10, total_tokens: 50 };

/** A chat completion whose first choice says this. */
export function chat(message: Fields, choice: Fields = {}, more: Fields = {}): Fields {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'gpt-5.4-mini-2026-03-17',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, ...message },
        finish_reason: 'stop',
        ...choice,
      },
    ],
    usage: CHAT_USAGE,
    ...more,
  };
}

/** A response with these output items. */
export function response(output: readonly unknown[], more: Fields = {}): Fields {
  return {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'gpt-5.4-mini-2026-03-17',
    output,
    usage: RESPONSES_USAGE,
    ...more,
  };
}

export function message(content: readonly unknown[], more: Fields = {}): Fields {
  return { type: 'message', role: 'assistant', status: 'completed', content, ...more };
}

export function text(said: string): Fields {
  return { type: 'output_text', annotations: [], text: said };
}

/** The body of a finished answer that says exactly this. */
export function saying(endpoint: Endpoint, said: string): Fields {
  return endpoint === '/v1/responses' ? response([message([text(said)])]) : chat({ content: said });
}

/** The answer that the schema of `repository` takes. */
export const VALID: Json = { label: 'wheel', sure: true };
export const VALID_TEXT = JSON.stringify(VALID);

/** Puts each text in the place of one line of the first batch, in their order. */
export function lineRules(
  texts: readonly { readonly text: string; readonly file?: 'output' | 'error' }[],
): Rule[] {
  return texts.map(({ text: said, file = 'output' }, at) => ({
    on: 'line',
    batch: 1,
    line: at + 1,
    do: { text: said, file },
  }));
}
