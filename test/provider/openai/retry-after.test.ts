import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IntentId } from '../../../runner/ids.ts';
import { openaiProvider } from '../../../runner/provider/openai/openai.ts';
import type { Provider } from '../../../runner/provider/port.ts';
import { type Answer, json, type Loopback, startLoopback, text } from '../../support/loopback.ts';

const START = Date.parse('2026-11-30T10:00:00Z');
const MINUTE = 60_000;

let server: Loopback;
let now: number;
beforeEach(async () => {
  server = await startLoopback();
  now = START;
});
afterEach(() => server[Symbol.asyncDispose]());

function open(): Promise<Provider> {
  const settings = {
    kind: 'openai',
    baseUrl: server.url,
    apiKeyEnv: 'X',
    account: 'prod',
    organization: null,
    project: null,
    workspace: null,
    emulator: false,
  } as const;
  return openaiProvider({ name: 'openai', settings, apiKey: 'k', retryDelaysMs: [0, 0], now: () => now });
}

const batch = json({ id: 'batch_1', status: 'in_progress', created_at: 1 });

function busy(headers: Record<string, string>, status = 429): Answer {
  return json(
    { error: { message: 'Too fast.', type: 'requests', code: 'rate_limit_exceeded' } },
    status,
    headers,
  );
}

describe('a server that names a time is left alone until then', () => {
  const cases: readonly (readonly [title: string, answer: Answer, ms: number])[] = [
    ['in seconds', busy({ 'retry-after': '90' }), 90_000],
    ['in milliseconds', busy({ 'retry-after-ms': '1500', 'retry-after': '90' }), 1500],
    [
      'as a date, by the server’s clock, which is an hour behind',
      busy({ 'retry-after': 'Mon, 30 Nov 2026 09:02:00 GMT', date: 'Mon, 30 Nov 2026 09:00:00 GMT' }),
      2 * MINUTE,
    ],
    ['with 503', text('<html>maintenance</html>', 503, { 'retry-after': '120' }), 2 * MINUTE],
    ['for a day: an hour is enough', busy({ 'retry-after': '86400' }), 60 * MINUTE],
    [
      'until next year: an hour is enough',
      busy({ 'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT' }),
      60 * MINUTE,
    ],
  ];
  test.each(cases)('%s', async (_title, answer, ms) => {
    server.answer(answer, batch);
    const provider = await open();
    expect(await provider.poll('batch_1')).toMatchObject({ kind: 'failed', error: { retryAfterMs: ms } });
    now += ms - 1;
    expect(await provider.poll('batch_2')).toMatchObject({
      kind: 'failed',
      error: { retryAfterMs: 1, message: expect.stringContaining('is left alone until 2026-11-30T1') },
    });
    expect(server.asked).toHaveLength(1);
    now += 1;
    expect(await provider.poll('batch_1')).toMatchObject({ kind: 'ok' });
    expect(server.asked).toHaveLength(2);
  });

  test('what was said of one file is not said of the next, which nobody asked for', async () => {
    server.answer(busy({ 'retry-after': '90' }, 404));
    const provider = await open();
    await provider.discard('file-1');
    expect(await provider.discard('file-2')).toMatchObject({ kind: 'failed', error: { status: null } });
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    ['not at all', {}],
    ['as nonsense', { 'retry-after': 'soon' }],
    ['as nothing', { 'retry-after': '' }],
    ['as a time that has passed', { 'retry-after': 'Mon, 30 Nov 2026 09:00:00 GMT' }],
    ['as no time', { 'retry-after': '0' }],
  ])('said %s: the next pass may ask again', async (_title, headers) => {
    server.answer(busy(headers), batch);
    const provider = await open();
    expect((await provider.poll('batch_1')).kind).toBe('failed');
    expect((await provider.poll('batch_1')).kind).toBe('ok');
  });

  test('a limit on one kind of call holds no other kind', async () => {
    server.answer(busy({ 'retry-after': '90' }), json({ object: 'list', data: [], has_more: false }), batch);
    const provider = await open();
    await provider.poll('batch_1');
    expect((await provider.find([], new Date(START).toISOString() as never)).kind).toBe('ok');
    // A create is asked for when the journal says so, and by nobody else.
    const order = {
      intent: 'abcdefghij012345' as IntentId,
      fileId: 'file-1',
      input: { path: 'unread', bytes: 0 },
      model: 'gpt-5.4-mini',
      endpoint: '/v1/responses',
      tags: {},
    } as const;
    expect((await provider.create(order)).kind).toBe('accepted');
  });
});
