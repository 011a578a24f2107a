import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../runner/emulator/server.ts';
import {
  call,
  chargedRequests,
  create,
  createBody,
  form,
  HOUR_MS,
  poll,
  requestLines,
  runBatch,
  startStill,
  upload,
} from '../support/emulator.ts';

async function batchIds(emulator: Emulator): Promise<string[]> {
  const page = (await (await call(emulator, 'GET', '/batches')).json()) as { data: { id: string }[] };
  return page.data.map((batch) => batch.id);
}

describe('a refused call', () => {
  test.each([
    ['rate limit', { status: 429, retry_after: 61 }, { type: 'requests', code: 'rate_limit_exceeded' }],
    [
      'no money',
      { status: 429, code: 'credit_balance_exhausted' },
      { type: 'insufficient_quota', code: 'credit_balance_exhausted' },
    ],
    [
      'slow down',
      { status: 429, type: 'rate_limit_error', code: 'slow_down' },
      { type: 'rate_limit_error', code: 'slow_down' },
    ],
    ['overload', { status: 503 }, { code: 'server_is_overloaded' }],
    [
      'a date',
      { status: 500, retry_after: 'Mon, 30 Nov 2026 09:00:00 GMT', headers: { 'x-should-retry': 'false' } },
      { type: 'server_error' },
    ],
  ])('%s', async (_name, fault, error) => {
    await using emulator = await startStill({ rules: [{ on: 'create', first: 1, do: fault }] });
    const response = await call(emulator, 'POST', '/batches', createBody('file-x'));
    expect(response.status).toBe(fault.status);
    expect(response.headers.get('x-batchwright-emulator')).toBe('1');
    expect(response.headers.get('retry-after')).toBe(
      'retry_after' in fault ? String(fault.retry_after) : null,
    );
    expect(response.headers.get('x-should-retry')).toBe('headers' in fault ? 'false' : null);
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String), param: null, ...error },
    });
    expect(await batchIds(emulator)).toEqual([]);
    expect((await create(emulator, 'file-x')).status).toBe('validating');
  });

  test('may have a body of its own', async () => {
    await using emulator = await startStill({
      rules: [{ on: 'poll', do: { status: 502, body: '<html>bad gateway</html>' } }],
    });
    const response = await call(emulator, 'GET', '/batches/batch_x');
    expect([response.status, await response.text()]).toEqual([502, '<html>bad gateway</html>']);
  });

  test('is read to its end, so that a large upload sees the refusal', async () => {
    await using emulator = await startStill({ rules: [{ on: 'upload', do: { status: 429 } }] });
    const response = await call(emulator, 'POST', '/files', form('x'.repeat(5_000_000)));
    expect(response.status).toBe(429);
  });
});

describe('B039: an answer that never arrives', () => {
  test.each([
    ['before the batch is made', { reset: true }, 0],
    ['after it is made', { when: 'after_commit', reset: true }, 1],
    ['with a 500 after it is made', { when: 'after_commit', status: 500 }, 1],
  ] as const)('%s', async (_name, fault, made) => {
    await using emulator = await startStill({ rules: [{ on: 'create', nth: 1, do: fault }] });
    const fileId = await upload(emulator, requestLines(2));
    const first = call(emulator, 'POST', '/batches', createBody(fileId));
    if ('reset' in fault) await expect(first).rejects.toThrow('fetch failed');
    else expect((await first).status).toBe(500);
    expect(await batchIds(emulator)).toHaveLength(made);
    emulator.clock.advance(HOUR_MS);
    expect(await chargedRequests(emulator)).toHaveLength(made * 2);
  });

  test('in time: the client gives up, the batch is made', async () => {
    await using emulator = await startStill({
      rules: [{ on: 'create', do: { when: 'after_commit', delay_ms: 60_000 } }],
    });
    const giveUp = new AbortController();
    const waiting = fetch(`${emulator.url}/batches`, {
      method: 'POST',
      headers: { authorization: 'Bearer any' },
      body: createBody('file-x'),
      signal: giveUp.signal,
    });
    while ((await batchIds(emulator)).length === 0);
    giveUp.abort();
    await expect(waiting).rejects.toThrow('abort');
    expect(await batchIds(emulator)).toHaveLength(1);
  });
});

test('a delayed answer comes when the clock has moved', async () => {
  await using emulator = await startStill({ rules: [{ on: 'poll', do: { delay_ms: 60_000 } }] });
  const { id } = await create(emulator, 'file-x');
  let isAnswered = false;
  const waiting = poll(emulator, id).finally(() => {
    isAnswered = true;
  });
  await batchIds(emulator);
  expect(isAnswered).toBe(false);
  while (!isAnswered) {
    emulator.clock.advance(60_000);
    await batchIds(emulator);
  }
  expect((await waiting).id).toBe(id);
});

test('B045: a batch may be unknown just after its creation, and again later', async () => {
  await using emulator = await startStill({
    rules: [
      { on: 'create', do: { not_found_ms: 10_000 } },
      { on: 'poll', nth: 3, do: { status: 404 } },
    ],
  });
  const { id } = await create(emulator, await upload(emulator, requestLines(1)));
  const status = async () => (await call(emulator, 'GET', `/batches/${id}`)).status;
  expect(await status()).toBe(404);
  emulator.clock.advance(10_000);
  expect([await status(), await status(), await status()]).toEqual([200, 404, 200]);
});

test('a batch may fail as the scenario says', async () => {
  await using emulator = await startStill({
    rules: [{ on: 'create', batch: 1, do: { fail: 'token_limit_exceeded' } }],
  });
  const failed = await runBatch(emulator, requestLines(2));
  expect(failed).toMatchObject({
    status: 'failed',
    errors: { data: [{ code: 'token_limit_exceeded', line: null }] },
  });
  expect((await runBatch(emulator, requestLines(2))).status).toBe('completed');
});

describe('B054: a download may be cut', () => {
  const cut = (content_length: boolean) =>
    ({ on: 'download', nth: 1, do: { cut_at: 0.5, content_length } }) as const;

  test('with Content-Length: the connection breaks', async () => {
    await using emulator = await startStill({ rules: [cut(true)] });
    const { output_file_id: id } = await runBatch(emulator, requestLines(50));
    const response = await call(emulator, 'GET', `/files/${id}/content`);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(1000);
    await expect(response.text()).rejects.toThrow('terminated');
    const again = await call(emulator, 'GET', `/files/${id}/content`);
    expect((await again.text()).length).toBe(Number(again.headers.get('content-length')));
  });

  test('without: it ends like a whole one', async () => {
    await using emulator = await startStill({ rules: [cut(false)] });
    const { output_file_id: id } = await runBatch(emulator, requestLines(50));
    const response = await call(emulator, 'GET', `/files/${id}/content`);
    expect(response.headers.get('content-length')).toBeNull();
    const half = (await response.text()).length;
    const whole = (await (await call(emulator, 'GET', `/files/${id}/content`)).text()).length;
    expect(half).toBe(Math.floor(whole / 2));
  });
});

test('another scenario can be set on the way; batches keep the one they began with', async () => {
  await using emulator = await startStill({ rules: [{ on: 'line', do: { status: 500 } }] });
  const first = await create(emulator, await upload(emulator, requestLines(2)));
  emulator.setScenario({});
  const second = await runBatch(emulator, requestLines(2));
  expect((await poll(emulator, first.id)).request_counts.failed).toBe(2);
  expect(second.request_counts.failed).toBe(0);
  expect(() => emulator.setScenario({ rules: [{ on: 'poll', do: { status: 1 } }] })).toThrow(
    'rules.0.do.status',
  );
});
