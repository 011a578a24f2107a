import { describe, expect, test } from 'vitest';
import type { ReplyResult } from '../../../runner/outcome/outcome.ts';
import { decode } from '../../../runner/provider/gemini/decode.ts';

function resultOf(line: Record<string, unknown>): ReplyResult {
  const reply = decode('generateContent', JSON.stringify({ key: 'r-1', ...line }));
  expect(reply.wireId).toBe('r-1');
  return reply.result;
}

const USAGE_METADATA = {
  promptTokenCount: 200,
  cachedContentTokenCount: 128,
  candidatesTokenCount: 8,
  thoughtsTokenCount: 32,
  totalTokenCount: 240,
};
const USAGE = {
  inputTokens: 200,
  outputTokens: 40,
  cachedTokens: 128,
  cacheWriteTokens: 0,
  reasoningTokens: 32,
};

function response(candidate: Record<string, unknown> = {}, changes: Record<string, unknown> = {}) {
  const whole = {
    content: { role: 'model', parts: [{ text: '{"a":1}' }] },
    finishReason: 'STOP',
    index: 0,
    ...candidate,
  };
  return {
    candidates: [whole],
    usageMetadata: USAGE_METADATA,
    modelVersion: 'gemini-3.8-flash-001',
    responseId: 'abc',
    ...changes,
  };
}

const parts = (...each: unknown[]) => ({ content: { role: 'model', parts: each } });
const ANSWER = { kind: 'answer', texts: ['{"a":1}'], refusal: null, stop: 'complete', usage: USAGE } as const;

