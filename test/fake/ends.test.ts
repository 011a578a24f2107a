import { afterEach, describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from './clock.ts';
import { drive, readId } from './drive.ts';
import { dig } from './json.ts';
import type { End } from './life.ts';
import type { ProviderName } from './model.ts';
import { type Fake, type FakeOptions, startFake } from './server.ts';

const FAILED: End = { as: 'failed', code: 'token_limit_exceeded', message: 'Enqueued token limit reached.' };

let fake: Fake;
afterEach(() => fake.close());

async function live(provider: ProviderName, options: FakeOptions) {
  fake = await startFake(options);
  const driver = drive(fake, provider);
  const id = readId(await driver.create(['one', 'two', 'three']));
  fake.clock.advance(49 * HOUR);
  return { id, shown: (await driver.look(id)).json, driver };
}

describe('ends by schedule, in the words of each provider', () => {
  it.each<[ProviderName, End, unknown, Record<string, unknown>, number]>([
    ['openai', { as: 'expired', ran: 1 }, 'expired', { total: 3, completed: 1, failed: 0 }, 3],
    ['openai', { as: 'cancelled', ran: 1 }, 'cancelled', { total: 3, completed: 1, failed: 0 }, 3],
    ['openai', FAILED, 'failed', { total: 0, completed: 0, failed: 0 }, 0],
    ['anthropic', { as: 'expired', ran: 1 }, 'ended', { succeeded: 1, expired: 2 }, 3],
    ['anthropic', { as: 'cancelled', ran: 1 }, 'ended', { succeeded: 1, canceled: 2 }, 3],
    ['anthropic', FAILED, 'ended', { succeeded: 0, errored: 3 }, 3],
    ['gemini', { as: 'expired', ran: 1 }, 'BATCH_STATE_EXPIRED', { requestCount: '3' }, 0],
    [
      'gemini',
      { as: 'cancelled', ran: 1 },
      'BATCH_STATE_CANCELLED',
      { requestCount: '3', successfulRequestCount: '1' },
      1,
    ],
    ['gemini', FAILED, 'BATCH_STATE_FAILED', { requestCount: '3' }, 0],
  ])('%s %j', async (provider, end, state, counts, lines) => {
    const { id, shown } = await live(provider, { plan: { end } });
    const told = dig(shown, 'status') ?? dig(shown, 'processing_status') ?? dig(shown, 'metadata', 'state');
    expect(told).toBe(state);
    expect(dig(shown, 'request_counts') ?? dig(shown, 'metadata', 'batchStats')).toMatchObject(counts);
    expect(fake.truth.resultsOf(id)).toHaveLength(lines);
  });

  it('a batch that failed tells why', async () => {
    const { shown } = await live('openai', { plan: { end: FAILED } });
    expect(dig(shown, 'errors')).toMatchObject({ object: 'list', data: [{ code: 'token_limit_exceeded' }] });
    await fake.close();
    const gemini = await live('gemini', { plan: { end: FAILED } });
    expect(gemini.shown).toMatchObject({ done: true, error: { code: 3, message: FAILED.message } });
  });

  it('each batch can have a plan of its own', async () => {
    const planFor: FakeOptions['planFor'] = (provider, nth) =>
      provider === 'openai' && nth === 2 ? { runMs: HOUR } : undefined;
    fake = await startFake({ planFor, plan: { validateMs: 0 } });
    const driver = drive(fake, 'openai');
    const ids = [readId(await driver.create(['one'])), readId(await driver.create(['one']))];
    fake.clock.advance(10 * MINUTE);
    const states = [];
    for (const id of ids) states.push(dig((await driver.look(id)).json, 'status'));
    expect(states).toEqual(['completed', 'in_progress']);
  });
});

describe('servers that speak like OpenAI and differ', () => {
  it.each([
    ['emptyErrorId', { error_file_id: '' }],
    ['emptyErrorFile', { error_file_id: expect.stringMatching(/^file-/) }],
  ] as const)('%s', async (quirk, wanted) => {
    const { shown, driver } = await live('openai', { quirks: { [quirk]: true } });
    expect(shown).toMatchObject(wanted);
    const [, errors] = driver.findResults(shown);
    if (errors !== undefined) expect((await driver.download(errors)).headers.get('content-length')).toBe('0');
  });

  it('absentNulls', async () => {
    const { shown } = await live('openai', { quirks: { absentNulls: true } });
    expect(Object.values(shown as object)).not.toContain(null);
    expect(shown).not.toHaveProperty('error_file_id');
  });

  it('errorsInOutput', async () => {
    const { shown, driver } = await live('openai', {
      quirks: { errorsInOutput: true },
      lies: [{ on: 'row', what: { kind: 'row_error', error: 'invalid' }, times: 1 }],
    });
    const paths = driver.findResults(shown);
    expect(paths).toHaveLength(1);
    expect((await driver.download(paths[0] as string)).text).toContain('"status_code":400');
  });
});

it.each([
  ['2026-10-21', { temperature: 0 }, true],
  ['2023-06-01', { temperature: 0 }, false],
  ['2026-10-21', { max_tokens: 0 }, true],
  ['2026-10-21', { stream: true }, true],
  ['2026-10-21', {}, false],
])('Anthropic under %s: %j errs in the batch: %s', async (version, params, doomed) => {
  fake = await startFake();
  const body = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'x' }], ...params };
  const answer = await fetch(`${fake.origin}/v1/messages/batches`, {
    method: 'POST',
    headers: { 'anthropic-version': version },
    body: JSON.stringify({ requests: [{ custom_id: 'a', params: body }] }),
  });
  fake.clock.advance(11 * MINUTE);
  const { id } = (await answer.json()) as { id: string };
  expect(dig(fake.truth.resultsOf(id)[0]?.value, 'result', 'type')).toBe(doomed ? 'errored' : 'succeeded');
  expect(fake.truth.totals().requests).toBe(doomed ? 0 : 1);
});
