import type { Answer } from '../answers.ts';
import type { AnswerFault } from '../scenario.ts';
import type { Endpoint } from './types.ts';

/** What a response body is made of. `id` is hex, 48 characters or more; `created` in seconds. */
export interface Served {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly inputTokens: number;
  readonly maxTokens: number | null;
}

/** The JSON text of a response body. Built as text: at 100,000 a batch run, objects made only to be written cost. */
export function bodyOf(endpoint: Endpoint, answer: Answer, served: Served, fault?: AnswerFault): string {
  const broken = brokenBody(fault);
  if (broken !== null) return broken;
  return endpoint === '/v1/responses' ? responseBody(answer, served) : chatBody(answer, served);
}

/** What stands in a response's place whatever was asked; null where nothing does. */
export function brokenBody(fault: AnswerFault | undefined): string | null {
  if (fault === 'empty_body') return '{}';
  if (fault !== 'error_body') return null;
  return '{"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":null}}';
}

function responseBody(answer: Answer, { id, model, created, inputTokens, maxTokens }: Served): string {
  const { status, reason } = RESPONSE_STOPS[answer.stop];
  const text = JSON.stringify(answer.text);
  const part =
    answer.kind === 'refusal'
      ? `{"type":"refusal","refusal":${text}}`
      : `{"type":"output_text","annotations":[],"logprobs":[],"text":${text}}`;
  const total = inputTokens + answer.outputTokens;
  return (
    `{"id":"resp_${id.slice(0, 48)}","object":"response","created_at":${created},"status":"${status}",` +
    `"background":false,"error":null,"incomplete_details":${reason === null ? null : `{"reason":"${reason}"}`},` +
    `"instructions":null,"max_output_tokens":${maxTokens},"model":${JSON.stringify(model)},"output":[{` +
    `"id":"msg_${id.slice(8, 56)}","type":"message","status":"${status}","content":[${part}],"role":"assistant"}],` +
    `"service_tier":"default","usage":{"input_tokens":${inputTokens},` +
    `"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":${answer.outputTokens},` +
    `"output_tokens_details":{"reasoning_tokens":0},"total_tokens":${total}},"metadata":{}}`
  );
}

const RESPONSE_STOPS = {
  complete: { status: 'completed', reason: null },
  token_cap: { status: 'incomplete', reason: 'max_output_tokens' },
  filter: { status: 'incomplete', reason: 'content_filter' },
} as const satisfies Record<Answer['stop'], unknown>;

function chatBody(answer: Answer, { id, model, created, inputTokens }: Served): string {
  const text = JSON.stringify(answer.text);
  const message =
    answer.kind === 'refusal' ? `"content":null,"refusal":${text}` : `"content":${text},"refusal":null`;
  const total = inputTokens + answer.outputTokens;
  return (
    `{"id":"chatcmpl-${id.slice(0, 29)}","object":"chat.completion","created":${created},` +
    `"model":${JSON.stringify(model)},"choices":[{"index":0,"message":{"role":"assistant",${message},` +
    `"annotations":[]},"logprobs":null,"finish_reason":"${CHAT_STOPS[answer.stop]}"}],` +
    `"usage":{"prompt_tokens":${inputTokens},"completion_tokens":${answer.outputTokens},"total_tokens":${total},` +
    `"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},` +
    `"completion_tokens_details":{"reasoning_tokens":0}},"service_tier":"default","system_fingerprint":null}`
  );
}

const CHAT_STOPS = {
  complete: 'stop',
  token_cap: 'length',
  filter: 'content_filter',
} as const satisfies Record<Answer['stop'], string>;
