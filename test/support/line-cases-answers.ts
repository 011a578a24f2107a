import type { LineCase } from './line-cases.ts';
import { answered, chat, message, response, text, VALID_TEXT } from './lines.ts';

const cut = VALID_TEXT.slice(0, 12);

export const RESPONSES_CASES: readonly LineCase[] = [
  {
    name: 'reasoning before the answer',
    text: answered(response([{ type: 'reasoning', summary: [] }, message([text(VALID_TEXT)])])),
    class: 'ok',
  },
  {
    name: 'a hosted tool before the answer',
    text: answered(response([{ type: 'web_search_call', status: 'completed' }, message([text(VALID_TEXT)])])),
    class: 'ok',
  },
  {
    name: 'an answer in two parts',
    text: answered(response([message([text(cut), text(VALID_TEXT.slice(12))])])),
    class: 'ok',
  },
  {
    name: 'commentary before the answer',
    text: answered(
      response([message([text('Let me see.')], { phase: 'commentary' }), message([text(VALID_TEXT)])]),
    ),
    class: 'ok',
  },
  {
    name: 'the same answer in two messages',
    text: answered(response([message([text(VALID_TEXT)]), message([text(` ${VALID_TEXT}`)])])),
    class: 'ok',
  },
  {
    name: 'words before the answer, in a message of their own',
    text: answered(response([message([text('Let me see.')]), message([text(VALID_TEXT)])])),
    class: 'ok',
  },
  {
    name: 'two answers that differ',
    text: answered(response([message([text(VALID_TEXT)]), message([text('{"label":"frame","sure":true}')])])),
    class: 'conflict',
    says: '2 of its messages are valid answers',
  },
  {
    name: 'an answer cut in two messages',
    text: answered(response([message([text(cut)]), message([text(VALID_TEXT.slice(12))])])),
    class: 'invalid_output',
    says: 'not JSON',
  },
  {
    name: 'B067: a refusal',
    text: answered(response([message([{ type: 'refusal', refusal: 'I cannot.' }])])),
    class: 'refused',
    says: 'I cannot.',
  },
  {
    name: 'B067: a refusal after some text',
    text: answered(response([message([text(cut), { type: 'refusal', refusal: 'No more.' }])])),
    class: 'refused',
  },
  {
    name: 'B067: filtered',
    text: answered(
      response([message([text(cut)])], {
        status: 'incomplete',
        incomplete_details: { reason: 'content_filter' },
      }),
    ),
    class: 'refused',
    says: 'content filter',
  },
  {
    name: 'B068: cut by the cap',
    text: answered(
      response([message([text(cut)])], {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      }),
    ),
    class: 'truncated',
    says: '10 output tokens',
  },
  {
    name: 'B068: cut, and valid JSON by chance',
    text: answered(
      response([message([text(VALID_TEXT)])], {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      }),
    ),
    class: 'truncated',
  },
  {
    name: 'B070: reasoning has used up the cap',
    text: answered(
      response([{ type: 'reasoning' }], {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        usage: { input_tokens: 1, output_tokens: 200, output_tokens_details: { reasoning_tokens: 200 } },
      }),
    ),
    class: 'truncated',
    says: '200 of them for reasoning',
  },
  {
    name: 'blanks up to the cap',
    text: answered(
      response([message([text(' \n \n ')])], {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      }),
    ),
    class: 'truncated',
    says: 'nothing but blanks',
  },
  {
    name: 'a full context window',
    text: answered(
      response([message([text(VALID_TEXT)])], {
        status: 'incomplete',
        incomplete_details: { reason: 'model_context_window_exceeded' },
      }),
    ),
    class: 'invalid_request',
    says: 'context window',
  },
  {
    name: 'B070: incomplete for a new reason',
    text: answered(
      response([message([text(VALID_TEXT)])], {
        status: 'incomplete',
        incomplete_details: { reason: 'steered' },
      }),
    ),
    class: 'unknown_stop',
    says: 'unknown reason',
  },
  {
    name: 'incomplete for no reason',
    text: answered(response([message([text(VALID_TEXT)])], { status: 'incomplete' })),
    class: 'unknown_stop',
    says: 'unknown reason',
  },
  {
    name: 'a status of tomorrow',
    text: answered(response([message([text(VALID_TEXT)])], { status: 'paused' })),
    class: 'unknown_stop',
    says: 'paused',
  },
  { name: 'still queued', text: answered(response([], { status: 'queued' })), class: 'unknown_stop' },
  {
    name: '200 around a response that failed',
    text: answered(response([], { status: 'failed', error: { code: 'server_error', message: 'm' } })),
    class: 'provider_error',
  },
  {
    name: 'failed, and does not say why',
    text: answered(response([], { status: 'failed' })),
    class: 'provider_error',
  },
  {
    name: 'failed by the policy',
    text: answered(
      response([], { status: 'failed', error: { code: 'image_content_policy_violation', message: 'm' } }),
    ),
    class: 'refused',
  },
  {
    name: 'a call of a function',
    text: answered(response([{ type: 'function_call', name: 'f', arguments: VALID_TEXT }])),
    class: 'invalid_output',
    says: 'tool',
  },
  { name: 'no output items', text: answered(response([])), class: 'invalid_output', says: 'empty answer' },
  {
    name: 'items of no sense',
    text: answered(response([null, 7, [], message([null, { type: 'output_text', text: 9 }])])),
    class: 'unreadable',
    says: 'no text is found',
  },
];

