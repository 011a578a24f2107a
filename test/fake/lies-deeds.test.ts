import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMITTED, REFUSALS } from './catalogue.ts';
import { MINUTE } from './clock.ts';
import { ask, type Driver, drive, type Got, readId } from './drive.ts';
import { dig, listOf } from './json.ts';
import type { ProviderName } from './model.ts';
import { type Fake, type Moment, startFake } from './server.ts';

const PROVIDERS: ProviderName[] = ['openai', 'anthropic', 'gemini'];

let fake: Fake;
beforeEach(async () => {
  fake = await startFake();
});
afterEach(() => fake.close());

function expectLie(got: Got, what: { kind: string; code?: number }): void {
  const reset = what.kind.endsWith('reset');
  expect(got.status).toBe(what.code ?? (reset ? 0 : 200));
  expect(got.broken !== null).toBe(reset);
}

describe.each(PROVIDERS)('deeds at %s', (provider) => {
  let driver: Driver;
  beforeEach(() => {
    driver = drive(fake, provider);
  });

  async function makeEnded(): Promise<{ id: string; path: string }> {
    const id = readId(await driver.create(['one', 'two']));
    fake.clock.advance(11 * MINUTE);
    return { id, path: driver.findResults((await driver.look(id)).json)[0] as string };
  }

  it.each(Object.entries(REFUSALS))('%s: no batch is made', async (_name, what) => {
    fake.liar.tell({ on: 'create', what, times: 1 });
    expectLie(await driver.create(['one']), what);
    expect(fake.book.creates).toEqual([]);
    expect((await driver.create(['one'])).status).toBe(200);
  });

  it.each(Object.entries(COMMITTED))('%s: the batch is made, and runs', async (_name, what) => {
    fake.liar.tell({ on: 'create', what, times: 1 });
    const got = await driver.create(['one']);
    expectLie(got, what);
    expect(readId(got)).toBe('');
    fake.clock.advance(11 * MINUTE);
    expect(fake.book.creates).toHaveLength(1);
    expect(fake.truth.totals().requests).toBe(1);
  });

  it('something on the way repeats a create: two batches, and all is bought twice', async () => {
    fake.liar.tell({ on: 'create', batch: 1, what: { kind: 'commit_twice' } });
    const id = readId(await driver.create(['one', 'two']));
    await driver.create(['three']);
    expect(fake.book.creates.map(({ batch }) => batch).indexOf(id)).toBe(1);
    expect(fake.book.creates).toHaveLength(3);
    fake.clock.advance(11 * MINUTE);
    expect(fake.truth.boughtTwice().map(({ charges }) => charges.length)).toEqual([2, 2]);
  });

  it.each(Object.entries({ ...REFUSALS, ignored: { kind: 'ignored' as const } }))(
    '%s: nothing is deleted',
    async (_name, what) => {
      const { path } = await makeEnded();
      fake.liar.tell({ on: 'delete', what, times: 1 });
      expectLie(await driver.drop(path), what);
      expect(fake.book.deleted).toEqual([]);
      expect((await driver.download(path)).text).toContain('wheel');
    },
  );

  it.each(Object.entries(COMMITTED))('%s: it is deleted', async (_name, what) => {
    const { path } = await makeEnded();
    fake.liar.tell({ on: 'delete', what, times: 1 });
    expectLie(await driver.drop(path), what);
    expect(fake.book.deleted).toHaveLength(1);
    expect((await driver.download(path)).status).toBe(404);
  });

  it.each([
    ['ignored', { kind: 'ignored' }, false],
    ['refused', { kind: 'status', code: 500 }, false],
    ['done, and its answer lost', { kind: 'commit_then_reset' }, true],
  ] as const)('a cancel that is %s', async (_name, what, done) => {
    const id = readId(await driver.create(['one', 'two']));
    fake.clock.advance(2 * MINUTE);
    fake.liar.tell({ on: 'cancel', what, times: 1 });
    await driver.cancel(id);
    fake.clock.advance(20 * MINUTE);
    expect(fake.truth.totals(id).requests).toBe(done ? 0 : 2);
  });

  it('the moments of a create are told in their order, with what has happened by then', async () => {
    const seen: [Moment['stage'], string, number][] = [];
    const watch = ({ stage, on }: Moment) => {
      if (on === 'create') seen.push([stage, on, watched.book.creates.length]);
    };
    const watched = await startFake({ watch });
    await drive(watched, provider).create(['one']);
    await watched.close();
    expect(seen.slice(0, 2)).toEqual([
      ['before', 'create', 0],
      ['done', 'create', 1],
    ]);
  });

  it('silence ends with the patience of the client, and the batch may be there', async () => {
    const done = Promise.withResolvers<void>();
    const silent = await startFake({
      lies: [{ on: 'create', what: { kind: 'commit_then_silence' } }],
      watch: ({ stage, on }) => void (stage === 'done' && on === 'create' && done.resolve()),
    });
    const made = drive(silent, provider).create(['one']);
    await done.promise;
    await silent.close();
    expect((await made).broken).not.toBeNull();
    expect(silent.book.creates).toHaveLength(1);
  });
});

describe.each(['openai', 'gemini'] as const)('uploads to %s', (provider) => {
  it.each([
    ['done, and its answer lost', { kind: 'commit_then_status', code: 500 }, 1],
    ['refused', { kind: 'status', code: 500 }, 0],
  ] as const)('%s', async (_name, what, count) => {
    fake.liar.tell({ on: 'upload', what });
    await drive(fake, provider).create(['one']);
    fake.liar.stop();
    const { openai, gemini } = fake.baseUrls;
    const { json } = await ask(provider === 'openai' ? `${openai}/files` : `${gemini}/v1beta/files`);
    expect(listOf(dig(json, 'data') ?? dig(json, 'files'))).toHaveLength(count);
  });
});

it('a status can bring a body and headers of its own', async () => {
  const body = {
    error: { message: 'x', type: 'insufficient_quota', param: null, code: 'credit_balance_exhausted' },
  };
  const headers = { 'x-should-retry': 'false' };
  fake.liar.tell({ on: 'create', what: { kind: 'status', code: 429, body, headers } });
  const got = await drive(fake, 'openai').create(['one']);
  expect(got.json).toEqual(body);
  expect(got.headers.get('x-should-retry')).toBe('false');
});
