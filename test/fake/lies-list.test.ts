import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIST_LIES, REFUSALS, SIZE_LIES } from './catalogue.ts';
import { HOUR, MINUTE } from './clock.ts';
import { type Driver, drive, readId, readState } from './drive.ts';
import { dig, digText, listOf } from './json.ts';
import type { ProviderName } from './model.ts';
import { type Fake, startFake } from './server.ts';

const PROVIDERS: ProviderName[] = ['openai', 'anthropic', 'gemini'];

let fake: Fake;
beforeEach(async () => {
  fake = await startFake();
});
afterEach(() => fake.close());

const ENDED = { openai: 'completed', anthropic: 'ended', gemini: 'BATCH_STATE_SUCCEEDED' };
const RUNNING = { openai: 'in_progress', anthropic: 'in_progress', gemini: 'BATCH_STATE_RUNNING' };

describe.each(PROVIDERS)('lists of %s', (provider) => {
  let driver: Driver;
  let ids: string[];
  beforeEach(async () => {
    driver = drive(fake, provider);
    ids = [];
    for (const prompt of ['a', 'b', 'c']) {
      ids.push(readId(await driver.create([prompt])));
      fake.clock.advance(20 * MINUTE);
    }
  });

  async function list() {
    const { json } = await driver.list();
    const items = listOf(dig(json, 'data') ?? dig(json, 'operations'));
    const found = items.map((item) =>
      (digText(item, 'id') ?? digText(item, 'name') ?? '').replace('batches/', ''),
    );
    const more = dig(json, 'has_more') === true || dig(json, 'nextPageToken') !== undefined;
    return { ids: found, states: items.map(readState), more };
  }

  it('is newest first, in pages', async () => {
    expect(await list()).toEqual({
      ids: [ids[2], ids[1]],
      states: [ENDED[provider], ENDED[provider]],
      more: true,
    });
  });

  it('that lags behind shows neither what came since nor how it went on', async () => {
    fake.liar.tell({ on: 'list', what: { kind: 'lag', ms: 35 * MINUTE } });
    const told = await list();
    expect(told.ids).toEqual([ids[1], ids[0]]);
    expect(told.states).toEqual([RUNNING[provider], ENDED[provider]]);
  });

  it('can be empty, or say that it is at its end, or leave one out', async () => {
    fake.liar.tell({ on: 'list', what: LIST_LIES['an empty page'], times: 1 });
    expect(await list()).toEqual({ ids: [], states: [], more: false });
    fake.liar.tell({ on: 'list', what: LIST_LIES['no other page'], times: 1 });
    expect(await list()).toMatchObject({ ids: [ids[2], ids[1]], more: false });
    fake.liar.tell({ on: 'list', batch: 2, what: LIST_LIES['a batch is left out'], times: 1 });
    expect((await list()).ids).toEqual([ids[2], ids[0]]);
    expect((await list()).ids).toEqual([ids[2], ids[1]]);
  });

  it('can tell a wrong state of one batch', async () => {
    fake.liar.tell({ on: 'list', batch: 3, what: { kind: 'phase', phase: 'running' } });
    expect((await list()).states).toEqual([RUNNING[provider], ENDED[provider]]);
  });

  it('an hour late it knows nothing of the last hour', async () => {
    fake.clock.advance(HOUR - 12 * MINUTE);
    fake.liar.tell({ on: 'list', what: LIST_LIES['an hour late'] });
    expect((await list()).ids).toEqual([ids[2], ids[1]]);
    expect((await list()).states[0]).toBe(RUNNING[provider]);
  });
});

describe.each(['openai', 'gemini'] as const)('sizes at %s', (provider) => {
  it.each([...Object.entries(SIZE_LIES), ...Object.entries(REFUSALS)])('%s', async (_name, what) => {
    const driver = drive(fake, provider);
    const id = readId(await driver.create(['one']));
    fake.clock.advance(11 * MINUTE);
    const path = driver.findResults((await driver.look(id)).json)[0] as string;
    const read = async () => {
      const json = (await driver.size(path))?.json;
      return dig(json, 'bytes') ?? dig(json, 'sizeBytes');
    };
    const truth = Number(await read());
    fake.liar.tell({ on: 'file', what, times: 1 });
    expect(truth).toBeGreaterThan(100);
    expect(Number((await read()) ?? Number.NaN)).not.toBe(truth);
    expect(Number(await read())).toBe(truth);
  });
});
