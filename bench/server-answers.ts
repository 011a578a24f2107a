import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { RequestIds } from './server-upload.ts';
import { ANSWER, TASK } from './task.ts';

/** A line of an output file around the request's id, which stands in it twice. */
export interface AnswerShape {
  readonly beforeId: string;
  readonly betweenIds: string;
  readonly afterId: string;
}

/** As the two endpoints write their lines; a place holder tells where the ids go. */
export function answerShape(endpoint: string): AnswerShape {
  const body = endpoint === '/v1/chat/completions' ? completion() : response();
  const line = JSON.stringify({
    id: 'batch_req_1',
    custom_id: '\u0000',
    response: { status_code: 200, request_id: 'req_1', body },
    error: null,
  });
  const [beforeId = '', betweenIds = '', afterId = ''] = line.split('\\u0000');
  return { beforeId, betweenIds, afterId: `${afterId}\n` };
}

const SERVED = `${TASK.model}-2026-03-17`;

function response(): unknown {
  return {
    id: 'resp_\u0000',
    object: 'response',
    created_at: 1_790_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: SERVED,
    output: [
      {
        id: 'msg_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: ANSWER, annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 260,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 290,
    },
  };
}

function completion(): unknown {
  return {
    id: 'chatcmpl-\u0000',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: SERVED,
    choices: [
      { index: 0, message: { role: 'assistant', content: ANSWER, refusal: null }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 260, completion_tokens: 30, total_tokens: 290 },
  };
}

export function answerBytes(ids: RequestIds, shape: AnswerShape): number {
  const around = Buffer.byteLength(shape.beforeId + shape.betweenIds + shape.afterId);
  return ids.count * around + 2 * ids.bytes;
}

const BLOCK_CHARACTERS = 1 << 17;

export async function sendAnswers(ids: RequestIds, shape: AnswerShape, to: Writable): Promise<void> {
  let block = '';
  for (const lines of ids.lines) {
    for (const id of lines.toString('latin1').split('\n')) {
      if (id === '') continue;
      block += shape.beforeId + id + shape.betweenIds + id + shape.afterId;
      if (block.length < BLOCK_CHARACTERS) continue;
      if (!to.write(block)) await once(to, 'drain');
      block = '';
    }
  }
  to.end(block);
}
