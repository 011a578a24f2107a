import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classify, conflictOf, MISSING } from '../../runner/outcome/classify.ts';
import { OUTCOME_CLASSES, type OutcomeClass, type ReplyResult } from '../../runner/outcome/outcome.ts';
import { decode } from '../../runner/provider/openai/decode.ts';

type Answer = Extract<ReplyResult, { kind: 'answer' }>;
type Failure = Extract<ReplyResult, { kind: 'error' }>;

const USAGE = {
  inputTokens: 200,
  outputTokens: 60,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 48,
};
const RULES = {
  outputKind: 'json',
  check: (value: unknown) =>
    Object.hasOwn(value as object, 'label') ? null : { cause: 'no `/label`', detail: 'found: lable' },
} as const;

function answer(changes: Partial<Answer> = {}): Answer {
  return {
    kind: 'answer',
    texts: ['{"label":"x"}'],
    refusal: null,
    stop: 'complete',
    providerReason: 'completed',
    servedModel: 'm-2026',
    responseId: 'resp_1',
    usage: USAGE,
    ...changes,
  };
}

function failure(changes: Partial<Failure> = {}): Failure {
  return {
    kind: 'error',
    status: 400,
    code: null,
    message: 'm',
    usage: null,
    unrun: null,
    about: 'request',
    ...changes,
  };
}

function of(result: ReplyResult) {
  return classify({ wireId: 'x', result }, RULES);
}

