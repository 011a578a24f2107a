import { describe, expect, test } from 'vitest';
import type { LineFault, Rule, Scenario } from '../../../runner/emulator/scenario.ts';
import type { JsonObject } from '../../../runner/ids.ts';
import { shortDigestOf } from '../../../runner/ids.ts';
import {
  answerText,
  call,
  chargedRequests,
  content,
  parsedLines,
  requestLine,
  requestLines,
  results,
  runBatch,
  startStill,
} from '../../support/emulator.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { label: { enum: ['a', 'b', 'c'] }, why: { type: 'string' } },
  required: ['label', 'why'],
  additionalProperties: false,
};
const FORMAT = { type: 'json_schema', name: 'answer', strict: true, schema: SCHEMA };

/** Runs ten requests (or `text`) through a scenario that meets line 3, or has the rules given. */
async function run(
  rules: readonly Rule[] | LineFault,
  text = requestLines(10, { text: { format: FORMAT } }),
) {
  const scenario: Scenario = {
    rules: Array.isArray(rules) ? rules : [{ on: 'line', line: 3, do: rules as LineFault }],
  };
  await using emulator = await startStill(scenario);
  const batch = await runBatch(emulator, text);
  return {
    batch,
    output: await content(emulator, batch.output_file_id),
    errors: await content(emulator, batch.error_file_id),
    charged: await chargedRequests(emulator),
  };
}

test('every request has its line, in another order, the same each time', async () => {
  const first = await run([]);
  const ids = parsedLines(first.output).map((line) => line.custom_id);
  const sent = Array.from({ length: 10 }, (_, at) => `r-${at + 1}`);
  expect(ids.toSorted()).toEqual(sent.toSorted());
  expect(ids).not.toEqual(sent);
  expect((await run([])).output).toBe(first.output);
});

test('an answer of /v1/responses fits its schema and says what it cost', async () => {
  const { batch, output } = await run([], `${requestLine('r-1', { text: { format: FORMAT } })}\n`);
  const [line] = parsedLines(output);
  expect(line).toMatchObject({
    id: expect.stringMatching(/^batch_req_[0-9a-f]{32}$/),
    error: null,
    response: {
      status_code: 200,
      request_id: expect.stringMatching(/^req_/),
      body: { object: 'response', status: 'completed', error: null, model: 'gpt-5.4-mini-2026-03-17' },
    },
  });
  const said = line === undefined ? '' : answerText(line);
  expect(JSON.parse(said)).toEqual({ label: expect.stringMatching(/^[abc]$/), why: expect.any(String) });
  const usage = line?.response?.body.usage as { output_tokens: number; total_tokens: number };
  expect(usage.output_tokens).toBe(Math.ceil(Buffer.byteLength(said) / 4));
  expect(batch.usage).toMatchObject({ total_tokens: usage.total_tokens, output_tokens: usage.output_tokens });
});

test('an answer of /v1/chat/completions', async () => {
  await using emulator = await startStill();
  const body = {
    model: 'gpt-5.4-mini',
    messages: [
      { role: 'system', content: 'Label it.' },
      { role: 'user', content: [{ type: 'text', text: 'My parcel never arrived.' }] },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: SCHEMA } },
    max_completion_tokens: 50,
  };
  const line = requestLine('r-1', {}, { url: '/v1/chat/completions', body });
  const batch = await runBatch(emulator, line, 3_600_000, { endpoint: '/v1/chat/completions' });
  const [result] = await results(emulator, batch.output_file_id);
  expect(result?.response?.body).toMatchObject({
    object: 'chat.completion',
    choices: [{ finish_reason: 'stop', message: { role: 'assistant', refusal: null } }],
    usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
  });
  const choices = result?.response?.body.choices as unknown as { message: { content: string } }[];
  expect(JSON.parse(choices[0]?.message.content ?? '')).toHaveProperty('why');
});

