import { describe, expect, test } from 'vitest';
import { UserError } from '../../../runner/errors.ts';
import type { JsonObject } from '../../../runner/ids.ts';
import { encoder, wireEnvelope, wireLine, withTokenCap } from '../../../runner/provider/openai/encode.ts';
import type { ModelSpec, OutputSpec } from '../../../runner/spec/job.ts';
import { PromptError } from '../../../runner/spec/prompt-values.ts';

const schema: JsonObject = {
  type: 'object',
  properties: { label: { type: 'string', enum: ['billing', 'technical'] } },
  required: ['label'],
  additionalProperties: false,
};
const loose: JsonObject = { type: 'object', properties: { label: { type: 'string' } } };
const json: OutputSpec = { kind: 'json', schema: 'ticket-label.schema.json', maxTokens: 60 };
const prose: OutputSpec = { kind: 'text', maxTokens: 400 };
const messages = { system: 'Choose a label.', user: 'Größe „falsch“\nline two \u2028 and 😀' };

function model(changes: Partial<ModelSpec> = {}): ModelSpec {
  return {
    provider: 'openai',
    name: 'gpt-5.4-mini',
    endpoint: '/v1/responses',
    temperature: null,
    reasoning: null,
    seed: null,
    raw: {},
    ...changes,
  };
}

const chat = '/v1/chat/completions' as const;
const embeddings = '/v1/embeddings' as const;
const vector = (dimensions: number | null): OutputSpec => ({ kind: 'embedding', dimensions, maxTokens: 0 });
const raw: JsonObject = { service_tier: 'default', text: { verbosity: 'low' }, metadata: { team: 'a' } };

describe('B044: request bodies stand in golden files', () => {
  const cases: readonly (readonly [string, ModelSpec, OutputSpec, JsonObject | null])[] = [
    ['responses-json', model(), json, schema],
    ['responses-json-loose', model(), json, loose],
    ['responses-text', model(), prose, null],
    ['responses-parameters', model({ temperature: 0, reasoning: 'low', raw }), json, schema],
    ['chat-json', model({ endpoint: chat }), json, schema],
    ['chat-json-loose', model({ endpoint: chat }), json, loose],
    ['chat-text', model({ endpoint: chat }), prose, null],
    [
      'chat-parameters',
      model({ endpoint: chat, temperature: 0.5, reasoning: 'none', seed: 7, raw }),
      json,
      schema,
    ],
    ['embeddings', model({ name: 'text-embedding-3-small', endpoint: embeddings }), vector(null), null],
    [
      'embeddings-parameters',
      model({ name: 'text-embedding-3-small', endpoint: embeddings, raw: { user: 'team-a' } }),
      vector(256),
      null,
    ],
    [
      'moderations',
      model({ name: 'omni-moderation-latest', endpoint: '/v1/moderations' }),
      { kind: 'moderation', maxTokens: 0 },
      null,
    ],
  ];
  test.each(cases)('%s', async (name, spec, output, sent) => {
    const line = wireLine('abcdefghij012345_7', spec.endpoint, encoder(spec, output, sent)(messages));
    await expect(`${line}\n`).toMatchFileSnapshot(`../../fixtures/provider/openai/encode/${name}.jsonl`);
    expect(line).not.toMatch(/[\n\u2028\u2029\u0085]/);
  });

  test.each([
    [embeddings, vector(null)],
    ['/v1/moderations', { kind: 'moderation', maxTokens: 0 }],
  ] as const)(
    'an empty text is refused row by row at %s, since it would be refused there',
    (endpoint, output) => {
      const encode = encoder(model({ endpoint }), output, null);
      expect(() => encode({ system: null, user: '' })).toThrow(PromptError);
      expect(() => withTokenCap(encode({ system: null, user: 'x' }), endpoint, 100)).toThrow(RangeError);
    },
  );

  test('without a system prompt there is no system message', () => {
    const body = JSON.parse(encoder(model(), prose, null)({ system: null, user: 'x' }));
    expect(body).toEqual({
      model: 'gpt-5.4-mini',
      max_output_tokens: 400,
      input: [{ role: 'user', content: 'x' }],
    });
  });

  test('a system prompt that changes from row to row', () => {
    const encode = encoder(model({ endpoint: chat }), prose, null);
    const systems = ['a', 'a', null, 'b', ''].map(
      (system) => JSON.parse(encode({ system, user: 'x' })).messages,
    );
    const user = { role: 'user', content: 'x' };
    expect(systems).toEqual([
      [{ role: 'system', content: 'a' }, user],
      [{ role: 'system', content: 'a' }, user],
      [user],
      [{ role: 'system', content: 'b' }, user],
      [{ role: 'system', content: '' }, user],
    ]);
  });
});

