import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE } from './clock.ts';
import { type Driver, drive, readId } from './drive.ts';
import type { ProviderName } from './model.ts';
import { type Fake, startFake } from './server.ts';

const PROVIDERS: ProviderName[] = ['openai', 'anthropic', 'gemini'];

let fake: Fake;
beforeEach(async () => {
  fake = await startFake();
});
afterEach(() => fake.close());

describe.each(PROVIDERS)('the books on %s', (provider) => {
  let driver: Driver;
  beforeEach(() => {
    driver = drive(fake, provider);
  });
  const START = Date.parse('2026-11-02T08:00:00Z');

  async function run(prompts: string[]): Promise<{ id: string; paths: string[] }> {
    const id = readId(await driver.create(prompts));
    fake.clock.advance(11 * MINUTE);
    return { id, paths: driver.findResults((await driver.look(id)).json) };
  }

  it('have each create with its ids and what was asked', async () => {
    const { id } = await run(['one', 'two']);
    await run(['one']);
    const [first, second] = fake.book.creates;
    expect(first).toMatchObject({ batch: id, provider, ids: ['k0', 'k1'], at: START });
    expect(second?.at).toBe(START + 11 * MINUTE);
    expect(second?.hashes).toEqual([first?.hashes[0]]);
  });

  it('have each execution at its time, with an id that no other has', async () => {
    const { id } = await run(['one', 'two', 'three']);
    expect(fake.book.charged).toMatchObject(
      ['k0', 'k1', 'k2'].map((key, n) => ({
        batch: id,
        id: key,
        at: START + MINUTE + (n + 1) * 3 * MINUTE,
        billed: true,
        usage: { input: n === 2 ? 2 : 1, output: 8 },
      })),
    );
    expect(new Set(fake.book.charged.map(({ responseId }) => responseId)).size).toBe(3);
    for (const { responseId } of fake.book.charged)
      expect(fake.truth.resultsOf(id).some(({ text }) => text.includes(responseId))).toBe(true);
  });

  it('know what was bought twice, and where', async () => {
    const one = await run(['one', 'two']);
    expect(fake.truth.boughtTwice()).toEqual([]);
    const two = await run(['three', 'two']);
    const [found, ...others] = fake.truth.boughtTwice();
    expect(others).toEqual([]);
    expect(found?.charges.map(({ batch }) => batch)).toEqual([one.id, two.id]);
    expect(fake.truth.totals().requests).toBe(4);
    expect(fake.truth.totals(two.id).requests).toBe(2);
  });

  it('do not count as bought what was not billed', async () => {
    fake.liar.tell({ on: 'row', until: 5 * MINUTE, what: { kind: 'row_error', error: 'capacity' } });
    await run(['one']);
    fake.liar.stop();
    await run(['one']);
    await run(['two']);
    expect(fake.truth.boughtTwice().map(({ charges }) => charges.length)).toEqual([2]);
  });

  it.each([
    ['never', 0, false],
    ['once', 1, true],
    ['twice', 2, true],
  ])('a result that left %s and was deleted', async (_name, times, whole) => {
    const { id, paths } = await run(['one', 'two']);
    for (let n = 0; n < times; n++) await driver.download(paths[0] as string);
    await driver.drop(paths[0] as string);
    expect(fake.book.deleted).toMatchObject([{ batch: id, deliveredWhole: whole, at: START + 11 * MINUTE }]);
    expect(fake.truth.discardedUnread()).toHaveLength(whole ? 0 : 1);
    expect(fake.truth.resultsOf(id)).toHaveLength(2);
  });

  it('a lie before or after the truth takes nothing back', async () => {
    const { paths } = await run(['one']);
    for (const lies of [true, false, true]) {
      if (lies) fake.liar.tell({ on: 'download', what: { kind: 'empty' }, times: 1 });
      await driver.download(paths[0] as string);
    }
    await driver.drop(paths[0] as string);
    expect(fake.truth.discardedUnread()).toEqual([]);
  });

  it('have every call with its errand, its status and the lie that was told', async () => {
    fake.liar.tell({ on: 'poll', what: { kind: 'status', code: 502 }, times: 1 });
    const { id } = await run(['one']);
    await driver.look(id);
    const calls = fake.book.calls.filter(({ on }) => on === 'poll');
    expect(calls).toMatchObject([
      { provider, method: 'GET', status: 502, lie: 'status' },
      { provider, method: 'GET', status: 200, lie: null },
    ]);
  });

  it('the truth knows no results of a batch that runs, and throws for one that never was', async () => {
    const id = readId(await driver.create(['one']));
    expect(fake.truth.resultsOf(id)).toEqual([]);
    expect(() => fake.truth.resultsOf('nobody')).toThrow('never had');
  });
});

it('input files that are deleted stand apart', async () => {
  await drive(fake, 'openai').create(['one']);
  const [input] = fake.book.calls.filter(({ on }) => on === 'upload');
  expect(input?.status).toBe(200);
  const { data } = (await (await fetch(`${fake.baseUrls.openai}/files`)).json()) as {
    data: { id: string }[];
  };
  await fetch(`${fake.baseUrls.openai}/files/${data[0]?.id}`, { method: 'DELETE' });
  expect(fake.book.inputsDeleted).toMatchObject([{ id: data[0]?.id, provider: 'openai' }]);
  expect(fake.book.deleted).toEqual([]);
});

it('a Gemini batch that is deleted while it runs goes on, is charged, and counts as discarded unread', async () => {
  const id = readId(await drive(fake, 'gemini').create(['one']));
  await fetch(`${fake.origin}/v1beta/batches/${id}`, { method: 'DELETE' });
  fake.clock.advance(11 * MINUTE);
  expect(fake.truth.totals(id).requests).toBe(1);
  expect(fake.truth.discardedUnread()).toMatchObject([{ what: 'batch', batch: id }]);
});

it.each([
  ['failed', { as: 'failed', code: 'x', message: 'x' }],
  ['expired', { as: 'expired', ran: 0 }],
] as const)('a Gemini batch that %s has nothing to lose', async (_name, end) => {
  await fake.close();
  fake = await startFake({ plan: { end } });
  const id = readId(await drive(fake, 'gemini').create(['one']));
  fake.clock.advance(49 * 60 * MINUTE);
  await fetch(`${fake.origin}/v1beta/batches/${id}`, { method: 'DELETE' });
  expect(fake.book.deleted).toMatchObject([{ deliveredWhole: true }]);
});