test('the same body gives the same answer under another id; free text without a schema', async () => {
  const { output } = await run(
    [],
    `${requestLine('a', { input: 'Tell me more.' })}\n${requestLine('b', { input: 'Tell me more.' })}\n`,
  );
  const [one, two] = parsedLines(output).map(answerText);
  expect(one).toBe(two);
  expect(one?.length).toBeGreaterThan(5);
});

test('B068: what the cap does not allow is cut, and marked', async () => {
  const { output } = await run([], `${requestLine('r-1', { max_output_tokens: 2 })}\n`);
  const [line] = parsedLines(output);
  expect(line?.response?.body).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    usage: { output_tokens: 2 },
  });
});

test('B079: a schema outside the strict subset ends with a 400 for each line', async () => {
  const loose = {
    type: 'object',
    properties: { a: { type: 'object', properties: {} } },
    required: ['a'],
    additionalProperties: false,
  };
  const { batch, errors } = await run(
    [],
    requestLines(2, { text: { format: { ...FORMAT, schema: loose } } }),
  );
  expect(batch).toMatchObject({ status: 'completed', output_file_id: null });
  expect(parsedLines(errors)[0]?.response).toMatchObject({
    status_code: 400,
    body: {
      error: {
        code: 'invalid_json_schema',
        message: expect.stringContaining(
          "In context=('properties', 'a'), 'additionalProperties' is required",
        ),
      },
    },
  });
});

describe('a line of the error file', () => {
  test.each([
    [500, { status: 500 }, { type: 'server_error' }],
    [429, { status: 429 }, { code: 'rate_limit_exceeded' }],
    [
      400,
      { status: 400, code: 'context_length_exceeded', message: 'Too long.' },
      { code: 'context_length_exceeded', message: 'Too long.' },
    ],
    [
      429,
      { status: 429, code: 'insufficient_quota' },
      { type: 'insufficient_quota', code: 'insufficient_quota' },
    ],
  ])('with HTTP %i', async (status, fault, error) => {
    const { batch, output, errors, charged } = await run(fault);
    expect(batch.request_counts).toEqual({ total: 10, completed: 9, failed: 1 });
    expect(parsedLines(output)).toHaveLength(9);
    expect(parsedLines(errors)).toMatchObject([
      { custom_id: 'r-3', error: null, response: { status_code: status, body: { error } } },
    ]);
    expect(charged.map((request) => request.custom_id)).not.toContain('r-3');
  });

  test('that never became a request', async () => {
    const { errors } = await run({ code: 'request_timeout' });
    expect(parsedLines(errors)).toMatchObject([
      { custom_id: 'r-3', response: null, error: { code: 'request_timeout' } },
    ]);
  });

  test('B065: may stand in the output file', async () => {
    const { batch, output } = await run({ status: 400, file: 'output' });
    expect(batch.error_file_id).toBeNull();
    expect(parsedLines(output).find((line) => line.custom_id === 'r-3')?.response?.status_code).toBe(400);
  });
});

test('B053: where all have failed there is no output file', async () => {
  const { batch, errors, charged } = await run([{ on: 'create', do: { all_failed: true } }]);
  expect(batch).toMatchObject({ status: 'completed', output_file_id: null });
  expect(batch.request_counts).toEqual({ total: 10, completed: 0, failed: 10 });
  expect(parsedLines(errors)).toHaveLength(10);
  expect(charged).toEqual([]);
});

test.each([
  ['empty_id', ''],
  ['zero_bytes', expect.stringMatching(/^file-/)],
] as const)('B053: without errors the error file may be: %s', async (error_file, id) => {
  const { batch, errors } = await run([{ on: 'create', do: { error_file } }]);
  expect(batch.error_file_id).toEqual(id);
  expect(errors).toBe('');
});

test('B050: counts may be wrong', async () => {
  const { batch } = await run([
    { on: 'create', do: { counts: { failed: 0, completed: 10 } } },
    { on: 'line', line: 1, do: { status: 500 } },
  ]);
  expect(batch.request_counts).toEqual({ total: 10, completed: 10, failed: 0 });
  expect(batch.error_file_id).not.toBeNull();
});