export const CHAT_CASES: readonly LineCase[] = [
  {
    name: 'an answer as a list of parts',
    text: answered(
      chat({
        content: [
          { type: 'text', text: cut },
          { type: 'text', text: VALID_TEXT.slice(12) },
        ],
      }),
    ),
    class: 'ok',
  },
  {
    name: 'an empty refusal is none',
    text: answered(chat({ content: VALID_TEXT, refusal: '' })),
    class: 'ok',
  },
  {
    name: 'the first of two choices, which comes second',
    text: answered(
      chat({ content: VALID_TEXT }, {}, { choices: [{ ...choice('second'), index: 1 }, choice(VALID_TEXT)] }),
    ),
    class: 'ok',
  },
  {
    name: 'two first choices',
    text: answered(chat({ content: VALID_TEXT }, {}, { choices: [choice(VALID_TEXT), choice('second')] })),
    class: 'unreadable',
    says: 'several first choices',
  },
  {
    name: 'content that is an object',
    text: answered(chat({ content: { label: 'wheel' } })),
    class: 'unreadable',
    says: 'no text is found',
  },
  {
    name: 'B067: a refusal',
    text: answered(chat({ refusal: 'I cannot.' })),
    class: 'refused',
    says: 'I cannot.',
  },
  {
    name: 'B067: filtered with partial text',
    text: answered(chat({ content: cut }, { finish_reason: 'content_filter' })),
    class: 'refused',
    says: 'content filter',
  },
  {
    name: 'B068: cut by the cap',
    text: answered(chat({ content: cut }, { finish_reason: 'length' })),
    class: 'truncated',
    says: '10 output tokens',
  },
  {
    name: 'B068: cut, and valid JSON by chance',
    text: answered(chat({ content: VALID_TEXT }, { finish_reason: 'length' })),
    class: 'truncated',
  },
  {
    name: 'blanks up to the cap',
    text: answered(chat({ content: '\n\n  \n' }, { finish_reason: 'length' })),
    class: 'truncated',
    says: 'nothing but blanks',
  },
  {
    name: 'a full context window, as z.ai says it',
    text: answered(chat({ content: cut }, { finish_reason: 'model_context_window_exceeded' })),
    class: 'invalid_request',
    says: 'context window',
  },
  {
    name: 'a full context window, as Mistral says it',
    text: answered(chat({ content: VALID_TEXT }, { finish_reason: 'model_length' })),
    class: 'invalid_request',
    says: 'context window',
  },
  {
    name: 'B070: an unknown reason',
    text: answered(chat({ content: VALID_TEXT }, { finish_reason: 'RECITATION' })),
    class: 'unknown_stop',
    says: 'RECITATION',
  },
  {
    name: 'no reason',
    text: answered(chat({ content: VALID_TEXT }, { finish_reason: null })),
    class: 'unknown_stop',
    says: 'unknown reason',
  },
  {
    name: 'tool calls',
    text: answered(chat({ tool_calls: [{ id: 'c' }] }, { finish_reason: 'tool_calls' })),
    class: 'invalid_output',
    says: 'tool',
  },
  {
    name: 'tool calls under a plain stop',
    text: answered(chat({ content: VALID_TEXT, tool_calls: [{ id: 'c' }] })),
    class: 'invalid_output',
    says: 'tool',
  },
  {
    name: 'the old function call',
    text: answered(chat({ function_call: {} }, { finish_reason: 'function_call' })),
    class: 'invalid_output',
    says: 'tool',
  },
  {
    name: 'null and a plain stop',
    text: answered(chat({ content: null })),
    class: 'invalid_output',
    says: 'empty answer',
  },
  {
    name: 'no choices',
    text: answered(chat({}, {}, { choices: [] })),
    class: 'unreadable',
    says: 'without choices',
  },
  {
    name: 'a choice without a message',
    text: answered(chat({}, {}, { choices: [{ finish_reason: 'stop' }] })),
    class: 'unreadable',
  },
];

function choice(content: string): Record<string, unknown> {
  return { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
}
