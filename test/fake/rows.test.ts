import { afterEach, expect, it } from 'vitest';
import { ROW_FAULTS } from './catalogue.ts';
import { HOUR, MINUTE } from './clock.ts';
import { drive, readId } from './drive.ts';
import { dig, type Json, listOf } from './json.ts';
import type { Lie } from './lies.ts';
import type { ProviderName } from './model.ts';
import { type Fake, type FakeOptions, startFake } from './server.ts';

const PROVIDERS: ProviderName[] = ['openai', 'anthropic', 'gemini'];

let fake: Fake;
afterEach(() => fake.close());

type Fault = Extract<Lie, { on: 'row' }>['what'];

/** The true line of the one request of a batch that has this fault. */
async function runOne(provider: ProviderName, what: Fault, options: FakeOptions = {}) {
  fake = await startFake({ ...options, lies: [{ on: 'row', what }] });
  const id = readId(await drive(fake, provider).create(['the only one']));
  fake.clock.advance(11 * MINUTE);
  const [line] = fake.truth.resultsOf(id);
  return { part: line?.part, value: line?.value as Json };
}

const ERRORS = {
  'no capacity': { openai: 429, anthropic: 'rate_limit_error', gemini: 'RESOURCE_EXHAUSTED' },
  'a server error': { openai: 500, anthropic: 'api_error', gemini: 'INTERNAL' },
  'an invalid request': { openai: 400, anthropic: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' },
  'no such model': { openai: 404, anthropic: 'not_found_error', gemini: 'NOT_FOUND' },
  'no credit': { openai: 429, anthropic: 'billing_error', gemini: 'RESOURCE_EXHAUSTED' },
} as const;

it.each(
  PROVIDERS.flatMap((provider) =>
    (Object.keys(ERRORS) as (keyof typeof ERRORS)[]).map((name) => [provider, name] as const),
  ),
)('%s: %s is an error of the line, and costs nothing', async (provider, name) => {
  const { part, value } = await runOne(provider, ROW_FAULTS[name]);
  const told =
    dig(value, 'response', 'status_code') ??
    dig(value, 'result', 'error', 'error', 'type') ??
    dig(value, 'error', 'status');
  expect(told).toBe(ERRORS[name][provider]);
  expect(part).toBe(provider === 'openai' ? 'error' : 'output');
  expect(fake.truth.totals()).toEqual({ requests: 0, input: 0, output: 0 });
  expect(fake.book.charged).toHaveLength(1);
});

/** Where each provider tells why an answer ended, and what it then says. */
function readStop(value: Json): unknown {
  const [candidate] = listOf(dig(value, 'response', 'candidates'));
  const [choice] = listOf(dig(value, 'response', 'body', 'choices'));
  return (
    dig(candidate, 'finishReason') ??
    dig(value, 'response', 'promptFeedback', 'blockReason') ??
    dig(value, 'result', 'message', 'stop_reason') ??
    dig(choice, 'finish_reason')
  );
}

const STOPS = {
  'other text': { openai: 'stop', anthropic: 'end_turn', gemini: 'STOP' },
  'cut at the cap': { openai: 'length', anthropic: 'max_tokens', gemini: 'MAX_TOKENS' },
  'blanks up to the cap': { openai: 'length', anthropic: 'max_tokens', gemini: 'MAX_TOKENS' },
  'a refusal': { openai: 'stop', anthropic: 'refusal', gemini: 'PROHIBITED_CONTENT' },
  'a stop that nobody knows': { openai: 'grew_tired', anthropic: 'grew_tired', gemini: 'GREW_TIRED' },
} as const;

it.each(
  PROVIDERS.flatMap((provider) =>
    (Object.keys(STOPS) as (keyof typeof STOPS)[]).map((name) => [provider, name] as const),
  ),
)('%s: %s is told by the stop, and costs', async (provider, name) => {
  const { value } = await runOne(provider, ROW_FAULTS[name]);
  expect(readStop(value)).toBe(STOPS[name][provider]);
  expect(fake.truth.totals().requests).toBe(1);
});

const TALES = {
  'usage of zero parts': { prompt_tokens: 0, completion_tokens: 0, total_tokens: 11 },
  'negative usage': { prompt_tokens: -3, total_tokens: 11 },
  'more cached than put in': { prompt_tokens: 3, prompt_tokens_details: { cached_tokens: 10 } },
  'more thought than put out': { completion_tokens: 8, completion_tokens_details: { reasoning_tokens: 15 } },
  'a total below its parts': { total_tokens: 1 },
} as const;

it.each(Object.entries(TALES))('%s is told, and the charge stays right', async (name, wanted) => {
  const { value } = await runOne('openai', ROW_FAULTS[name as keyof typeof TALES]);
  expect(dig(value, 'response', 'body', 'usage')).toMatchObject(wanted);
  expect(fake.truth.totals()).toEqual({ requests: 1, input: 3, output: 8 });
});

it.each(PROVIDERS)('%s: usage is not there', async (provider) => {
  const { value } = await runOne(provider, ROW_FAULTS['no usage']);
  expect(JSON.stringify(value)).not.toMatch(/usage|Token/);
});

it('faults befall the rows that a predicate picks, for as long as they last', async () => {
  fake = await startFake({
    lies: [
      {
        on: 'row',
        until: HOUR,
        what: { kind: 'row_error', error: 'capacity' },
        when: ({ prompt }) => prompt.includes('two'),
      },
    ],
  });
  const driver = drive(fake, 'gemini');
  const run = async () => {
    const id = readId(await driver.create(['one', 'two', 'three']));
    fake.clock.advance(HOUR);
    return fake.truth.resultsOf(id).filter(({ value }) => value.error !== undefined);
  };
  expect((await run()).map(({ key }) => key)).toEqual(['k1']);
  expect(await run()).toEqual([]);
  expect(fake.book.charged.filter(({ fault }) => fault === 'capacity')).toHaveLength(1);
});

it('the answer is what the caller makes of a request', async () => {
  fake = await startFake({
    answer: ({ prompt, key, batch, model }) => [prompt, key, batch, model].join('/'),
  });
  const id = readId(await drive(fake, 'anthropic').create(['one', 'two']));
  fake.clock.advance(11 * MINUTE);
  const texts = fake.truth.resultsOf(id).map(({ text }) => text);
  expect(texts.some((text) => text.includes('two/k1/1/m'))).toBe(true);
});