describe('answers', () => {
  const cut = '{"label":"x"';
  test.each<readonly [string, Partial<Answer>, OutcomeClass, string]>([
    ['a valid one', {}, 'ok', 'ok'],
    ['B079: one that breaks the schema', { texts: ['{"lable":"x"}'] }, 'invalid_output', 'no `/label`'],
    ['one that is no JSON', { texts: ['Sure!'] }, 'invalid_output', 'not JSON'],
    ['B067: an empty one', { texts: [''] }, 'invalid_output', 'empty answer'],
    ['none', { texts: [] }, 'invalid_output', 'empty answer'],
    ['B067: a refusal', { texts: [], refusal: 'I cannot.' }, 'refused', 'refused by the model'],
    ['B067: a refusal beside valid JSON', { refusal: 'I cannot.' }, 'refused', 'refused by the model'],
    ['B067: a refusal without a word', { texts: [], refusal: '' }, 'refused', 'refused by the model'],
    [
      'a refusal cut by the cap: a higher cap would buy more refusal',
      { refusal: 'I can', stop: 'token_cap' },
      'refused',
      'refused by the model',
    ],
    ['B067: filtered, with partial text', { texts: [cut], stop: 'filter' }, 'refused', 'content filter'],
    ['B067: filtered, with valid JSON', { stop: 'filter' }, 'refused', 'content filter'],
    ['B068: cut', { texts: [cut], stop: 'token_cap' }, 'truncated', 'stopped at the token cap'],
    [
      'B068: cut exactly after a valid answer',
      { stop: 'token_cap' },
      'truncated',
      'stopped at the token cap',
    ],
    [
      'B070: all of the cap went into reasoning',
      { texts: [], stop: 'token_cap' },
      'truncated',
      'stopped at the token cap',
    ],
    ['a tool call', { stop: 'tool' }, 'invalid_output', 'called a tool instead of answering'],
    [
      'B070: stopped for an unknown reason, with valid JSON',
      { stop: 'unknown', providerReason: 'recitation' },
      'unknown_stop',
      'stopped for an unknown reason',
    ],
    [
      'the context window was full, after valid JSON',
      { stop: 'context_window' },
      'invalid_request',
      'the context window was full',
    ],
    [
      'the context window was full',
      { texts: [], stop: 'context_window' },
      'invalid_request',
      'the context window was full',
    ],
    [
      'a language that it does not have',
      { stop: 'language' },
      'invalid_request',
      'in a language that the model does not have',
    ],
    [
      'blanks up to the cap',
      { texts: [' \n \n'], stop: 'token_cap' },
      'truncated',
      'nothing but blanks up to the token cap',
    ],
    ['nothing at the cap', { texts: [''], stop: 'token_cap' }, 'truncated', 'stopped at the token cap'],
  ])('%s', (_title, changes, expected, cause) => {
    const row = of(answer(changes));
    expect(row).toMatchObject({
      class: expected,
      cause,
      usage: USAGE,
      servedModel: 'm-2026',
      responseId: 'resp_1',
    });
    expect(row.answer).toBe(expected === 'ok' ? '{"label":"x"}' : null);
  });

  const other = '{"label":"y"}';
  test.each<readonly [string, readonly string[], OutcomeClass, string]>([
    ['one that is valid, after words', ['Let me see.', '{"label":"x"}'], 'ok', 'ok'],
    ['one that is valid, before words', ['{"label":"x"}', 'Done.'], 'ok', 'ok'],
    ['one that is valid, after one that breaks the schema', ['{}', '{"label":"x"}'], 'ok', 'ok'],
    ['the same twice', ['{"label":"x"}', '{ "label": "x" }'], 'ok', 'ok'],
    ['beside blanks', ['', '{"label":"x"}', ' \n'], 'ok', 'ok'],
    ['several that differ', ['{"label":"x"}', other], 'conflict', 'several different answers in one reply'],
    [
      'several that differ, and words',
      ['So:', '{"label":"x"}', other],
      'conflict',
      'several different answers in one reply',
    ],
    ['halves of one', ['{"label"', ':"x"}'], 'invalid_output', 'not JSON'],
    ['none that is valid: the last one tells', ['{}', 'Sorry.'], 'invalid_output', 'not JSON'],
    ['nothing but blanks', [' ', ''], 'invalid_output', 'empty answer'],
  ])('messages are no parts of each other: %s', (_title, texts, expected, cause) => {
    const row = of(answer({ texts }));
    expect(row).toMatchObject({ class: expected, cause, answer: expected === 'ok' ? '{"label":"x"}' : null });
  });

  test('all messages are kept for the person who has to choose', () => {
    expect(of(answer({ texts: ['{"label":"x"}', other] }))).toMatchObject({
      said: `{"label":"x"}\n\n${other}`,
      detail: '2 of its messages are valid answers',
      usage: USAGE,
    });
  });

  test('free texts that differ are several answers too', () => {
    const rules = { outputKind: 'text', check: null } as const;
    const of = (texts: readonly string[]) => classify({ wireId: 'x', result: answer({ texts }) }, rules);
    expect(of(['Hi', 'Hi'])).toMatchObject({ class: 'ok', answer: '"Hi"' });
    expect(of(['Hi', 'Ho']).class).toBe('conflict');
  });

  test('details say what a person needs', () => {
    expect(of(answer({ stop: 'token_cap', providerReason: 'length' })).detail).toBe(
      'length after 60 output tokens, 48 of them for reasoning',
    );
    expect(of(answer({ stop: 'token_cap', providerReason: 'length', usage: null })).detail).toBe('length');
    expect(of(answer({ stop: 'context_window', providerReason: 'model_length' })).detail).toBe(
      'model_length after 60 output tokens, 48 of them for reasoning',
    );
    expect(of(answer({ refusal: 'I cannot.' })).detail).toBe('I cannot.');
    expect(of(answer({ stop: 'unknown', providerReason: 'recitation' })).detail).toBe('recitation');
    expect(of(answer({ texts: ['{}'] })).detail).toBe('found: lable');
  });

  test.each<readonly [string, Partial<Answer>, string | null]>([
    ['an accepted answer', {}, null],
    ['an answer that breaks the schema', { texts: ['{"lable":"x"}'] }, '{"lable":"x"}'],
    ['an answer that is no JSON', { texts: ['Sure!\nHere it is.'] }, 'Sure!\nHere it is.'],
    ['an answer cut by the cap', { texts: ['{"lab'], stop: 'token_cap' }, '{"lab'],
    ['a refusal', { texts: [], refusal: 'I cannot.' }, 'I cannot.'],
    ['a refusal beside an answer', { texts: ['{"label":"x"}'], refusal: 'I cannot.' }, '{"label":"x"}'],
    ['nothing', { texts: ['  '], refusal: null }, null],
    ['a long one', { texts: ['x'.repeat(5_000)] }, `${'x'.repeat(1_999)}…`],
  ])('the words of the model are kept where they are no answer: %s', (_title, changes, said) => {
    expect(of(answer(changes)).said).toBe(said);
  });

  test('where the provider speaks, the model said nothing', () => {
    expect(of(failure()).said).toBeNull();
    expect(of({ kind: 'malformed', detail: 'x' }).said).toBeNull();
  });

  test('free text is not held against a schema', () => {
    expect(
      classify({ wireId: 'x', result: answer({ texts: ['Hi'] }) }, { outputKind: 'text', check: null }),
    ).toMatchObject({ class: 'ok', answer: '"Hi"' });
  });
});

