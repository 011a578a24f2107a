import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { linesOfFile, textOf } from '../../../runner/lines.ts';
import type { Reply, ReplyResult } from '../../../runner/outcome/outcome.ts';
import { decode } from '../../../runner/provider/openai/decode.ts';
import type { Endpoint } from '../../../runner/spec/job.ts';

const RESPONSES: Endpoint = '/v1/responses';
const CHAT: Endpoint = '/v1/chat/completions';

/** A line with this response and no error, as both files have them. */
function line(body: unknown, status: unknown = 200, error: unknown = null): string {
  return JSON.stringify({
    id: 'batch_req_1',
    custom_id: 'r-1',
    response: { status_code: status, request_id: 'q', body },
    error,
  });
}

function resultOf(endpoint: Endpoint, text: string): ReplyResult {
  const reply = decode(endpoint, text);
  expect(reply.wireId).toBe('r-1');
  return reply.result;
}

const USAGE_RESPONSES = {
  input_tokens: 200,
  input_tokens_details: { cached_tokens: 128, cache_write_tokens: 0 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 32 },
  total_tokens: 240,
};
const USAGE_CHAT = {
  prompt_tokens: 200,
  prompt_tokens_details: { cached_tokens: 128 },
  completion_tokens: 40,
  completion_tokens_details: { reasoning_tokens: 32 },
  total_tokens: 240,
};
const USAGE = {
  inputTokens: 200,
  outputTokens: 40,
  cachedTokens: 128,
  cacheWriteTokens: 0,
  reasoningTokens: 32,
};

function response(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'gpt-5.4-mini-2026-03-17',
    output: [message([{ type: 'output_text', annotations: [], text: '{"a":1}' }])],
    usage: USAGE_RESPONSES,
    ...changes,
  };
}

function message(
  content: readonly unknown[],
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  return { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content, ...changes };
}

function completion(
  choice: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  const whole = {
    index: 0,
    finish_reason: 'stop',
    message: { role: 'assistant', content: '{"a":1}', refusal: null },
    ...choice,
  };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'gpt-4.1-2025-04-14',
    choices: [whole],
    usage: USAGE_CHAT,
    ...changes,
  };
}

const ANSWER = { kind: 'answer', texts: ['{"a":1}'], refusal: null, stop: 'complete', usage: USAGE } as const;

