import { createHash } from 'node:crypto';
import { toSeconds } from '../clock.ts';
import { dig, type Json, listOf } from '../json.ts';
import type { Outcome, RowError, Run, Stop, ToldUsage, Twist } from '../model.ts';

type Answered = Omit<Extract<Outcome, { is: 'answer' }>, 'is'>;

/** Status and body of an answer, as the synchronous API gives them and a result line holds them. */
export function writeAnswer(run: Run): { status: number; body: Json } {
  const { outcome } = run;
  if (outcome.is === 'error') return writeRefusal(outcome.error, run.row.model);
  switch (run.row.form) {
    case 'chat':
      return { status: 200, body: writeChat(run, outcome) };
    case 'responses':
      return { status: 200, body: writeResponse(run, outcome) };
    default:
      return { status: 200, body: writeEmbeddings(run, outcome) };
  }
}

/** The body of an error. */
export function writeErrorBody(message: string, type: string, code: string | null, param?: string): Json {
  return { error: { message, type, param: param ?? null, code } };
}

function writeRefusal(error: RowError, model: string): { status: number; body: Json } {
  switch (error) {
    case 'capacity':
      return { status: 429, body: writeErrorBody('Rate limit reached.', 'requests', 'rate_limit_exceeded') };
    case 'server':
      return { status: 500, body: writeErrorBody('The server had an error.', 'server_error', null) };
    case 'invalid':
      return {
        status: 400,
        body: writeErrorBody('Bad parameter.', 'invalid_request_error', null, 'messages'),
      };
    case 'model':
      return {
        status: 404,
        body: writeErrorBody(`No model ${model}.`, 'invalid_request_error', 'model_not_found'),
      };
    case 'money':
      return {
        status: 429,
        body: writeErrorBody('You have no credit.', 'insufficient_quota', 'insufficient_quota'),
      };
    default:
      return error satisfies never;
  }
}

function writeChat(run: Run, { texts, stop, told }: Answered): Json {
  const refusal = stop === 'refusal' ? texts.join('') : null;
  const message = {
    role: 'assistant',
    content: refusal === null ? texts.join('') : null,
    refusal,
    annotations: [],
  };
  return {
    id: `chatcmpl-${run.responseId}`,
    object: 'chat.completion',
    created: toSeconds(run.at),
    model: run.row.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: nameFinish(stop) }],
    ...(told === null ? {} : { usage: writeChatUsage(told) }),
    service_tier: 'default',
    system_fingerprint: 'fp_0a1b2c3d4e',
  };
}

function nameFinish(stop: Stop): string {
  switch (stop) {
    case 'end':
    case 'refusal':
      return 'stop';
    case 'length':
      return 'length';
    case 'context':
      return 'model_context_window_exceeded';
    case 'unknown':
      return 'grew_tired';
    default:
      return stop satisfies never;
  }
}

function writeChatUsage({ input, output, cached, reasoning, total }: ToldUsage): Json {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  };
}

function writeResponse(run: Run, { texts, stop, told }: Answered): Json {
  const done = stop === 'end' || stop === 'refusal';
  return {
    id: `resp_${run.responseId}`,
    object: 'response',
    created_at: toSeconds(run.at),
    status: done ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: done ? null : { reason: nameIncomplete(stop) },
    instructions: dig(run.row.body, 'instructions') ?? null,
    metadata: {},
    model: run.row.model,
    output: texts.map((text, index) => writeMessage(run, text, stop, index)),
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    ...(told === null ? {} : { usage: writeResponseUsage(told) }),
  };
}

function nameIncomplete(stop: Stop): string {
  if (stop === 'length') return 'max_output_tokens';
  return stop === 'context' ? 'model_context_window_exceeded' : 'grew_tired';
}

function writeMessage(run: Run, text: string, stop: Stop, index: number): Json {
  const content =
    stop === 'refusal'
      ? { type: 'refusal', refusal: text }
      : { type: 'output_text', text, annotations: [], logprobs: [] };
  return {
    type: 'message',
    id: `msg_${run.responseId}${index}`,
    status: stop === 'length' ? 'incomplete' : 'completed',
    role: 'assistant',
    content: [content],
  };
}

function writeResponseUsage({ input, output, cached, reasoning, total }: ToldUsage): Json {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: total,
  };
}

function writeEmbeddings(run: Run, { told, twist }: Answered): Json {
  const { body, model } = run.row;
  const width = typeof body.dimensions === 'number' ? body.dimensions : 8;
  const data = listOf(body.input).map((text, index) => ({
    object: 'embedding',
    index,
    embedding: writeVector(String(text), width, twist === 'base64' || body.encoding_format === 'base64'),
  }));
  const usage = told === null ? {} : { usage: { prompt_tokens: told.input, total_tokens: told.total } };
  return { object: 'list', data: twistVectors(data, twist), model, ...usage };
}

function twistVectors<T>(data: T[], twist: Twist | null): T[] {
  if (twist === 'reversed') return data.toReversed();
  return twist === 'one_missing' ? data.slice(1) : data;
}

/** A vector that depends on the text alone; as base64 its numbers are little-endian 32-bit floats. */
function writeVector(text: string, width: number, packed: boolean): number[] | string {
  const digest = createHash('sha512').update(text).digest();
  const vector = Float32Array.from({ length: width }, (_, at) => ((digest[at % 64] ?? 0) - 128) / 256);
  return packed ? Buffer.from(vector.buffer).toString('base64') : [...vector];
}