describe('B027: no line reader can cut a request line', () => {
  const hostile = '\u2028\u2029\u0085\r\n\u0000\u001f"\\ {{x}} \ufeff';

  test.each(['/v1/responses', chat] as const)('%s', (endpoint) => {
    const encode = encoder(model({ endpoint, raw: { note: hostile } }), prose, null);
    const body = encode({ system: hostile, user: hostile });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may stand in the line.
    expect(body).not.toMatch(/[\u0000-\u001f\u0085\u2028\u2029]/);
    const parsed = JSON.parse(body);
    expect(parsed.note).toBe(hostile);
    expect((parsed.input ?? parsed.messages).map((each: { content: string }) => each.content)).toEqual([
      hostile,
      hostile,
    ]);
  });
});

describe('what cannot go together is refused before anything is rendered', () => {
  const reserved = [
    'model',
    'input',
    'messages',
    'stream',
    'background',
    'n',
    'max_tokens',
    'max_output_tokens',
    'max_completion_tokens',
  ];
  test.each([
    ['seed at /v1/responses', 'seed-not-taken', model({ seed: 1 })],
    ...reserved.map((name) => [`raw.${name}`, 'raw-reserved', model({ raw: { [name]: 1 } })] as const),
  ] as const)('%s', (_title, code, spec) => {
    const make = () => encoder(spec, prose, null);
    expect(make).toThrow(UserError);
    expect(make).toThrow(expect.objectContaining({ findings: [expect.objectContaining({ code })] }));
  });
});

describe('the raised cap of a retry', () => {
  test.each(['/v1/responses', chat] as const)('%s: everything else stays byte for byte', (endpoint) => {
    const odd = { const: '"max_output_tokens":60 and "max_completion_tokens":60', big: JSON.parse('1e300') };
    const spec = model({ endpoint, name: 'a "quoted\\" model', raw: { seen: odd } });
    const encode = encoder(spec, json, schema);
    const raised = encoder(spec, { ...json, maxTokens: 1200 }, schema);
    const row = { system: '"max_output_tokens":60', user: '","max_completion_tokens":60}' };
    expect(withTokenCap(encode(row), endpoint, 1200)).toBe(raised(row));
  });

  test('a body that is not ours is refused, and one with numbers that a double cannot hold is left exact', () => {
    expect(() => withTokenCap('{"model":"m"}', chat, 9)).toThrow(RangeError);
    expect(() => withTokenCap('{"model":"m","max_completion_tokens":null}', chat, 9)).toThrow(RangeError);
    const exact = '{"model":"m","max_completion_tokens":60,"x":12345678901234567890}';
    expect(withTokenCap(exact, chat, 90)).toBe(exact.replace(':60', ':90'));
  });
});

test('the envelope is what the batch guide shows', () => {
  const { beforeId, afterId, afterBody } = wireEnvelope(chat);
  expect(JSON.parse(`${beforeId}id_1${afterId}{"model":"m"}${afterBody}`)).toEqual({
    custom_id: 'id_1',
    method: 'POST',
    url: chat,
    body: { model: 'm' },
  });
});