describe('/v1/responses: answers', () => {
  const item = (type: string) => ({ id: 'x', type });
  const part = (text: string) => ({ type: 'output_text', text });
  const incomplete = (reason?: string) =>
    response({ status: 'incomplete', incomplete_details: reason ? { reason } : null });
  test.each<readonly [string, Record<string, unknown>, Partial<ReplyResult>]>([
    [
      'a plain one',
      response(),
      {
        ...ANSWER,
        providerReason: 'completed',
        servedModel: 'gpt-5.4-mini-2026-03-17',
        responseId: 'resp_1',
      },
    ],
    [
      'reasoning items before it',
      response({ output: [item('reasoning'), ...(response().output as unknown[])] }),
      ANSWER,
    ],
    [
      'several parts of a message are one text',
      response({ output: [message([part('{"a"'), part(':'), part('1}')])] }),
      ANSWER,
    ],
    [
      'several messages are texts of their own',
      response({ output: [message([part('{"a"'), part(':1}')]), message([part('{"a":2}')])] }),
      { ...ANSWER, texts: ['{"a":1}', '{"a":2}'] },
    ],
    ['a message that is text alone', response({ output: [{ type: 'message', content: '{"a":1}' }] }), ANSWER],
    ['a message without content', response({ output: [message([])] }), { texts: [], stop: 'complete' }],
    [
      'an odd item beside the answer',
      response({ output: [7, { type: 'hologram' }, ...(response().output as unknown[])] }),
      ANSWER,
    ],
    [
      'commentary is not the answer',
      response({
        output: [
          message([part('hm')], { phase: 'commentary' }),
          message([part('{"a":1}')], { phase: 'final_answer' }),
        ],
      }),
      ANSWER,
    ],
    [
      'a hosted tool ran before it',
      response({ output: [item('web_search_call'), ...(response().output as unknown[])] }),
      ANSWER,
    ],
    [
      'B067: refused',
      response({ output: [message([{ type: 'refusal', refusal: 'I cannot.' }])] }),
      { texts: [], refusal: 'I cannot.', stop: 'complete' },
    ],
    [
      'B067: refused without a word',
      response({ output: [message([{ type: 'refusal', refusal: '' }])] }),
      { refusal: '' },
    ],
    [
      'B068: cut by the cap',
      incomplete('max_output_tokens'),
      { stop: 'token_cap', providerReason: 'incomplete: max_output_tokens' },
    ],
    ['B067: filtered', incomplete('content_filter'), { stop: 'filter' }],
    [
      'incomplete for a new reason',
      incomplete('steered'),
      { stop: 'unknown', providerReason: 'incomplete: steered' },
    ],
    ['a full context window', incomplete('model_context_window_exceeded'), { stop: 'context_window' }],
    ['incomplete for no reason', incomplete(), { stop: 'unknown', providerReason: 'incomplete: none' }],
    ['a reason named like a property of every object', incomplete('constructor'), { stop: 'unknown' }],
    [
      'a function call that nobody asked for',
      response({ output: [item('function_call')] }),
      { stop: 'tool', texts: [], providerReason: 'function_call' },
    ],
    ['no output items', response({ output: [] }), { stop: 'complete', texts: [] }],
    ['a status of tomorrow', response({ status: 'paused' }), { stop: 'unknown', providerReason: 'paused' }],
    ['still queued', response({ status: 'queued' }), { stop: 'unknown' }],
    [
      'no usage, model or id',
      response({ usage: null, model: '', id: null }),
      { usage: null, servedModel: null, responseId: null },
    ],
    ['usage that cannot be', response({ usage: { input_tokens: -1, output_tokens: 1e20 } }), { usage: null }],
    [
      'usage without details',
      response({ usage: { input_tokens: 3, output_tokens: 4 } }),
      {
        usage: { inputTokens: 3, outputTokens: 4, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      },
    ],
  ])('%s', (_title, body, expected) => {
    expect(resultOf(RESPONSES, line(body))).toMatchObject({ kind: 'answer', ...expected });
  });
});

describe('/v1/chat/completions: answers', () => {
  const said = (content: unknown, more: Record<string, unknown> = {}) => ({
    message: { role: 'assistant', content, ...more },
  });
  test.each<readonly [string, Record<string, unknown>, Partial<ReplyResult>]>([
    [
      'a plain one',
      completion(),
      { ...ANSWER, providerReason: 'stop', servedModel: 'gpt-4.1-2025-04-14', responseId: 'chatcmpl-1' },
    ],
    [
      'a list of parts',
      completion(
        said([
          { type: 'text', text: '{"a"' },
          { type: 'text', text: ':1}' },
        ]),
      ),
      ANSWER,
    ],
    ['B067: refused', completion(said(null, { refusal: 'No.' })), { texts: [], refusal: 'No.' }],
    ['an empty refusal is none', completion(said('x', { refusal: '' })), { texts: ['x'], refusal: null }],
    ['B068: cut by the cap', completion({ finish_reason: 'length' }), { stop: 'token_cap' }],
    [
      'B067: filtered with partial text',
      completion({ finish_reason: 'content_filter', ...said('{"a":"') }),
      { stop: 'filter', texts: ['{"a":"'] },
    ],
    ['tool calls', completion({ finish_reason: 'tool_calls' }), { stop: 'tool' }],
    ['the old function call', completion({ finish_reason: 'function_call' }), { stop: 'tool' }],
    ['a call under a plain stop', completion(said(null, { tool_calls: [{ id: 'c' }] })), { stop: 'tool' }],
    [
      'a cap is a cap, call or not',
      completion({ finish_reason: 'length', ...said(null, { tool_calls: [{}] }) }),
      { stop: 'token_cap' },
    ],
    [
      'a full context window',
      completion({ finish_reason: 'model_context_window_exceeded' }),
      { stop: 'context_window' },
    ],
    [
      'a full context window at Mistral',
      completion({ finish_reason: 'model_length' }),
      { stop: 'context_window' },
    ],
    ['no reason', completion({ finish_reason: null }), { stop: 'unknown', providerReason: 'none' }],
    [
      'B070: an unknown reason',
      completion({ finish_reason: 'recitation' }),
      { stop: 'unknown', providerReason: 'recitation' },
    ],
    [
      'the choice of index 0, wherever it stands',
      completion(
        {},
        { choices: [{ index: 1, ...said('second') }, ...(completion().choices as unknown[]), null] },
      ),
      ANSWER,
    ],
    ['the only choice, without an index', completion({ index: undefined }), ANSWER],
    [
      'the same choice twice',
      completion({}, { choices: [completion().choices, completion().choices].flat() }),
      ANSWER,
    ],
    [
      'thinking in a part of its own',
      completion(
        said([
          { type: 'thinking', thinking: [] },
          { type: 'text', text: '{"a":1}' },
        ]),
      ),
      ANSWER,
    ],
  ])('%s', (_title, body, expected) => {
    expect(resultOf(CHAT, line(body))).toMatchObject({ kind: 'answer', ...expected });
  });
});

describe('an object may stand as text, and a status as digits or not at all', () => {
  const asText = (value: unknown) => JSON.stringify(value);
  test.each<readonly [string, string]>([
    ['a body that is text', line(asText(response()))],
    ['with blanks around it', line(`\n ${asText(response())} `)],
    [
      'a response that is text',
      asText({ custom_id: 'r-1', response: asText({ status_code: 200, body: response() }) }),
    ],
    ['a status in digits', line(response(), '200')],
    ['no status', line(response(), null)],
  ])('%s', (_title, text) => {
    expect(resultOf(RESPONSES, text)).toMatchObject(ANSWER);
  });

  test('nested too deep to be written again, which must not stop the other lines', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const text = `{"custom_id":"r-1","response":{"status_code":200,"body":{"results":[{"flagged":${deep}}]}}}`;
    expect(resultOf('/v1/moderations', text)).toEqual({ kind: 'malformed', detail: 'nested too deep' });
  });
});

