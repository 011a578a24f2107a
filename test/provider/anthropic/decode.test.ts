import { describe, expect, test } from 'vitest';
import type { ReplyResult } from '../../../runner/outcome/outcome.ts';
import { decode } from '../../../runner/provider/anthropic/decode.ts';

const ID = 'abcdefghij012345_7';

function resultOf(result: unknown): ReplyResult {
  const reply = decode('/v1/messages', JSON.stringify({ custom_id: ID, result }));
  expect(reply.wireId).toBe(ID);
  return reply.result;
}

const USAGE = {
  input_tokens: 50,
  cache_creation_input_tokens: 30,
  cache_read_input_tokens: 120,
  cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 0 },
  output_tokens: 40,
  output_tokens_details: { thinking_tokens: 32 },
  server_tool_use: null,
  service_tier: 'batch',
};

/** `Message` of @anthropic-ai/sdk 1.14.0. */
function message(changes: Record<string, unknown> = {}): ReplyResult {
  const whole = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5-20251001',
    content: [{ type: 'text', text: '{"a":1}', citations: null }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    stop_details: null,
    usage: USAGE,
    ...changes,
  };
  return resultOf({ type: 'succeeded', message: whole });
}

describe('a message', () => {
  test('whole: text, stop, model, id and usage', () => {
    expect(message()).toEqual({
      kind: 'answer',
      texts: ['{"a":1}'],
      refusal: null,
      stop: 'complete',
      providerReason: 'end_turn',
      servedModel: 'claude-haiku-4-5-20251001',
      responseId: 'msg_1',
      usage: {
        inputTokens: 200,
        outputTokens: 40,
        cachedTokens: 120,
        cacheWriteTokens: 30,
        reasoningTokens: 32,
      },
    });
  });

  test.each<readonly [unknown, string]>([
    ['end_turn', 'complete'],
    ['stop_sequence', 'complete'],
    ['max_tokens', 'token_cap'],
    ['model_context_window_exceeded', 'context_window'],
    ['tool_use', 'tool'],
    ['pause_turn', 'unknown'],
    ['refusal', 'filter'],
    ['a_word_of_tomorrow', 'unknown'],
    [null, 'unknown'],
  ])('B070: stop reason %s is %s', (reason, stop) => {
    const providerReason = reason ?? 'none';
    expect(message({ stop_reason: reason })).toMatchObject({ kind: 'answer', stop, providerReason });
  });

  const text = (words: string) => ({ type: 'text', text: words, citations: null });
  const thinking = { type: 'thinking', thinking: 'Let me see.', signature: 's' };
  const tool = { type: 'tool_use', id: 'toolu_1', name: 'answer', input: { a: 1 } };

  test.each<readonly [string, unknown, string | null, string]>([
    ['several texts are one answer', [text('{"a"'), text(':1}')], '{"a":1}', 'complete'],
    ['thinking is no answer', [thinking, text('{"a":1}')], '{"a":1}', 'complete'],
    ['nor is thinking that was redacted', [{ type: 'redacted_thinking', data: 'x' }], null, 'complete'],
    ['a call of a tool, whatever the reason says', [text('I shall ask.'), tool], 'I shall ask.', 'tool'],
    ['a hosted tool ends before the answer', [{ type: 'server_tool_use' }, text('x')], 'x', 'complete'],
    ['no blocks at all', [], null, 'complete'],
    ['an empty text', [text('')], '', 'complete'],
    ['a text alone, as gateways write it', '{"a":1}', '{"a":1}', 'complete'],
    ['an odd block beside the text', [7, { type: 'hologram' }, text('x')], 'x', 'complete'],
  ])('%s', (_title, content, expected, stop) => {
    expect(message({ content })).toMatchObject({
      kind: 'answer',
      texts: expected === null ? [] : [expected],
      stop,
      refusal: null,
    });
  });

  test.each<readonly [string, unknown]>([
    ['blocks that are none', [null, 7, 'text']],
    ['a text without words', [{ type: 'text' }]],
    ['a block of a type of tomorrow', [{ type: 'hologram', text: 'x' }]],
  ])('content in a form that nobody knows is no empty answer: %s', (_title, content) => {
    const detail = 'a message in which no text is found';
    expect(message({ content })).toEqual({ kind: 'malformed', detail });
    expect(message({ content, stop_reason: 'refusal' })).toMatchObject({ kind: 'answer', stop: 'filter' });
  });

  test.each<readonly [string, unknown, string]>([
    [
      'with words',
      { type: 'refusal', category: 'cyber', explanation: 'It could harm.' },
      'cyber: It could harm.',
    ],
    ['with a category alone', { type: 'refusal', category: 'bio', explanation: null }, 'bio'],
    ['without details', null, 'refusal'],
  ])('B067: a refusal %s', (_title, stop_details, refusal) => {
    expect(message({ stop_reason: 'refusal', stop_details, content: [text('I')] })).toMatchObject({
      kind: 'answer',
      stop: 'filter',
      refusal,
      texts: ['I'],
    });
  });
});

