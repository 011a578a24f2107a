import { describe, expect, test } from 'vitest';
import { UserError } from '../../../runner/errors.ts';
import type { JsonObject } from '../../../runner/ids.ts';
import { encoder, modelPath, wireEnvelope, withTokenCap } from '../../../runner/provider/gemini/encode.ts';
import type { ModelSpec, OutputSpec } from '../../../runner/spec/job.ts';

const schema: JsonObject = {
  type: 'object',
  properties: { label: { type: 'string', enum: ['billing', 'technical'] } },
  required: ['label'],
  additionalProperties: false,
};
const json: OutputSpec = { kind: 'json', schema: 'ticket-label.schema.json', maxTokens: 60 };
const prose: OutputSpec = { kind: 'text', maxTokens: 400 };
const messages = { system: 'Choose a label.', user: 'Größe „falsch“\nline two \u2028 and 😀' };

function model(changes: Partial<ModelSpec> = {}): ModelSpec {
  return {
    provider: 'gemini',
    name: 'gemini-3.8-flash',
    endpoint: 'generateContent',
    temperature: null,
    reasoning: null,
    seed: null,
    raw: {},
    ...changes,
  };
}

function lineOf(spec: ModelSpec, output: OutputSpec, sent: JsonObject | null): string {
  const { beforeId, afterId, afterBody } = wireEnvelope('generateContent');
  return `${beforeId}abcdefghij012345_7${afterId}${encoder(spec, output, sent)(messages)}${afterBody}`;
}

const raw: JsonObject = {
  generationConfig: { topP: 0.9, thinkingConfig: { includeThoughts: true } },
  safetySettings: [{ category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_NONE' }],
};

describe('B044: request lines stand in golden files', () => {
  test.each<readonly [string, ModelSpec, OutputSpec, JsonObject | null]>([
    ['json', model(), json, schema],
    ['json-schema', model(), json, { ...schema, $defs: { a: { const: 7 } } }],
    ['text', model(), prose, null],
    ['parameters', model({ temperature: 0, seed: 7, reasoning: 'low', raw }), json, schema],
    ['budget', model({ name: 'gemini-2.5-flash', reasoning: 'medium' }), json, schema],
    ['no-reasoning', model({ reasoning: 'none' }), prose, null],
  ])('%s', async (name, spec, output, sent) => {
    const line = lineOf(spec, output, sent);
    await expect(`${line}\n`).toMatchFileSnapshot(`../../fixtures/provider/gemini/encode/${name}.jsonl`);
    expect(line).not.toMatch(/[\n\u2028\u2029\u0085]/);
    expect(JSON.parse(line)).toMatchObject({ key: 'abcdefghij012345_7', request: { contents: [{}] } });
  });

  test('without a system prompt there is no instruction; one that changes is each row’s own', () => {
    const encode = encoder(model(), prose, null);
    const said = ['a', 'a', null, 'b', ''].map(
      (system) => JSON.parse(encode({ system, user: 'x' })).systemInstruction,
    );
    const parts = (text: string) => ({ parts: [{ text }] });
    expect(said).toEqual([parts('a'), parts('a'), undefined, parts('b'), parts('')]);
  });
});

test('a request of another model is another request, though the address names the model too', () => {
  const [one, other] = ['gemini-3.8-flash', 'gemini-2.5-flash'].map((name) =>
    encoder(model({ name }), prose, null)(messages),
  );
  expect(one).not.toBe(other);
});

test.each([
  ['gemini-3.8-flash', 'models/gemini-3.8-flash'],
  ['models/gemini-3.8-flash', 'models/gemini-3.8-flash'],
  ['tunedModels/tickets-1', 'tunedModels/tickets-1'],
])('the model %s is %s', (name, path) => {
  expect(modelPath(name)).toBe(path);
});

test('B027: no line reader can cut a request line', () => {
  const hostile = '\u2028\u2029\u0085\r\n\u0000\u001f"\\ {{x}} \ufeff';
  const body = encoder(
    model({ raw: { labels: { note: hostile } } }),
    prose,
    null,
  )({
    system: hostile,
    user: hostile,
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may stand in the line.
  expect(body).not.toMatch(/[\u0000-\u001f\u0085\u2028\u2029]/);
  expect(JSON.parse(body)).toMatchObject({
    labels: { note: hostile },
    systemInstruction: { parts: [{ text: hostile }] },
    contents: [{ role: 'user', parts: [{ text: hostile }] }],
  });
});

describe('embeddings', () => {
  const embed = (changes: Partial<ModelSpec> = {}) =>
    model({ name: 'gemini-embedding-001', endpoint: 'embedContent', ...changes });
  const vector = (dimensions: number | null): OutputSpec => ({ kind: 'embedding', dimensions, maxTokens: 0 });

  test.each<readonly [string, ModelSpec, OutputSpec]>([
    ['embedding', embed(), vector(null)],
    ['embedding-parameters', embed({ raw: { taskType: 'CLUSTERING' } }), vector(256)],
  ])('B044: %s stands in a golden file', async (name, spec, output) => {
    const { beforeId, afterId, afterBody } = wireEnvelope('embedContent');
    const body = encoder(spec, output, null)({ ...messages, system: null });
    const line = `${beforeId}abcdefghij012345_7${afterId}${body}${afterBody}\n`;
    await expect(line).toMatchFileSnapshot(`../../fixtures/provider/gemini/encode/${name}.jsonl`);
  });

  test('of an empty text are a bad row', () => {
    expect(() => encoder(embed(), vector(null), null)({ system: null, user: '' })).toThrow(
      'embedContent takes no empty text',
    );
  });
});

describe('what the job decides is refused in raw', () => {
  test.each<readonly [JsonObject]>([
    [{ model: 'x' }],
    [{ contents: [] }],
    [{ systemInstruction: {} }],
    [{ system_instruction: {} }],
    [{ generation_config: {} }],
    [{ generationConfig: { maxOutputTokens: 9 } }],
    [{ generationConfig: { candidateCount: 2 } }],
    [{ generationConfig: { responseMimeType: 'text/plain' } }],
    [{ generationConfig: { responseSchema: {} } }],
    [{ generationConfig: { responseJsonSchema: {} } }],
    [{ content: {} }],
    [{ outputDimensionality: 9 }],
  ])('%j', (more) => {
    const make = () => encoder(model({ raw: more }), prose, null);
    expect(make).toThrow(UserError);
    expect(make).toThrow(
      expect.objectContaining({ findings: [expect.objectContaining({ code: 'raw-reserved' })] }),
    );
  });
});

describe('the raised cap of a retry', () => {
  test('everything else stays byte for byte', () => {
    const odd = { labels: { a: '"maxOutputTokens":60' }, generationConfig: { topP: 0.25 } };
    const spec = model({ name: 'a "quoted\\" model', temperature: 1, raw: odd });
    const row = { system: '"maxOutputTokens":60', user: '{"maxOutputTokens":60}' };
    const raised = encoder(spec, { ...json, maxTokens: 1200 }, schema)(row);
    expect(withTokenCap(encoder(spec, json, schema)(row), 'generateContent', 1200)).toBe(raised);
  });

  test.each(['{"model":"m"}', '{"model":"m","generationConfig":{"maxOutputTokens":null}}', '[]'])(
    '%s is not ours',
    (body) => {
      expect(() => withTokenCap(body, 'generateContent', 9)).toThrow(RangeError);
    },
  );
});