describe('usage that contradicts itself is unknown', () => {
  const chat = (changes: Record<string, unknown>) => completion({}, { usage: { ...USAGE_CHAT, ...changes } });
  const known = (endpoint: Endpoint, body: unknown) => {
    const result = resultOf(endpoint, line(body));
    if (result.kind !== 'answer') throw new Error(result.kind);
    return result.usage;
  };
  test.each<readonly [string, Record<string, unknown>, object | null]>([
    ['as OpenAI counts', {}, USAGE],
    ['without a total', { total_tokens: undefined }, USAGE],
    [
      'without details',
      { prompt_tokens_details: null, completion_tokens_details: null },
      { ...USAGE, cachedTokens: 0, reasoningTokens: 0 },
    ],
    ['as xAI counts: reasoning beside the output', { total_tokens: 272 }, { ...USAGE, outputTokens: 72 }],
    ['the names of both endpoints, and they agree', { input_tokens: 200, output_tokens: 40 }, USAGE],
    ['the names of both endpoints, and they do not', { input_tokens: 0, output_tokens: 0 }, null],
    [
      'zeros under a total',
      {
        prompt_tokens: 0,
        completion_tokens: 0,
        prompt_tokens_details: null,
        completion_tokens_details: null,
      },
      null,
    ],
    ['a total that leaves something out', { total_tokens: 900 }, null],
    ['more cached than sent', { prompt_tokens_details: { cached_tokens: 201 } }, null],
    ['a negative part', { prompt_tokens_details: { cached_tokens: -1 } }, null],
    ['more reasoning than output', { completion_tokens_details: { reasoning_tokens: 41 } }, null],
  ])('%s', (_title, changes, expected) => {
    expect(known(CHAT, chat(changes))).toEqual(expected);
  });

  test.each<readonly [string, Record<string, unknown>, object | null]>([
    ['input alone', { prompt_tokens: 8 }, { inputTokens: 8, outputTokens: 0 }],
    [
      'output of 0',
      { prompt_tokens: 8, completion_tokens: 0, total_tokens: 8 },
      { inputTokens: 8, outputTokens: 0 },
    ],
    ['0 under a total', { prompt_tokens: 0, total_tokens: 8 }, null],
  ])('/v1/embeddings: %s', (_title, usage, expected) => {
    const got = known('/v1/embeddings', { data: [{ index: 0, embedding: [1] }], usage });
    if (expected === null) expect(got).toBeNull();
    else expect(got).toMatchObject(expected);
  });

  test('/v1/moderations is free only where it counts nothing', () => {
    const results = [{ flagged: false }];
    expect(known('/v1/moderations', { results })).toMatchObject({ inputTokens: 0 });
    expect(known('/v1/moderations', { results, usage: { prompt_tokens: 0, total_tokens: 9 } })).toBeNull();
  });
});

