import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../../runner/emulator/ledger.ts';
import type { Scenario } from '../../../runner/emulator/scenario.ts';
import type { Emulator } from '../../../runner/emulator/server.ts';
import type { JsonObject } from '../../../runner/ids.ts';
import { HOUR_MS, startStill } from '../../support/emulator.ts';
import { testFolder } from '../../support/folder.ts';

const BATCHES = '/v1/messages/batches';
const BEARER = { authorization: 'Bearer any' };

interface Wire {
  readonly id: string;
  readonly processing_status: string;
  readonly request_counts: Readonly<Record<string, number>>;
  readonly results_url: string | null;
  readonly [name: string]: unknown;
}

function ask(
  emulator: Emulator,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = BEARER,
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${emulator.origin}${path}`, {
    method,
    headers: { 'anthropic-version': '2026-10-21', ...headers },
    ...(body === undefined ? {} : { body: text }),
  });
}

function requestsOf(count: number, params: JsonObject = {}): object[] {
  return Array.from({ length: count }, (_, at) => ({
    custom_id: `r-${at}`,
    params: {
      model: 'claude-haiku-4-5',
      max_tokens: 60,
      messages: [{ role: 'user', content: `Say something about ${at}.` }],
      ...params,
    },
  }));
}

async function create(emulator: Emulator, requests: object[], headers = {}): Promise<Wire> {
  const response = await ask(emulator, 'POST', BATCHES, { requests }, { ...BEARER, ...headers });
  expect(response.status).toBe(200);
  return (await response.json()) as Wire;
}

async function look(emulator: Emulator, id: string): Promise<Wire> {
  return (await (await ask(emulator, 'GET', `${BATCHES}/${id}`)).json()) as Wire;
}

interface Line {
  readonly custom_id: string;
  readonly result: {
    readonly type: string;
    readonly message?: JsonObject;
    readonly error?: { error: JsonObject };
  };
}

async function linesOf(emulator: Emulator, { results_url }: Wire): Promise<Line[]> {
  const text = await (await ask(emulator, 'GET', new URL(results_url ?? '').pathname)).text();
  expect(text).not.toMatch(/\n\n|\n$\n/);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Creates, lets time pass and looks. */
async function ended(emulator: Emulator, requests: object[], ms = HOUR_MS, headers = {}): Promise<Wire> {
  const { id } = await create(emulator, requests, headers);
  emulator.clock.advance(ms);
  return look(emulator, id);
}

async function errorOf(response: Response): Promise<JsonObject> {
  return ((await response.json()) as { error: JsonObject }).error;
}

describe('a batch', () => {
  test('shows RFC 3339 times, counts that stand still until the end, and then its results here', async () => {
    await using emulator = await startStill();
    const created = await create(emulator, requestsOf(3));
    expect(created).toEqual({
      id: expect.stringMatching(/^msgbatch_[A-Za-z0-9]{24}$/),
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: { processing: 3, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      created_at: '2026-11-30T08:00:00.000000+00:00',
      expires_at: '2026-12-01T08:00:00.000000+00:00',
      ended_at: null,
      cancel_initiated_at: null,
      archived_at: null,
      results_url: null,
    });
    emulator.clock.advance(1000);
    expect((await look(emulator, created.id)).request_counts).toEqual(created.request_counts);
    emulator.clock.advance(HOUR_MS);
    const batch = await look(emulator, created.id);
    expect(batch).toMatchObject({
      processing_status: 'ended',
      request_counts: { processing: 0, succeeded: 3 },
      results_url: `${emulator.origin}${BATCHES}/${created.id}/results`,
    });
    const lines = await linesOf(emulator, batch);
    expect(lines.map(({ custom_id }) => custom_id).sort()).toEqual(['r-0', 'r-1', 'r-2']);
    expect(lines[0]?.result).toMatchObject({
      type: 'succeeded',
      message: {
        type: 'message',
        model: 'claude-haiku-4-5-20251001',
        stop_reason: 'end_turn',
        stop_details: null,
        usage: { cache_read_input_tokens: 0, service_tier: 'batch' },
      },
    });
  });

  test('comes back in another order', async () => {
    await using emulator = await startStill();
    const ids = (await linesOf(emulator, await ended(emulator, requestsOf(40)))).map(
      (line) => line.custom_id,
    );
    expect(ids).not.toEqual(ids.toSorted());
    expect(ids).toHaveLength(40);
  });

  const PARTLY: Scenario = { phases: { running_ms: 10_000, validating_ms: 0, running_ms_per_1000: 0 } };

  test('that is cancelled shows so first, and has a line for every request', async () => {
    await using emulator = await startStill(PARTLY);
    const { id } = await create(emulator, requestsOf(10));
    emulator.clock.advance(5000);
    const cancelled = await ask(emulator, 'POST', `${BATCHES}/${id}/cancel`);
    expect(await cancelled.json()).toMatchObject({ processing_status: 'canceling', results_url: null });
    emulator.clock.advance(HOUR_MS);
    await look(emulator, id);
    const batch = await look(emulator, id);
    expect(batch).toMatchObject({
      processing_status: 'ended',
      request_counts: { succeeded: 5, canceled: 5, expired: 0 },
      cancel_initiated_at: '2026-11-30T08:00:05.000000+00:00',
    });
    const types = (await linesOf(emulator, batch)).map(({ result }) => result.type);
    expect(types.filter((type) => type === 'canceled')).toHaveLength(5);
    const again = await ask(emulator, 'POST', `${BATCHES}/${id}/cancel`);
    expect(again.status).toBe(200);
  });

  test('that expires has done a part', async () => {
    await using emulator = await startStill({ rules: [{ on: 'create', do: { expire_with: 0.3 } }] });
    const batch = await ended(emulator, requestsOf(10), 25 * HOUR_MS);
    expect(batch.request_counts).toMatchObject({ succeeded: 3, expired: 7 });
    const types = (await linesOf(emulator, batch)).map(({ result }) => result.type);
    expect(types.filter((type) => type === 'expired')).toHaveLength(7);
  });

  test('keeps its results for 29 days from its creation', async () => {
    await using emulator = await startStill();
    const batch = await ended(emulator, requestsOf(1), 20 * HOUR_MS);
    const results = () => ask(emulator, 'GET', `${BATCHES}/${batch.id}/results`);
    emulator.clock.advance(29 * 24 * HOUR_MS - 20 * HOUR_MS - 1);
    expect((await results()).status).toBe(200);
    emulator.clock.advance(1);
    expect((await results()).status).toBe(404);
    expect((await look(emulator, batch.id)).archived_at).toBe('2026-12-29T08:00:00.000000+00:00');
  });

  test('is deleted only when it has ended', async () => {
    await using emulator = await startStill();
    const { id } = await create(emulator, requestsOf(1));
    expect((await ask(emulator, 'DELETE', `${BATCHES}/${id}`)).status).toBe(400);
    emulator.clock.advance(HOUR_MS);
    const deleted = await ask(emulator, 'DELETE', `${BATCHES}/${id}`);
    expect(await deleted.json()).toEqual({ id, type: 'message_batch_deleted' });
    expect((await ask(emulator, 'GET', `${BATCHES}/${id}`)).status).toBe(404);
  });

  test('is known to an emulator that starts again in the same folder', async () => {
    const dir = await testFolder();
    let emulator = await startStill({}, { dir });
    const { id } = await create(emulator, requestsOf(4));
    await emulator.close();
    emulator = await startStill({}, { dir });
    emulator.clock.advance(HOUR_MS);
    expect((await look(emulator, id)).request_counts).toMatchObject({ succeeded: 4 });
    await emulator.close();
  });
});

describe('B024: a create that is refused at once', () => {
  test.each<readonly [string, unknown, number, string]>([
    ['no JSON', '{"requests":', 400, 'not a JSON object'],
    ['no requests', {}, 400, 'not a JSON object'],
    ['an empty list', { requests: [] }, 400, 'at least one'],
    ['an id with a blank', { requests: [{ custom_id: 'a b', params: {} }] }, 400, 'requests.0.custom_id'],
    ['an id that is too long', { requests: [{ custom_id: 'a'.repeat(65), params: {} }] }, 400, 'custom_id'],
    ['no params', { requests: [{ custom_id: 'a' }] }, 400, 'requests.0.params'],
    [
      'an id twice',
      {
        requests: [
          { custom_id: 'a', params: {} },
          { custom_id: 'a', params: {} },
        ],
      },
      400,
      'a is used more than once',
    ],
    ['too many', { requests: requestsOf(4) }, 400, 'at most 3'],
    ['too much', { requests: requestsOf(1, { system: 'x'.repeat(2000) }) }, 413, '1000'],
  ])('%s', async (_title, body, status, words) => {
    await using emulator = await startStill({ limits: { requests_per_batch: 3, file_bytes: 1000 } });
    const response = await ask(emulator, 'POST', BATCHES, body);
    expect(response.status).toBe(status);
    const { type, message } = await errorOf(response);
    expect(type).toBe(status === 413 ? 'request_too_large' : 'invalid_request_error');
    expect(message).toContain(words);
  });

  test('no key; either way to send one will do', async () => {
    await using emulator = await startStill();
    const statuses = [{}, { 'x-api-key': 'any' }, BEARER].map(
      async (headers) => (await ask(emulator, 'GET', BATCHES, undefined, headers)).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
  });

  test.each<readonly [string, JsonObject, Readonly<Record<string, string>>, Record<string, unknown>]>([
    ['overloaded', { status: 529 }, {}, { type: 'overloaded_error' }],
    [
      'a limit by time',
      { status: 429, retry_after: 61 },
      { 'retry-after': '61' },
      { type: 'rate_limit_error' },
    ],
    [
      'a spend limit',
      { status: 429, code: 'enforced_spend_limit_reached' },
      {},
      { type: 'rate_limit_error', details: { error_code: 'enforced_spend_limit_reached' } },
    ],
  ])('B042: %s', async (_title, fault, headers, error) => {
    await using emulator = await startStill({ rules: [{ on: 'create', do: fault }] } as Scenario);
    const response = await ask(emulator, 'POST', BATCHES, { requests: requestsOf(1) });
    expect(response.status).toBe(fault.status);
    expect(response.headers.get('retry-after')).toBe(headers['retry-after'] ?? null);
    expect(await errorOf(response)).toMatchObject(error);
  });
});

describe('a request that is wrong is the error of its own line', () => {
  const closed = { type: 'object', properties: {}, additionalProperties: false };
  const format = (schema: JsonObject) => ({ output_config: { format: { type: 'json_schema', schema } } });
  test.each<readonly [string, JsonObject, string]>([
    ['temperature, which this version has not', { temperature: 0 }, 'temperature'],
    ['top_k', { top_k: 1 }, 'top_k'],
    ['no tokens', { max_tokens: 0 }, 'max_tokens'],
    ['a stream', { stream: true }, 'stream'],
    ['another speed', { speed: 'fast' }, 'speed'],
    ['no messages', { messages: [] }, 'messages'],
    ['an open object', format({ type: 'object' }), "'additionalProperties' must be false"],
    [
      'a keyword deep inside',
      format({ ...closed, properties: { a: { anyOf: [{ type: 'string', maxLength: 3 }] } } }),
      "'maxLength'",
    ],
    ['an unknown model', { model: 'claude-nothing' }, 'claude-nothing'],
  ])('%s', async (_title, params, words) => {
    await using emulator = await startStill({ limits: { models: ['claude-haiku-4-5'] } });
    const [good = {}] = requestsOf(1);
    const bad = { ...requestsOf(1, params)[0], custom_id: 'bad' };
    const batch = await ended(emulator, [good, bad]);
    expect(batch.request_counts).toMatchObject({ succeeded: 1, errored: 1 });
    const line = (await linesOf(emulator, batch)).find(({ custom_id }) => custom_id === 'bad');
    expect(line?.result.type).toBe('errored');
    expect(line?.result.error?.error.message).toContain(words);
  });

  test('temperature is taken under the version that has it', async () => {
    await using emulator = await startStill();
    const old = { 'anthropic-version': '2023-06-01' };
    const batch = await ended(emulator, requestsOf(1, { temperature: 0 }), HOUR_MS, old);
    expect(batch.request_counts).toMatchObject({ succeeded: 1 });
  });
});

describe('what a model says', () => {
  async function messages(requests: object[], scenario: Scenario = {}): Promise<JsonObject[]> {
    await using emulator = await startStill(scenario);
    const lines = await linesOf(emulator, await ended(emulator, requests));
    return lines.map(({ result }) => result.message as JsonObject);
  }

  test.each<readonly [string, Scenario, Record<string, unknown>]>([
    [
      'a refusal',
      { rules: [{ on: 'line', do: { answer: 'refusal' } }] },
      { stop_reason: 'refusal', stop_details: { type: 'refusal' }, content: [] },
    ],
    ['a cut answer', { rules: [{ on: 'line', do: { answer: 'truncated' } }] }, { stop_reason: 'max_tokens' }],
    [
      'nothing',
      { rules: [{ on: 'line', do: { answer: 'empty' } }] },
      { stop_reason: 'end_turn', content: [] },
    ],
  ])('%s', async (_title, scenario, expected) => {
    expect((await messages(requestsOf(1), scenario))[0]).toMatchObject(expected);
  });

  test('thinking is a block of its own, and part of the output within the cap', async () => {
    const [message] = await messages(requestsOf(1, { thinking: { type: 'adaptive' }, max_tokens: 500 }));
    expect(message?.content).toMatchObject([{ type: 'thinking' }, { type: 'text' }]);
    expect(message?.usage).toMatchObject({ output_tokens_details: { thinking_tokens: 20 } });
  });

  test('the first writes what is marked for the cache, the others read it, and input counts it apart', async () => {
    const system = [{ type: 'text', text: 'x'.repeat(400), cache_control: { type: 'ephemeral', ttl: '1h' } }];
    const usages = (await messages(requestsOf(5, { system }))).map((message) => message.usage as JsonObject);
    const written = usages.filter((usage) => usage.cache_creation_input_tokens !== 0);
    expect(written).toHaveLength(1);
    expect(written[0]).toMatchObject({ cache_read_input_tokens: 0 });
    expect(usages.filter((usage) => usage.cache_read_input_tokens !== 0)).toHaveLength(4);
  });

  test('a marker on the request as a whole writes all of each and reads nothing: the last block differs', async () => {
    const marked = requestsOf(3, { cache_control: { type: 'ephemeral' } });
    const usages = (await messages(marked)).map((message) => message.usage as JsonObject);
    for (const usage of usages) expect(usage).toMatchObject({ input_tokens: 0, cache_read_input_tokens: 0 });
    expect(usages.filter((usage) => usage.cache_creation_input_tokens !== 0)).toHaveLength(3);
  });
});

describe('the list', () => {
  test('is newest first, in pages by cursor both ways, of one workspace', async () => {
    await using emulator = await startStill();
    const ids: string[] = [];
    for (let made = 0; made < 5; made += 1) ids.unshift((await create(emulator, requestsOf(1))).id);
    await create(emulator, requestsOf(1), { 'anthropic-workspace-id': 'wrkspc_other' });
    const page = async (query: string) =>
      (await (await ask(emulator, 'GET', `${BATCHES}?${query}`)).json()) as {
        data: Wire[];
        has_more: boolean;
      };
    const of = async (query: string) => {
      const { data, has_more } = await page(query);
      return [data.map(({ id }) => ids.indexOf(id)), has_more];
    };
    expect(await of('')).toEqual([[0, 1, 2, 3, 4], false]);
    expect(await of('limit=2')).toEqual([[0, 1], true]);
    expect(await of(`limit=2&after_id=${ids[1]}`)).toEqual([[2, 3], true]);
    expect(await of(`limit=2&after_id=${ids[3]}`)).toEqual([[4], false]);
    expect(await of(`limit=2&before_id=${ids[3]}`)).toEqual([[1, 2], true]);
    // One that is made while somebody pages does not shift what follows the cursor.
    await create(emulator, requestsOf(1));
    expect(await of(`limit=2&after_id=${ids[1]}`)).toEqual([[2, 3], true]);
    for (const query of [
      'limit=0',
      'limit=1001',
      'after_id=nothing',
      `after_id=${ids[0]}&before_id=${ids[1]}`,
    ])
      expect((await ask(emulator, 'GET', `${BATCHES}?${query}`)).status).toBe(400);
  });
});

describe('batches of somebody else', () => {
  const charges = async (emulator: Emulator): Promise<LedgerEntry[]> =>
    (await Array.fromAsync(emulator.ledger())).filter(({ kind }) => kind !== 'calls');

  test('look like ours until their results show other ids, and cost us nothing', async () => {
    await using emulator = await startStill({ rules: [{ on: 'create', nth: 1, do: { lookalikes: 2 } }] });
    const ours = await create(emulator, requestsOf(3));
    emulator.clock.advance(HOUR_MS);
    const { data } = (await (await ask(emulator, 'GET', BATCHES)).json()) as { data: Wire[] };
    expect(data).toHaveLength(3);
    const shapes = data.map(({ id, results_url, ...rest }) => rest);
    expect(shapes).toEqual([shapes[0], shapes[0], shapes[0]]);
    for (const batch of data) {
      const ids = (await linesOf(emulator, batch)).map(({ custom_id }) => custom_id);
      expect(ids).toHaveLength(3);
      expect(ids.includes('r-0')).toBe(batch.id === ours.id);
    }
    expect(await charges(emulator)).toHaveLength(1 + 3);
    await create(emulator, requestsOf(1));
    expect((await charges(emulator)).filter(({ kind }) => kind === 'batch')).toMatchObject([
      { number: 1 },
      { number: 2 },
    ]);
  });

  test('may be all that there is of a create that was lost', async () => {
    await using emulator = await startStill({
      rules: [{ on: 'create', do: { lookalikes: 1, not_stored: true, status: 504, when: 'after_commit' } }],
    });
    expect((await ask(emulator, 'POST', BATCHES, { requests: requestsOf(2) })).status).toBe(504);
    const { data } = (await (await ask(emulator, 'GET', BATCHES)).json()) as { data: Wire[] };
    expect(data.map(({ request_counts }) => request_counts.processing)).toEqual([2]);
    expect(await charges(emulator)).toEqual([]);
  });
});