describe('an answer may be', () => {
  test('B067: a refusal', async () => {
    const { output } = await run({ answer: 'refusal' });
    const body = parsedLines(output).find((line) => line.custom_id === 'r-3')?.response?.body;
    expect(body).toMatchObject({
      status: 'completed',
      output: [{ content: [{ type: 'refusal', refusal: expect.any(String) }] }],
    });
  });

  test.each([
    [
      'filtered',
      'content_filter',
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    ],
    ['truncated', 'truncated', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    ['of another model (B074)', 'other_model', { status: 'completed', model: 'another-model-2026-01-01' }],
    ['empty', 'empty', { status: 'completed', output: [{ content: [{ text: '' }] }] }],
    ['an error with 200', 'error_body', { error: { type: 'server_error' } }],
    ['nothing with 200', 'empty_body', {}],
  ] as const)('%s', async (_name, answer, body) => {
    const { output, charged } = await run({ answer });
    const line = parsedLines(output).find((one) => one.custom_id === 'r-3');
    expect(line?.response).toMatchObject({ status_code: 200, body });
    expect(charged.map((request) => request.custom_id)).toContain('r-3');
  });
});

describe('B062, B063: a line may be', () => {
  const ids = (text: string) => parsedLines(text).map((line) => line.custom_id);

  test('missing, though it was paid', async () => {
    const { batch, output, errors, charged } = await run({ result: 'drop' });
    expect(ids(output)).toHaveLength(9);
    expect(errors).toBe('');
    expect(batch.request_counts).toEqual({ total: 10, completed: 10, failed: 0 });
    expect(charged).toHaveLength(10);
  });

  test('there twice', async () => {
    const { output, charged } = await run({ result: 'duplicate' });
    const own = output.split('\n').filter((line) => line.includes('"r-3"'));
    expect(own).toHaveLength(2);
    expect(own[0]).toBe(own[1]);
    expect(charged).toHaveLength(10);
  });

  test('contradicted in the same file or in the other', async () => {
    const same = await run({ result: 'conflict' });
    expect(ids(same.output).filter((id) => id === 'r-3')).toHaveLength(2);
    const other = await run({ result: 'both_files' });
    expect(ids(other.output)).toContain('r-3');
    expect(ids(other.errors)).toEqual(['r-3']);
  });

  test('joined by one that nobody sent', async () => {
    const { output } = await run({ result: 'foreign' });
    expect(ids(output).filter((id) => id.startsWith('not-sent-'))).toHaveLength(1);
    expect(ids(output)).toHaveLength(11);
  });

  test('cut in the middle', async () => {
    const { output } = await run({ result: 'cut' });
    const broken = output.split('\n').filter((line) => line !== '' && !line.endsWith('}'));
    expect(broken).toHaveLength(1);
    expect(broken[0]).toContain('"custom_id":"r-3"');
  });

  test('no UTF-8', async () => {
    await using emulator = await startStill({ rules: [{ on: 'line', line: 1, do: { result: 'corrupt' } }] });
    const batch = await runBatch(emulator, requestLines(1));
    const response = await call(emulator, 'GET', `/files/${batch.output_file_id}/content`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.includes(0xff)).toBe(true);
    expect(bytes.at(-1)).toBe(0x0a);
  });
});

test('the ledger names each body by the digest of its bytes', async () => {
  const body = '{"model":"gpt-5.4-mini", "input":"numbers keep their form: 1.10, 1E5","temperature":1.10}';
  const text = `{"custom_id":"\\"body\\":1","method":"POST","url":"/v1/responses","body":${body}}\n`;
  const { charged } = await run([], text);
  expect(charged).toMatchObject([{ custom_id: '"body":1', body_hash: shortDigestOf(body) }]);
});

test('B027: a line separator inside a string is part of it', async () => {
  const { batch } = await run([], `${requestLine('r-1', { input: 'a\u2028b\u2029c\rd' })}\n`);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 1, completed: 1 } });
});
