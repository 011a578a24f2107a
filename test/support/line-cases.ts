import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import type { Endpoint } from '../../runner/spec/job.ts';
import {
  answered,
  chat,
  errorObject,
  type LineText,
  line,
  message,
  refusedWith,
  response,
  saying,
  text,
  unanswered,
  VALID_TEXT,
} from './lines.ts';

/** One line, the class that it must come to, and where a person finds the reason. */
export interface LineCase {
  readonly name: string;
  readonly text: LineText;
  readonly class: OutcomeClass;
  /** A part of the cause or of the detail. */
  readonly says?: string;
  readonly file?: 'output' | 'error';
}

const error = (more: Record<string, unknown> = {}) => ({ error: errorObject(more) });
const cut = VALID_TEXT.slice(0, 12);

/** Lines that mean the same at both endpoints. */
export function commonCases(endpoint: Endpoint): LineCase[] {
  const good = answered(saying(endpoint, VALID_TEXT));
  return [
    { name: 'a good answer', text: good, class: 'ok' },
    { name: 'B065: a good answer in the error file', text: good, class: 'ok', file: 'error' },
    { name: 'a line that ends in CRLF', text: `${good}\r`, class: 'ok' },
    { name: 'an empty line before it', text: `\n${good}`, class: 'ok' },
    { name: 'B062: the same line twice', text: `${good}\n${good}`, class: 'ok' },
    {
      name: 'B062: two lines that differ',
      text: `${good}\n${refusedWith(500, { type: 'server_error' })}`,
      class: 'conflict',
      says: 'ok, provider_error',
    },
    {
      name: 'B062: two good answers that differ',
      text: `${good}\n${answered(saying(endpoint, '{"label":"frame","sure":true}'))}`,
      class: 'conflict',
      says: 'ok, ok',
    },
    {
      name: 'an error of {} and of ""',
      text: line({ response: JSON.parse(good).response, error: {} }),
      class: 'ok',
    },
    {
      name: 'a number as status text',
      text: answered(saying(endpoint, VALID_TEXT), '200'),
      class: 'provider_error',
      says: 'without a status',
    },

    // Errors of the request, in whichever file.
    {
      name: 'B065: 400 in the output file',
      text: refusedWith(400, { code: 'context_length_exceeded' }),
      class: 'invalid_request',
      says: 'HTTP 400 context_length_exceeded',
    },
    {
      name: 'B065: 200 with an error of the request',
      text: answered(error({ code: 'context_length_exceeded' })),
      class: 'invalid_request',
      says: 'context_length_exceeded',
    },
    {
      name: '404 in the error file',
      text: refusedWith(404, { code: 'model_not_found' }),
      class: 'invalid_request',
      file: 'error',
    },
    { name: '413', text: refusedWith(413), class: 'invalid_request' },
    {
      name: '422 with a body that is text',
      text: answered('Unprocessable', 422),
      class: 'invalid_request',
      says: 'Unprocessable',
    },
    {
      name: 'B079: a schema that strict mode does not take',
      text: refusedWith(400, { code: 'invalid_json_schema' }),
      class: 'invalid_request',
    },

    // Room and money.
    {
      name: '429',
      text: refusedWith(429, { code: 'rate_limit_exceeded', type: 'requests' }),
      class: 'rate_or_capacity',
    },
    { name: '529', text: answered(null, 529), class: 'rate_or_capacity' },
    {
      name: 'B038: 429 for money',
      text: refusedWith(429, { code: 'insufficient_quota', type: 'insufficient_quota' }),
      class: 'account',
    },
    {
      name: 'B038: credit under a plain type',
      text: refusedWith(400, { message: 'Your credit balance is too low to access the API.' }),
      class: 'account',
      says: 'credit balance',
    },
    { name: '401', text: refusedWith(401, { code: 'invalid_api_key' }), class: 'account' },
    { name: '402', text: answered(null, 402), class: 'account' },
    { name: '403', text: refusedWith(403), class: 'account' },

    // The server's fault, or nobody's.
    {
      name: '500',
      text: refusedWith(500, { type: 'server_error' }),
      class: 'provider_error',
      says: 'HTTP 500',
    },
    { name: '503 with a page', text: answered('<html>overloaded</html>', 503), class: 'provider_error' },
    { name: '408', text: answered(null, 408), class: 'provider_error' },
    { name: '409', text: refusedWith(409), class: 'provider_error' },
    { name: 'status 0', text: answered(null, 0), class: 'provider_error' },
    {
      name: 'a timeout',
      text: unanswered({ code: 'request_timeout', message: 'm' }),
      class: 'provider_error',
      says: 'request_timeout',
    },
    {
      name: 'an empty error',
      text: unanswered({}),
      class: 'provider_error',
      says: 'neither a response nor an error',
    },
    { name: 'no response and no error', text: line({}), class: 'provider_error' },
    {
      name: 'an error that nobody documents',
      text: unanswered({ code: 'gremlins', message: 'm' }),
      class: 'provider_error',
      says: 'gremlins',
    },
    {
      name: 'B065: 200 with an error of the server',
      text: answered(error({ type: 'server_error' })),
      class: 'provider_error',
    },
    { name: 'B065: 200 with an empty body', text: answered({}), class: 'provider_error', says: 'without' },
    { name: '200 without a body', text: answered(null), class: 'provider_error' },
    {
      name: 'B065: the request as an answer',
      text: answered({ model: 'm', messages: [], input: 'x' }),
      class: 'provider_error',
    },
    {
      name: 'B065: an answer of another kind',
      text: answered({ prediction: 'wheel' }),
      class: 'provider_error',
    },

    // Never ran.
    {
      name: 'B051: the window closed',
      text: unanswered({ code: 'batch_expired', message: 'm' }),
      class: 'expired',
      file: 'error',
    },
    {
      name: 'B052: cancelled before it ran',
      text: unanswered({ code: 'batch_cancelled', message: 'm' }),
      class: 'cancelled',
      file: 'error',
    },

    // Content.
    {
      name: 'B067: content policy',
      text: refusedWith(400, { code: 'content_policy_violation' }),
      class: 'refused',
      file: 'error',
    },
    {
      name: 'B067: Azure has the policy inside',
      text: refusedWith(400, {
        code: 'content_filter',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      }),
      class: 'refused',
      says: 'ResponsibleAIPolicyViolation',
    },
    {
      name: 'a prompt that was flagged',
      text: refusedWith(400, { code: 'invalid_prompt', message: 'flagged by our usage policy' }),
      class: 'refused',
    },

    // What was said is not the answer.
    {
      name: 'no JSON',
      text: answered(saying(endpoint, 'The wheel.')),
      class: 'invalid_output',
      says: 'not JSON',
    },
    {
      name: 'JSON in a fence',
      text: answered(saying(endpoint, `\`\`\`json\n${VALID_TEXT}\n\`\`\``)),
      class: 'invalid_output',
      says: 'not JSON',
    },
    {
      name: 'B079: another name',
      text: answered(saying(endpoint, '{"lable":"wheel","sure":true}')),
      class: 'invalid_output',
      says: 'label',
    },
    {
      name: 'a property too many, named __proto__',
      text: answered(saying(endpoint, `${VALID_TEXT.slice(0, -1)},"__proto__":{}}`)),
      class: 'invalid_output',
    },
    { name: 'nothing', text: answered(saying(endpoint, '')), class: 'invalid_output', says: 'empty answer' },
    {
      name: 'blanks',
      text: answered(saying(endpoint, ' \n\t')),
      class: 'invalid_output',
      says: 'empty answer',
    },

    // Nothing says whose these are.
    { name: 'a line that is cut', text: good.slice(0, good.length >> 1), class: 'missing' },
    { name: 'a line that is a list', text: '[]', class: 'missing' },
    { name: 'an id that is a number', text: line({ custom_id: 7 }), class: 'missing' },
    { name: 'B062: an id that nobody sent', text: good.replace('{custom_id}', 'r-1'), class: 'missing' },
    { name: 'B063: no line at all', text: '', class: 'missing' },
  ];
}

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
    name: 'two whole answers',
    text: answered(response([message([text(VALID_TEXT)]), message([text(VALID_TEXT)])])),
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
    name: 'B070: incomplete for a new reason',
    text: answered(
      response([message([text(VALID_TEXT)])], {
        status: 'incomplete',
        incomplete_details: { reason: 'steered' },
      }),
    ),
    class: 'invalid_output',
    says: 'unknown stop reason',
  },
  {
    name: 'incomplete for no reason',
    text: answered(response([message([text(VALID_TEXT)])], { status: 'incomplete' })),
    class: 'invalid_output',
    says: 'unknown stop reason',
  },
  {
    name: 'a status of tomorrow',
    text: answered(response([message([text(VALID_TEXT)])], { status: 'paused' })),
    class: 'invalid_output',
    says: 'paused',
  },
  { name: 'still queued', text: answered(response([], { status: 'queued' })), class: 'invalid_output' },
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
    class: 'invalid_output',
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
    name: 'the first of two choices',
    text: answered(chat({ content: VALID_TEXT }, {}, { choices: [choice(VALID_TEXT), choice('second')] })),
    class: 'ok',
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
    name: 'B070: an unknown reason',
    text: answered(chat({ content: VALID_TEXT }, { finish_reason: 'RECITATION' })),
    class: 'invalid_output',
    says: 'RECITATION',
  },
  {
    name: 'no reason',
    text: answered(chat({ content: VALID_TEXT }, { finish_reason: null })),
    class: 'invalid_output',
    says: 'unknown stop reason',
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
    class: 'provider_error',
    says: 'without choices',
  },
  {
    name: 'a choice without a message',
    text: answered(chat({}, {}, { choices: [{ finish_reason: 'stop' }] })),
    class: 'provider_error',
  },
];

function choice(content: string): Record<string, unknown> {
  return { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
}
