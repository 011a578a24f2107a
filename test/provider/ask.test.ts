import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withEffects } from '../../runner/effects.ts';
import { type IntentId, wireId } from '../../runner/ids.ts';
import type { AskOrder, Provider } from '../../runner/provider/port.ts';
import { providerFor } from '../../runner/provider/registry.ts';
import type { Endpoint } from '../../runner/spec/job.ts';
import { normaliseSettings } from '../../runner/spec/normalise-settings.ts';
import type { ProviderKind } from '../../runner/spec/profiles.ts';
import { type Answer, hangUp, json, type Loopback, startLoopback, text } from '../support/loopback.ts';

interface Case {
  readonly kind: ProviderKind;
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly answer: unknown;
  readonly error: unknown;
}

/** Each provider's own words for one good answer and for a model that it does not have. */
const CASES: readonly Case[] = [
  {
    kind: 'openai',
    endpoint: '/v1/responses',
    path: '/v1/responses',
    answer: {
      id: 'resp_1',
      status: 'completed',
      model: 'm-1',
      output: [{ type: 'message', content: [{ type: 'output_text', text: '{"a":1}' }] }],
      usage: { input_tokens: 8, output_tokens: 4 },
    },
    error: { error: { message: 'no such model', type: 'invalid_request_error', code: 'model_not_found' } },
  },
  {
    kind: 'anthropic',
    endpoint: '/v1/messages',
    path: '/v1/messages',
    answer: {
      id: 'msg_1',
      type: 'message',
      model: 'm-1',
      content: [{ type: 'text', text: '{"a":1}' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 8, output_tokens: 4 },
    },
    error: { type: 'error', error: { type: 'not_found_error', message: 'no such model' } },
  },
  {
    kind: 'gemini',
    endpoint: 'generateContent',
    path: '/v1beta/models/m:generateContent',
    answer: {
      candidates: [{ content: { parts: [{ text: '{"a":1}' }] }, finishReason: 'STOP' }],
      modelVersion: 'm-1',
      usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 4, totalTokenCount: 12 },
    },
    error: { error: { code: 404, message: 'no such model', status: 'NOT_FOUND' } },
  },
];

/** OpenAI's address has the API's version in it; the others' adapters add theirs. */
function openAt(kind: ProviderKind, { url, origin }: Loopback): Promise<Provider> {
  const baseUrl = kind === 'openai' ? url : origin;
  const settings = normaliseSettings({ providers: { here: { kind, base_url: baseUrl, api_key_env: 'X' } } });
  return providerFor('here', settings, { X: KEY });
}

const KEY = 'sk-0123456789abcdefghij';
const ID = wireId('abcdefghij012345' as IntentId, 7);
/** Numbers that a parser would round. */
const BODY = '{"model":"m","n":9007199254740993,"x":1.10}';

describe.each(CASES)(
  '$kind: a request that is answered at once',
  ({ kind, endpoint, path, answer, error }) => {
    let server: Loopback;
    let provider: Provider;

    beforeEach(async () => {
      server = await startLoopback();
      provider = await openAt(kind, server);
    });
    afterEach(() => server[Symbol.asyncDispose]());

    async function asked(...answers: Answer[]) {
      server.answer(...answers);
      const order: AskOrder = { wireId: ID, endpoint, model: 'm', body: BODY };
      const effects: string[] = [];
      const result = await withEffects(
        ({ name, target }) => void effects.push(`${name} ${target}`),
        () => provider.ask(order),
      );
      return { result, effects };
    }

    async function lineOf(...answers: Answer[]): Promise<string> {
      const { result } = await asked(...answers);
      if (result.kind !== 'answered') throw new Error(JSON.stringify(result));
      return result.line;
    }

    test('its answer is a line that a batch could have had', async () => {
      const { result, effects } = await asked(json(answer));
      expect(result).toMatchObject({ kind: 'answered', line: expect.not.stringContaining('\n') });
      expect(provider.decode(endpoint, result.kind === 'answered' ? result.line : '')).toMatchObject({
        wireId: ID,
        result: {
          kind: 'answer',
          texts: ['{"a":1}'],
          stop: 'complete',
          servedModel: 'm-1',
          usage: { inputTokens: 8, outputTokens: 4 },
        },
      });
      expect(effects).toEqual([`http.send ask ${ID}`, `http.answered ask ${ID}`]);
    });

    test('what is asked is byte for byte what a batch asks', async () => {
      await asked(json(answer));
      expect(server.asked.map((each) => [each.method, each.path, each.body])).toEqual([['POST', path, BODY]]);
    });

    test('an answer over several lines is one line', async () => {
      const pretty = text(JSON.stringify(answer, null, 2), 200, { 'content-type': 'application/json' });
      expect(provider.decode(endpoint, await lineOf(pretty)).result).toMatchObject({ texts: ['{"a":1}'] });
    });

    test('a model that is not there is an answer about this request', async () => {
      const { result } = provider.decode(endpoint, await lineOf(json(error, 404)));
      expect(result).toMatchObject({
        kind: 'error',
        message: 'no such model',
        about: 'request',
        usage: null,
      });
    });

    test('it is sent once, whatever the server says', async () => {
      for (const status of [408, 409, 429, 500, 503])
        await lineOf(json(error, status, { 'retry-after': '0' }));
      expect(server.asked).toHaveLength(5);
    });

    test('a key that a gateway repeats is in no line', async () => {
      const page = JSON.stringify(error).replace('no such model', `no model for ${KEY}`);
      for (const answer of [
        text(page, 401, { 'content-type': 'application/json' }),
        text(`<p>${KEY}</p>`, 502),
      ])
        expect(await lineOf(answer)).not.toContain(KEY);
    });

    // Gateways of Google's do so.
    if (kind === 'gemini')
      test('an error that a gateway wraps into a list keeps its words', async () => {
        const { result } = provider.decode(endpoint, await lineOf(json([error], 404)));
        expect(result).toMatchObject({ kind: 'error', message: expect.stringContaining('no such model') });
      });

    test('an error page of a gateway is an error', async () => {
      const line = await lineOf(text('<html>\n<h1>Bad gateway</h1>', 502));
      expect(provider.decode(endpoint, line).result.kind).toBe('error');
    });

    test('an answer that was lost may have cost money', async () => {
      expect((await asked(hangUp)).result).toMatchObject({ kind: 'unknown', error: { about: 'network' } });
      expect(server.asked).toHaveLength(1);
    });

    test('a server that is not there was asked nothing', async () => {
      await server[Symbol.asyncDispose]();
      expect((await asked()).result).toMatchObject({ kind: 'not_sent', error: { code: 'ECONNREFUSED' } });
    });
  },
);