describe('errors by status', () => {
  const byStatus: Readonly<Record<number, OutcomeClass>> = {
    400: 'invalid_request',
    401: 'account',
    402: 'account',
    403: 'account',
    404: 'invalid_request',
    405: 'invalid_request',
    408: 'provider_error',
    409: 'provider_error',
    410: 'invalid_request',
    413: 'invalid_request',
    422: 'invalid_request',
    425: 'provider_error',
    429: 'rate_or_capacity',
    431: 'invalid_request',
    500: 'provider_error',
    502: 'provider_error',
    503: 'provider_error',
    504: 'provider_error',
    529: 'rate_or_capacity',
  };
  test.each(Object.entries(byStatus))('%s is %s', (status, expected) => {
    // The status alone decides where the words say nothing particular.
    expect(of(failure({ status: Number(status), about: 'request' })).class).toBe(expected);
    expect(of(failure({ status: Number(status), about: 'server' })).class).toBe(expected);
    expect(of(failure({ status: Number(status), about: 'content' })).class).toBe('refused');
    expect(of(failure({ status: Number(status), about: 'account' })).class).toBe('account');
    expect(of(failure({ status: Number(status), about: 'capacity' })).class).toBe('rate_or_capacity');
    expect(of(failure({ status: Number(status), unrun: 'expired' })).class).toBe('expired');
    expect(of(failure({ status: Number(status), unrun: 'cancelled' })).class).toBe('cancelled');
  });

  test.each([null, 200])('with status %s the words decide', (status) => {
    expect(of(failure({ status, about: 'request' })).class).toBe('invalid_request');
    expect(of(failure({ status, about: 'server' })).class).toBe('provider_error');
  });

  test('the provider’s words, the code, and no answer', () => {
    expect(of(failure({ code: 'context_length_exceeded', message: 'too long', usage: USAGE }))).toEqual({
      class: 'invalid_request',
      cause: 'HTTP 400 context_length_exceeded',
      detail: 'too long',
      answer: null,
      said: null,
      usage: USAGE,
      servedModel: null,
      responseId: null,
    });
  });
});

describe('causes group what belongs together', () => {
  test.each<readonly [Partial<Failure>, string]>([
    [{ status: 500, code: null, message: 'Error req_7f3 at 10:03' }, 'HTTP 500'],
    [{ status: 500, code: 'server_error' }, 'HTTP 500 server_error'],
    [{ status: null, code: 'request_timeout' }, 'request_timeout'],
    [{ status: 200, code: 'server_error' }, 'server_error'],
    [
      { status: 422, message: "Invalid value: 'high'. Supported values are: 'low'." },
      'HTTP 422 Invalid value: ….',
    ],
    [{ status: 400, message: 'Row 17 of batch_req_0a1 is too long' }, 'HTTP 400 Row # of # is too long'],
    [{ status: null, message: '' }, 'error'],
  ])('%j → %s', (changes, cause) => {
    expect(of(failure(changes)).cause).toBe(cause);
  });

  test('a hostile message costs no time', () => {
    const row = of(failure({ message: 'a'.repeat(2_000_000) }));
    expect(row.cause.length).toBeLessThanOrEqual(100);
    expect(row.detail).toHaveLength(500);
  });
});

test('a line that cannot be understood is no failure of the provider: it may have been answered and billed', () => {
  expect(of({ kind: 'malformed', detail: 'a response without output' })).toMatchObject({
    class: 'unreadable',
    cause: 'unreadable reply',
    detail: 'a response without output',
    usage: null,
  });
});

test('rows that no line makes', () => {
  expect(MISSING).toMatchObject({ class: 'missing', answer: null, usage: null });
  expect(conflictOf(['provider_error', 'ok'], USAGE)).toMatchObject({
    class: 'conflict',
    cause: 'different lines for one request',
    detail: '2 different lines for one request: ok, provider_error',
    answer: null,
    usage: USAGE,
  });
});

/** Lines that begin well and then hold anything. */
const anyLine = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc
    .tuple(fc.jsonValue(), fc.jsonValue(), fc.integer())
    .map(([body, error, status_code]) =>
      JSON.stringify({ custom_id: 'r', response: { status_code, body }, error }),
    ),
  fc
    .record({
      status: fc.constantFrom('completed', 'incomplete', 'failed', 'x'),
      output: fc.oneof(
        fc.jsonValue(),
        fc.array(
          fc.record({
            type: fc.constantFrom('message', 'reasoning', 'function_call'),
            content: fc.jsonValue(),
          }),
        ),
      ),
      choices: fc.array(
        fc.record({ finish_reason: fc.constantFrom('stop', 'length', null), message: fc.jsonValue() }),
      ),
      usage: fc.jsonValue(),
      error: fc.jsonValue(),
    })
    .map((body) => JSON.stringify({ custom_id: 'r', response: { status_code: 200, body }, error: null })),
);

test('total: every line whatsoever has one class, and texts that can be stored', () => {
  fc.assert(
    fc.property(
      anyLine,
      fc.constantFrom('/v1/responses' as const, '/v1/chat/completions' as const),
      (line, endpoint) => {
        const row = classify(decode(endpoint, line), { outputKind: 'json', check: null });
        expect(OUTCOME_CLASSES).toContain(row.class);
        expect(row.answer === null).toBe(row.class !== 'ok');
        for (const text of [row.cause, row.detail, row.answer, row.servedModel, row.responseId]) {
          if (text !== null)
            expect(
              text.isWellFormed() && !text.includes('\u0000') && (text === row.answer || text.length <= 500),
            ).toBe(true);
        }
      },
    ),
    { numRuns: 500 },
  );
});
