import { describe, expect, test } from 'vitest';
import { UserError } from '../../../runner/errors.ts';
import type { JsonObject } from '../../../runner/ids.ts';
import { encoder, wireEnvelope, withTokenCap } from '../../../runner/provider/anthropic/encode.ts';
import type { ModelSpec, OutputSpec } from '../../../runner/spec/job.ts';

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
const endpoint = '/v1/messages' as const;

function model(changes: Partial<ModelSpec> = {}): ModelSpec {
  return {
    provider: 'anthropic',
    name: 'claude-haiku-4-5',
    endpoint,
    temperature: null,
    reasoning: null,
    seed: null,
    raw: {},
    ...changes,
  };
}

const raw: JsonObject = {
  service_tier: 'standard_only',
  output_config: { effort: 'max' },
  metadata: { user_id: 'a' },
};

describe('B044: request bodies stand in golden files', () => {
  const cases: readonly (readonly [string, ModelSpec, OutputSpec, JsonObject | null])[] = [
    ['json', model(), json, schema],
    ['json-outside-the-subset', model(), json, loose],
    ['text', model(), prose, null],
    ['effort', model({ reasoning: 'low' }), json, schema],
    ['no-thinking', model({ reasoning: 'none' }), prose, null],
    ['raw', model({ reasoning: 'high', raw }), json, schema],
  ];
  test.each(cases)('%s', async (name, spec, output, sent) => {
    const { beforeId, afterId, afterBody } = wireEnvelope();
    const line = `${beforeId}abcdefghij012345_7${afterId}${encoder(spec, output, sent)(messages)}${afterBody}`;
    await expect(`${line}\n`).toMatchFileSnapshot(`../../fixtures/provider/anthropic/encode/${name}.jsonl`);
    expect(Object.keys(JSON.parse(line))).toEqual(['custom_id', 'params']);
    expect(line).not.toMatch(/[\n\u2028\u2029\u0085]/);
  });

  test('without a system prompt there is no system field', () => {
    expect(JSON.parse(encoder(model(), prose, null)({ system: null, user: 'x' }))).toEqual({
      model: 'claude-haiku-4-5',
      max_tokens: 400,
      messages: [{ role: 'user', content: 'x' }],
    });
  });

  test('a system prompt that changes from row to row', () => {
    const encode = encoder(model(), prose, null);
    const systems = ['a', 'a', null, 'b', ''].map(
      (system) => JSON.parse(encode({ system, user: 'x' })).system,
    );
    expect(systems).toEqual(['a', 'a', undefined, 'b', '']);
  });
});

test('B027: no line reader can cut a request line', () => {
  const hostile = '\u2028\u2029\u0085\r\n\u0000\u001f"\\ {{x}} \ufeff';
  const body = encoder(model({ raw: { note: hostile } }), prose, null)({ system: hostile, user: hostile });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may stand in the line.
  expect(body).not.toMatch(/[\u0000-\u001f\u0085\u2028\u2029]/);
  expect(JSON.parse(body)).toMatchObject({
    note: hostile,
    system: hostile,
    messages: [{ role: 'user', content: hostile }],
  });
});

describe('what cannot go together is refused before anything is rendered', () => {
  const reserved = ['model', 'messages', 'system', 'stream', 'max_tokens', 'output_format'];
  test.each([
    ['temperature', 'parameter-not-taken', model({ temperature: 0 })],
    ['seed', 'parameter-not-taken', model({ seed: 1 })],
    ['reasoning: minimal', 'parameter-not-taken', model({ reasoning: 'minimal' })],
    ['raw.output_config.format', 'raw-reserved', model({ raw: { output_config: { format: null } } })],
    ...reserved.map((name) => [`raw.${name}`, 'raw-reserved', model({ raw: { [name]: 1 } })] as const),
  ] as const)('%s', (_title, code, spec) => {
    const make = () => encoder(spec, prose, null);
    expect(make).toThrow(UserError);
    expect(make).toThrow(expect.objectContaining({ findings: [expect.objectContaining({ code })] }));
  });
});

describe('the raised cap of a retry', () => {
  test('everything else stays byte for byte', () => {
    const odd = { const: '"max_tokens":60', big: JSON.parse('1e300') };
    const spec = model({ name: 'a "quoted\\" model', raw: { seen: odd } });
    const row = { system: '"max_tokens":60', user: '","max_tokens":60}' };
    const raised = encoder(spec, { ...json, maxTokens: 1200 }, schema)(row);
    expect(withTokenCap(encoder(spec, json, schema)(row), endpoint, 1200)).toBe(raised);
  });

  test('a body that is not ours is refused', () => {
    expect(() => withTokenCap('{"model":"m","max_output_tokens":60}', endpoint, 9)).toThrow(RangeError);
  });
});