describe('errors, in whichever file and shape they come', () => {
  const error = (code: string | null, message = 'm', type: string | null = 'invalid_request_error') => ({
    error: { message, type, param: null, code },
  });
  test.each<readonly [string, string, Partial<ReplyResult>]>([
    [
      'B065: a 400 in the output file, top-level error null',
      line(error('context_length_exceeded'), 400),
      { status: 400, code: 'context_length_exceeded', about: 'request', unrun: null },
    ],
    [
      'B065: 200 with an error body',
      line(error(null, 'broken', 'server_error')),
      { status: 200, code: 'server_error', message: 'broken', about: 'server' },
    ],
    ['500', line(error(null, 'oops', 'server_error'), 500), { status: 500, about: 'server' }],
    [
      '503 with a body that is text',
      line('upstream connect error', 503),
      { status: 503, code: null, message: 'upstream connect error', about: 'server' },
    ],
    [
      '400 with an empty body',
      line(null, 400),
      { status: 400, code: null, message: 'HTTP 400', about: 'request' },
    ],
    [
      '429 for rate',
      line(error('rate_limit_exceeded', 'slow', 'requests'), 429),
      { status: 429, about: 'capacity' },
    ],
    [
      'B038: 429 for money',
      line(error('insufficient_quota', 'quota', 'insufficient_quota'), 429),
      { about: 'account' },
    ],
    [
      'B038: a credit message under a plain type',
      line(error(null, 'Your credit balance is too low to access the API'), 400),
      { about: 'account' },
    ],
    ['401', line(error('invalid_api_key'), 401), { about: 'account' }],
    ['B067: content policy', line(error('content_policy_violation'), 400), { about: 'content' }],
    [
      'B067: Azure puts the policy inside',
      line(
        {
          error: {
            code: 'content_filter',
            message: 'm',
            innererror: { code: 'ResponsibleAIPolicyViolation' },
          },
        },
        400,
      ),
      { code: 'ResponsibleAIPolicyViolation', about: 'content' },
    ],
    [
      'a prompt flagged by policy',
      line(error('invalid_prompt', 'flagged as potentially violating our usage policy'), 400),
      { about: 'content' },
    ],
    [
      'a prompt that is malformed',
      line(error('invalid_prompt', 'messages must alternate'), 400),
      { about: 'request' },
    ],
    [
      'a code as a number',
      line({ error: { code: 1027, message: 'm' } }, 422),
      { code: '1027', about: 'request' },
    ],
    ['usage of a failed request is kept', line({ ...error('x'), usage: USAGE_CHAT }, 500), { usage: USAGE }],
    [
      'never ran: the window closed',
      line(null, 200, {
        code: 'batch_expired',
        message: 'This request could not be executed before the completion window expired.',
      }),
      { status: null, unrun: 'expired' },
    ],
    [
      'never ran: cancelled',
      line(null, 200, { code: 'batch_cancelled', message: 'm' }),
      { unrun: 'cancelled' },
    ],
    [
      'ran into a timeout',
      line(null, 200, { code: 'request_timeout', message: 'm' }),
      { status: null, unrun: null, code: 'request_timeout', about: 'server' },
    ],
    [
      'an error that is text',
      line(null, 200, 'something broke'),
      { status: null, message: 'something broke', about: 'server' },
    ],
    [
      'an error without words',
      line(null, 200, { line: 3 }),
      { status: null, message: 'an error without words', about: 'server' },
    ],
  ])('%s', (_title, text, expected) => {
    for (const endpoint of [RESPONSES, CHAT] as const) {
      expect(resultOf(endpoint, text)).toMatchObject({ kind: 'error', ...expected });
    }
  });

  test.each<readonly [string, Record<string, unknown>, Partial<ReplyResult>]>([
    [
      'with its own error',
      { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'm' } },
      { status: 200, about: 'capacity' },
    ],
    ['for policy', { status: 'failed', error: { code: 'bio_policy', message: 'm' } }, { about: 'content' }],
    [
      'for an image',
      { status: 'failed', error: { code: 'invalid_image_url', message: 'm' } },
      { about: 'request' },
    ],
    [
      'for a reason of tomorrow',
      { status: 'failed', error: { code: 'cosmic_ray', message: 'm' } },
      { about: 'server' },
    ],
    [
      'without one',
      { status: 'failed', error: null },
      { code: 'server_error', message: 'the response is failed', usage: USAGE },
    ],
    ['cancelled', { status: 'cancelled', error: null }, { code: 'server_error' }],
  ])('a 200 around a response that failed, %s', (_title, changes, expected) => {
    expect(resultOf(RESPONSES, line(response(changes)))).toMatchObject({ kind: 'error', ...expected });
  });
});