describe('answers', () => {
  test.each<readonly [string, Record<string, unknown>, Partial<ReplyResult>]>([
    [
      'a plain one',
      response(),
      { ...ANSWER, providerReason: 'STOP', servedModel: 'gemini-3.8-flash-001', responseId: 'abc' },
    ],
    ['several parts are one text', response(parts({ text: '{"a"' }, { text: ':1}' })), ANSWER],
    [
      'thoughts are not the answer',
      response(parts({ text: 'hm', thought: true }, { text: '{"a":1}' })),
      ANSWER,
    ],
    ['code that Google ran', response(parts({ executableCode: {} }, { text: '{"a":1}' })), ANSWER],
    ['nothing but thoughts', response(parts({ text: 'hm', thought: true })), { texts: [], stop: 'complete' }],
    ['no parts', response({ content: { role: 'model' } }), { texts: [], stop: 'complete' }],
    [
      'B068: cut by the cap, by thinking too',
      response({ finishReason: 'MAX_TOKENS', content: {} }),
      { stop: 'token_cap', texts: [], usage: USAGE },
    ],
    [
      'B067: filtered, with words',
      response({ finishReason: 'SAFETY', finishMessage: 'Blocked for safety.' }),
      { stop: 'filter', refusal: 'Blocked for safety.', providerReason: 'SAFETY' },
    ],
    [
      'a function call that nobody asked for',
      response(parts({ functionCall: { name: 'f', args: {} } })),
      { stop: 'tool' },
    ],
    ['a reason of tomorrow', response({ finishReason: 'ESCALATION' }), { stop: 'unknown' }],
    [
      'a reason named like a property of every object',
      response({ finishReason: 'constructor' }),
      { stop: 'unknown' },
    ],
    ['no reason', response({ finishReason: undefined }), { stop: 'unknown', providerReason: 'none' }],
    [
      'B067: a blocked prompt has no candidates',
      {
        promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
        usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
        modelVersion: 'm',
      },
      {
        kind: 'answer',
        stop: 'filter',
        texts: [],
        refusal: null,
        providerReason: 'prompt blocked: PROHIBITED_CONTENT',
        usage: { inputTokens: 7, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      },
    ],
    ['an odd part beside the text', response(parts(7, { hologram: {} }, { text: '{"a":1}' })), ANSWER],
    ['a signature alone', response(parts({ thoughtSignature: 's' }, { text: '{"a":1}' })), ANSWER],
    [
      'the candidate of index 0, wherever it stands',
      response({}, { candidates: [{ ...parts({ text: 'x' }), index: 1 }, ...response().candidates] }),
      ANSWER,
    ],
    ['the only candidate, without an index', response({ index: undefined }), ANSWER],
    [
      'no usage, model or id',
      response({}, { usageMetadata: null, modelVersion: '', responseId: null }),
      { usage: null, servedModel: null, responseId: null },
    ],
    ['usage that cannot be', response({}, { usageMetadata: { promptTokenCount: -1 } }), { usage: null }],
    [
      'tokens of tools are input',
      response(
        {},
        { usageMetadata: { promptTokenCount: 3, toolUsePromptTokenCount: 2, candidatesTokenCount: 4 } },
      ),
      {
        usage: { inputTokens: 5, outputTokens: 4, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      },
    ],
  ])('%s', (_title, body, expected) => {
    expect(resultOf({ response: body })).toMatchObject(expected);
  });

  test.each([
    ['RECITATION', 'filter'],
    ['BLOCKLIST', 'filter'],
    ['PROHIBITED_CONTENT', 'filter'],
    ['SPII', 'filter'],
    ['IMAGE_SAFETY', 'filter'],
    ['LANGUAGE', 'language'],
    ['OTHER', 'unknown'],
    ['MALFORMED_FUNCTION_CALL', 'tool'],
    ['UNEXPECTED_TOOL_CALL', 'tool'],
    ['MALFORMED_RESPONSE', 'unknown'],
    ['FINISH_REASON_UNSPECIFIED', 'unknown'],
  ])('B067: %s means %s', (finishReason, stop) => {
    expect(resultOf({ response: response({ finishReason }) })).toMatchObject({ stop });
  });
});

describe('usage that contradicts itself is unknown', () => {
  test.each<readonly [string, Record<string, unknown>, object | null]>([
    ['as Google counts', {}, USAGE],
    ['without a total', { totalTokenCount: undefined }, USAGE],
    [
      'what tools brought is in the total',
      { toolUsePromptTokenCount: 5, totalTokenCount: 245 },
      { ...USAGE, inputTokens: 205 },
    ],
    [
      'thoughts within the candidates, by the total',
      { candidatesTokenCount: 40, totalTokenCount: 240 },
      USAGE,
    ],
    [
      'zeros left out under a total',
      { candidatesTokenCount: undefined, thoughtsTokenCount: undefined },
      null,
    ],
    ['a total that leaves something out', { totalTokenCount: 250 }, null],
    ['more cached than sent', { cachedContentTokenCount: 201 }, null],
    ['a negative part', { thoughtsTokenCount: -1, totalTokenCount: undefined }, null],
  ])('%s', (_title, changes, expected) => {
    const body = response({}, { usageMetadata: { ...USAGE_METADATA, ...changes } });
    const result = resultOf({ response: body });
    expect(result.kind === 'answer' ? result.usage : 'none').toEqual(expected);
  });
});

describe('content in a form that nobody knows is no empty answer', () => {
  test.each<readonly [string, unknown]>([
    ['parts that are none', { parts: [null, 7, []] }],
    ['a text that is a number', { parts: [{ text: 9 }] }],
    ['a part of tomorrow', { parts: [{ hologram: 'x' }] }],
    ['content that is text', '{"a":1}'],
    ['parts that are text', { parts: '{"a":1}' }],
  ])('%s', (_title, content) => {
    const detail = 'a response in which no text is found';
    expect(resultOf({ response: response({ content }) })).toEqual({ kind: 'malformed', detail });
    const blocked = response({ content, finishReason: 'SAFETY' });
    expect(resultOf({ response: blocked })).toMatchObject({ kind: 'answer', stop: 'filter' });
  });

  test('nor are two candidates of which nobody knows the first', () => {
    const candidates = [parts({ text: 'a' }), parts({ text: 'b' })];
    const detail = 'a response with several first candidates';
    expect(resultOf({ response: response({}, { candidates }) })).toEqual({ kind: 'malformed', detail });
  });
});

describe('an object may stand as text', () => {
  test.each<readonly [string, Record<string, unknown>, object]>([
    ['the response', { response: JSON.stringify(response()) }, ANSWER],
    ['an error', { error: JSON.stringify({ code: 3, message: 'm' }) }, { kind: 'error', status: 400 }],
    ['but not a page', { response: '<html>' }, { kind: 'malformed' }],
  ])('%s', (_title, line, expected) => {
    expect(resultOf(line)).toMatchObject(expected);
  });
});

describe('embeddings', () => {
  const of = (line: Record<string, unknown>) =>
    decode('embedContent', JSON.stringify({ key: 'r-1', ...line })).result;

  test.each([
    ['7', { inputTokens: 7, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }],
    [7, { inputTokens: 7 }],
    [undefined, null],
    ['many', null],
  ])('numbers are the answer, and the count %j is its usage', (tokenCount, usage) => {
    const result = of({ response: { embedding: { values: [0.5, -1e-3] }, tokenCount } });
    expect(result).toMatchObject({ kind: 'answer', texts: ['[0.5,-0.001]'], stop: 'complete', usage });
  });

  test('without numbers there is no answer, and an error is one here too', () => {
    const detail = 'an embedding without numbers';
    expect(of({ response: { embedding: {} } })).toEqual({ kind: 'malformed', detail });
    expect(of({ response: { embedding: { values: [1, 'x'] } } })).toEqual({ kind: 'malformed', detail });
    expect(of({ error: { code: 3, message: 'm' } })).toMatchObject({ kind: 'error', status: 400 });
  });
});

describe('errors of a line', () => {
  test.each<readonly [string, Record<string, unknown>, Partial<ReplyResult>]>([
    [
      'a google.rpc code',
      { error: { code: 3, message: 'too long' } },
      { status: 400, code: 'INVALID_ARGUMENT', message: 'too long', about: 'request', unrun: null },
    ],
    [
      'a code of HTTP',
      { error: { code: 429, message: 'm' } },
      { status: 429, code: null, about: 'capacity' },
    ],
    ['no room', { error: { code: 8, message: 'm' } }, { status: 429, about: 'capacity' }],
    ['no right', { error: { code: 7, message: 'm' } }, { status: 403, about: 'account' }],
    [
      'an outage',
      { error: { code: 14, message: 'm' } },
      { status: 503, code: 'UNAVAILABLE', about: 'server' },
    ],
    ['too slow', { error: { code: 4, message: 'm' } }, { status: 504, about: 'server' }],
    ['cancelled', { error: { code: 1, message: 'm' } }, { unrun: 'cancelled' }],
    [
      'a word without a code',
      { error: { status: 'INTERNAL', message: 'm' } },
      { status: null, code: 'INTERNAL' },
    ],
    ['the guide’s status object', { status: { code: 13, message: 'm' } }, { status: 500, about: 'server' }],
    ['inside of a response', { response: { error: { code: 3, message: 'm' } } }, { status: 400 }],
    ['text alone', { error: 'broken' }, { message: 'broken', status: null, about: 'server' }],
    ['a code that nobody has', { error: { code: 55 } }, { status: null, message: 'an error without words' }],
  ])('B066: %s', (_title, line, expected) => {
    expect(resultOf(line)).toMatchObject({ kind: 'error', ...expected });
  });

  test('an answer beside an empty error is an answer', () => {
    expect(resultOf({ response: response(), error: {} })).toMatchObject(ANSWER);
  });
});

describe('lines that nobody can read', () => {
  test.each([
    ['[]', null, 'not a JSON object'],
    ['{"key":', null, 'not a JSON object'],
    ['{"response":{}}', null, 'no key'],
    ['{"key":7,"response":{}}', null, 'no key'],
    ['{"key":"k"}', 'k', 'neither a response nor an error'],
    ['{"key":"k","response":{}}', 'k', 'a response without candidates'],
    ['{"key":"k","response":{"candidates":[]}}', 'k', 'a response without candidates'],
  ])('B064: %s', (line, wireId, detail) => {
    expect(decode('generateContent', line)).toEqual({ wireId, result: { kind: 'malformed', detail } });
  });

  test('a byte order mark is no part of the line', () => {
    expect(decode('generateContent', '\ufeff{"key":"k","error":{"code":3}}').wireId).toBe('k');
  });
});