describe('an object may stand as text', () => {
  const asText = JSON.stringify({
    content: [{ type: 'text', text: '{"a":1}' }],
    stop_reason: 'end_turn',
    usage: USAGE,
  });
  test.each<readonly [string, unknown, object]>([
    ['the message', { type: 'succeeded', message: asText }, { kind: 'answer', stop: 'complete' }],
    ['the result', JSON.stringify({ type: 'succeeded', message: asText }), { kind: 'answer' }],
    [
      'an error',
      { type: 'errored', error: JSON.stringify({ error: { type: 'billing_error', message: 'm' } }) },
      { kind: 'error', code: 'billing_error', about: 'account' },
    ],
    ['but not a page', { type: 'succeeded', message: '<html>' }, { kind: 'malformed' }],
  ])('%s', (_title, result, expected) => {
    expect(resultOf(result)).toMatchObject(expected);
  });
});

describe('usage is normalised, and nothing counts twice', () => {
  test.each<readonly [string, unknown, Record<string, number> | null]>([
    ['without a cache', { input_tokens: 9, output_tokens: 2 }, { inputTokens: 9, cachedTokens: 0 }],
    [
      'with nulls',
      {
        input_tokens: 9,
        output_tokens: 2,
        cache_read_input_tokens: null,
        cache_creation_input_tokens: null,
        output_tokens_details: null,
      },
      { inputTokens: 9, cacheWriteTokens: 0, reasoningTokens: 0 },
    ],
    [
      'with the parts of a write alone',
      {
        input_tokens: 9,
        output_tokens: 2,
        cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
      },
      { inputTokens: 16, cacheWriteTokens: 7 },
    ],
    [
      'with nothing of a cache',
      { input_tokens: 9, output_tokens: 2, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
      { inputTokens: 9, cachedTokens: 0, cacheWriteTokens: 0 },
    ],
    ['with a sum and no parts', { ...USAGE, cache_creation: {} }, { cacheWriteTokens: 30 }],
    [
      'with parts that are not the sum',
      { ...USAGE, cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 } },
      null,
    ],
    ['with more thinking than output', { ...USAGE, output_tokens_details: { thinking_tokens: 41 } }, null],
    ['with a negative part', { ...USAGE, cache_read_input_tokens: -1 }, null],
    ['with a part that is text', { ...USAGE, cache_creation_input_tokens: '30' }, null],
    ['with a negative input', { ...USAGE, input_tokens: -150 }, null],
    ['without output', { input_tokens: 9 }, null],
    ['absent', undefined, null],
  ])('%s', (_title, usage, expected) => {
    const result = message({ usage });
    expect(result).toMatchObject({ kind: 'answer' });
    const got = result.kind === 'answer' ? result.usage : undefined;
    if (expected === null) expect(got).toBeNull();
    else expect(got).toMatchObject(expected);
  });
});

describe('what did not succeed', () => {
  const error = (type: string, changes: Record<string, unknown> = {}) => ({
    type: 'errored',
    error: { type: 'error', error: { type, message: 'because', ...changes }, request_id: 'req_1' },
  });
  test.each<readonly [string, unknown, Record<string, unknown>]>([
    ['a bad request', error('invalid_request_error'), { code: 'invalid_request_error', about: 'request' }],
    ['a server that broke', error('api_error'), { code: 'api_error', about: 'server' }],
    ['an overloaded one', error('overloaded_error'), { about: 'capacity' }],
    ['no credit', error('billing_error'), { about: 'account' }],
    [
      'a spend limit',
      error('rate_limit_error', { details: { error_code: 'enforced_spend_limit_reached' } }),
      { code: 'enforced_spend_limit_reached', about: 'account' },
    ],
    [
      'B038: no credit, in the words of a bad request',
      error('invalid_request_error', { message: 'Your credit balance is too low to access the API.' }),
      { about: 'account' },
    ],
    ['no words', { type: 'errored', error: {} }, { code: null, message: 'an error without words' }],
    ['nothing', { type: 'errored' }, { message: 'an error without words', about: 'server' }],
    ['expired', { type: 'expired' }, { unrun: 'expired' }],
    ['cancelled', { type: 'canceled' }, { unrun: 'cancelled' }],
  ])('%s', (_title, result, expected) => {
    expect(resultOf(result)).toMatchObject({ kind: 'error', status: null, usage: null, ...expected });
  });
});

describe('a line that says nothing', () => {
  test.each<readonly [string, string, string | null, string]>([
    ['no JSON', '{"custom_id":"a","result":{"type":"succ', null, 'not a JSON object'],
    ['an array', '[]', null, 'not a JSON object'],
    ['no id', '{"result":{"type":"expired"}}', null, 'no custom_id'],
    ['no result', `{"custom_id":"${ID}"}`, ID, 'no result'],
    [
      'a type of tomorrow',
      `{"custom_id":"${ID}","result":{"type":"paused"}}`,
      ID,
      'a result of a type that nobody knows',
    ],
    [
      'an empty message',
      `{"custom_id":"${ID}","result":{"type":"succeeded","message":{}}}`,
      ID,
      'a message without content',
    ],
    [
      'a message that is none',
      `{"custom_id":"${ID}","result":{"type":"succeeded"}}`,
      ID,
      'a message without content',
    ],
  ])('%s', (_title, line, wireId, detail) => {
    expect(decode('/v1/messages', line)).toEqual({ wireId, result: { kind: 'malformed', detail } });
  });

  test('a byte order mark is passed over', () => {
    const line = `\ufeff${JSON.stringify({ custom_id: ID, result: { type: 'expired' } })}`;
    expect(decode('/v1/messages', line)).toMatchObject({ wireId: ID, result: { kind: 'error' } });
  });
});
