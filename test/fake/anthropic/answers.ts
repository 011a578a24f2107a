import type { Json } from '../json.ts';
import type { RowError, Run, Stop, ToldUsage } from '../model.ts';

/** An error body with the type that belongs to a status. */
export function writeErrorBody(type: string, message: string, requestId: string): Json {
  return { type: 'error', error: { type, message }, request_id: requestId };
}

/** The message of a run; undefined where the run is an error. */
export function writeMessage(run: Run): Json | undefined {
  if (run.outcome.is === 'error') return undefined;
  const { texts, stop, told } = run.outcome;
  return {
    id: `msg_${run.responseId}`,
    type: 'message',
    role: 'assistant',
    model: run.row.model,
    content: texts.map((text) => ({ type: 'text', text, citations: null })),
    container: null,
    diagnostics: null,
    stop_reason: nameStop(stop),
    stop_sequence: null,
    stop_details: stop === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null,
    ...(told === null ? {} : { usage: writeUsage(told) }),
  };
}

/** Status and type of an error of a row, with its message. */
export function nameError(error: RowError, model: string): { status: number; type: string; message: string } {
  switch (error) {
    case 'capacity':
      return { status: 429, type: 'rate_limit_error', message: 'This request would exceed the rate limit.' };
    case 'server':
      return { status: 500, type: 'api_error', message: 'Internal server error.' };
    case 'invalid':
      return { status: 400, type: 'invalid_request_error', message: 'messages: a bad value.' };
    case 'model':
      return { status: 404, type: 'not_found_error', message: `model: ${model}` };
    case 'money':
      return { status: 402, type: 'billing_error', message: 'The credit balance is too low.' };
    default:
      return error satisfies never;
  }
}

function nameStop(stop: Stop): string {
  switch (stop) {
    case 'end':
      return 'end_turn';
    case 'length':
      return 'max_tokens';
    case 'refusal':
      return 'refusal';
    case 'context':
      return 'model_context_window_exceeded';
    case 'unknown':
      return 'grew_tired';
    default:
      return stop satisfies never;
  }
}

/** Input is told without what came from the cache. */
function writeUsage({ input, output, cached, reasoning }: ToldUsage): Json {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens_details: { thinking_tokens: reasoning },
    inference_geo: null,
    server_tool_use: null,
    service_tier: 'batch',
    speed: null,
  };
}