describe('B065: what is no answer is never taken for one', () => {
  test.each<readonly [string, string, string]>([
    ['an empty body', line({}), 'a response without output'],
    ['no body', line(null), 'a response without a body'],
    ['a body that is a page', line('<html>{"output":[]}</html>'), 'a response without a body'],
    ['a body that is a text in a text', line('"{\\"output\\":[]}"'), 'a response without a body'],
    [
      'the request echoed back',
      line({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
      'a response without output',
    ],
    ['another payload', line({ prediction: 'r-1' }), 'a response without output'],
    [
      'neither response nor error',
      JSON.stringify({ custom_id: 'r-1', response: null, error: null }),
      'neither a response nor an error',
    ],
    [
      'an empty error beside no response',
      JSON.stringify({ custom_id: 'r-1', response: null, error: {} }),
      'neither a response nor an error',
    ],
    ['a status that is a word', line({ output: [] }, 'ok'), 'a response whose status is no number'],
    ['a status that is a list', line({ output: [] }, [200]), 'a response whose status is no number'],
    ['no status and no answer', line({}, null), 'a response without output'],
  ])('%s', (_title, text, detail) => {
    expect(resultOf(RESPONSES, text)).toEqual({ kind: 'malformed', detail });
  });

  test('a completion without choices, or with hollow ones', () => {
    for (const choices of [undefined, [], [null], [{}], [{ message: null }], 'x']) {
      const result = resultOf(CHAT, line({ ...completion(), choices }));
      expect(result).toEqual({ kind: 'malformed', detail: 'a completion without choices' });
    }
  });

  test.each<readonly [string, readonly unknown[]]>([
    [
      'two that claim to be the first',
      [{ index: 0, message: { content: 'a' } }, { message: { content: 'b' } }],
    ],
    ['two without an index', [{ message: { content: 'a' } }, { message: { content: 'b' } }]],
  ])('choices of which nobody knows the first: %s', (_title, choices) => {
    const result = resultOf(CHAT, line({ ...completion(), choices }));
    expect(result).toEqual({ kind: 'malformed', detail: 'a completion with several first choices' });
  });

  test.each<readonly [string, unknown]>([
    ['an object', { label: 'x' }],
    ['a number', 7],
    ['texts without a type', ['a', 'b']],
    ['parts of a type of tomorrow', [{ type: 'hologram', text: 'x' }]],
    ['a part whose text is a number', [{ type: 'text', text: 9 }]],
  ])('content in a form that nobody knows is no empty answer: %s', (_title, content) => {
    const detail = 'a completion in which no text is found';
    expect(resultOf(CHAT, line(completion({ message: { content } })))).toEqual({ kind: 'malformed', detail });
    const filtered = completion({ message: { content }, finish_reason: 'content_filter' });
    expect(resultOf(CHAT, line(filtered))).toMatchObject({ kind: 'answer', stop: 'filter' });
  });

  test.each<readonly [string, readonly unknown[]]>([
    ['items that are none', [null, 7, []]],
    ['an item of a type of tomorrow', [{ type: 'hologram', text: '{"a":1}' }]],
    ['a text that is a number', [message([{ type: 'output_text', text: 9 }])]],
    ['a part of a type of tomorrow', [message([{ type: 'hologram' }])]],
    ['content that is an object', [{ type: 'message', content: { a: 1 } }]],
  ])('output in a form that nobody knows is no empty answer: %s', (_title, output) => {
    const detail = 'a response in which no text is found';
    expect(resultOf(RESPONSES, line(response({ output })))).toEqual({ kind: 'malformed', detail });
  });

  test.each<readonly [string, string]>([
    ['cut in the middle', line(response()).slice(0, 200)],
    ['empty', ''],
    ['text', '<html>'],
    ['an array', '[]'],
    ['null', 'null'],
    ['no id', '{"response":null}'],
    ['an id that is a number', '{"custom_id":7}'],
  ])('a line that names nobody: %s', (_title, text) => {
    const reply: Reply = decode(RESPONSES, text);
    expect(reply).toMatchObject({ wireId: null, result: { kind: 'malformed' } });
  });
});

describe('answers in numbers', () => {
  const embedding = (data: unknown) => ({
    object: 'list',
    data,
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 8, total_tokens: 8 },
  });
  const INPUT_ONLY = { ...USAGE, inputTokens: 8, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 };

  test('an embedding is its numbers as JSON, and has no output tokens', () => {
    const data = [{ object: 'embedding', index: 0, embedding: [-0.006929283495992422, 1e-7, 0] }];
    expect(resultOf('/v1/embeddings', line(embedding(data)))).toEqual({
      kind: 'answer',
      texts: ['[-0.006929283495992422,1e-7,0]'],
      refusal: null,
      stop: 'complete',
      providerReason: 'none',
      servedModel: 'text-embedding-3-small',
      responseId: null,
      usage: INPUT_ONLY,
    });
  });

  const vector = (index: unknown, numbers: unknown) => ({ object: 'embedding', index, embedding: numbers });
  test.each<readonly [string, unknown, string]>([
    ['of index 0, wherever it stands', [vector(1, [9]), vector(0, [0.5])], '[0.5]'],
    ['the only one, without an index', [vector(undefined, [0.5])], '[0.5]'],
    ['the same one twice', [vector(0, [0.5]), vector(0, [0.5])], '[0.5]'],
    ['base64 of little-endian floats', [vector(0, 'AACAPwAAAL+amZk+')], '[1,-0.5,0.30000001192092896]'],
    ['base64 with padding', [vector(0, 'AACAPw==')], '[1]'],
  ])('an embedding is taken by its index, and read in either form: %s', (_title, data, text) => {
    const result = resultOf('/v1/embeddings', line(embedding(data)));
    expect(result).toMatchObject({ kind: 'answer', texts: [text], usage: INPUT_ONLY });
  });

  test.each<readonly [string, unknown, string]>([
    ['none', undefined, 'an embedding without numbers'],
    ['an empty list', [], 'an embedding without numbers'],
    ['an entry that is none', [null], 'an embedding without numbers'],
    ['an entry without numbers', [{ index: 0 }], 'an embedding without numbers'],
    ['no number at all', [vector(0, [])], 'an embedding without numbers'],
    ['a number that is null', [vector(0, [1, null])], 'an embedding without numbers'],
    ['numbers that are texts', [vector(0, ['1', '2'])], 'an embedding without numbers'],
    ['the vector of another input', [vector(1, [0.5])], 'an embedding without numbers'],
    ['base64 that is cut', [vector(0, 'AAAA')], 'an embedding without numbers'],
    ['base64 of no number (NaN)', [vector(0, 'AADAfw==')], 'an embedding without numbers'],
    ['a page', [vector(0, '<html>not found</html>')], 'an embedding without numbers'],
    ['two that claim to be the first', [vector(0, [1]), vector(0, [2])], 'several embeddings of one input'],
    [
      'two without an index',
      [vector(undefined, [1]), vector(undefined, [2])],
      'several embeddings of one input',
    ],
  ])('no embedding of ours: %s', (_title, data, detail) => {
    expect(resultOf('/v1/embeddings', line(embedding(data)))).toEqual({ kind: 'malformed', detail });
  });

  test('a moderation is its first result, and costs nothing', () => {
    const result = { flagged: true, categories: { hate: true }, category_scores: { hate: 0.9 } };
    const body = { id: 'modr-1', model: 'omni-moderation-2024-09-26', results: [result] };
    expect(resultOf('/v1/moderations', line(body))).toMatchObject({
      kind: 'answer',
      texts: [JSON.stringify(result)],
      stop: 'complete',
      responseId: 'modr-1',
      usage: { ...INPUT_ONLY, inputTokens: 0 },
    });
  });

  test('results have no index, so that two of them are nobody’s', () => {
    const results = [{ flagged: true }, { flagged: false }];
    const detail = 'several moderations of one input';
    expect(resultOf('/v1/moderations', line({ results }))).toEqual({ kind: 'malformed', detail });
  });

  test.each([undefined, [], ['x']])('no result: %j', (results) => {
    const detail = 'a moderation without results';
    expect(resultOf('/v1/moderations', line({ id: 'modr-1', results }))).toEqual({
      kind: 'malformed',
      detail,
    });
  });

  test('an error counts its usage as any does', () => {
    const body = {
      error: { message: 'no', type: 'invalid_request_error', code: null },
      usage: { prompt_tokens: 8 },
    };
    const about = { kind: 'error', status: 400, about: 'request', usage: INPUT_ONLY };
    expect(resultOf('/v1/embeddings', line(body, 400))).toMatchObject(about);
  });
});

test('B029: a byte order mark before the first line is not part of it', () => {
  expect(decode(RESPONSES, `\ufeff${line(response())}`)).toMatchObject({ wireId: 'r-1', result: ANSWER });
});

test('an empty error beside an answer is no error', () => {
  for (const error of [{}, '', null, undefined]) {
    expect(resultOf(CHAT, line(completion({}, { error }), 200, error))).toMatchObject(ANSWER);
  }
});

describe('whole lines with every field that openai SDK 7.59.0 declares, and what they are read as', () => {
  test.each([
    ['responses', RESPONSES],
    ['chat', CHAT],
  ] as const)('%s', async (name, endpoint) => {
    const folder = new URL('../../fixtures/provider/openai/decode/', import.meta.url);
    const lines = Array.from(
      linesOfFile(fileURLToPath(new URL(`${name}.jsonl`, folder))),
      (each) => textOf(each) ?? '',
    );
    const replies = lines.map((each) => `${JSON.stringify(decode(endpoint, each), null, 1)}\n`).join('');
    await expect(replies).toMatchFileSnapshot(fileURLToPath(new URL(`${name}.replies.txt`, folder)));
  });
});
