import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { POLL_LIES, REFUSALS } from './catalogue.ts';
import { MINUTE } from './clock.ts';
import { type Driver, drive, readId, readState } from './drive.ts';
import { dig } from './json.ts';
import type { ProviderName } from './model.ts';
import { type Fake, startFake } from './server.ts';

const PROVIDERS: ProviderName[] = ['openai', 'anthropic', 'gemini'];

let fake: Fake;
beforeEach(async () => {
  fake = await startFake();
});
afterEach(() => fake.close());

/** Counts as a provider shows them. */
function readCounts(shown: unknown): unknown {
  return dig(shown, 'metadata') !== undefined && dig(shown, 'request_counts') === undefined
    ? dig(shown, 'metadata', 'batchStats')
    : dig(shown, 'request_counts');
}

const ENDED = { openai: 'completed', anthropic: 'ended', gemini: 'BATCH_STATE_SUCCEEDED' };
const RUNNING = { openai: 'in_progress', anthropic: 'in_progress', gemini: 'BATCH_STATE_RUNNING' };

describe.each(PROVIDERS)('states at %s', (provider) => {
  let driver: Driver;
  beforeEach(() => {
    driver = drive(fake, provider);
  });

  async function make(after = 11 * MINUTE): Promise<string> {
    const id = readId(await driver.create(['one', 'two', 'three']));
    fake.clock.advance(after);
    return id;
  }

  it.each(Object.entries(POLL_LIES).filter(([, what]) => what.kind !== 'phase'))(
    '%s: and the next look tells the truth',
    async (_name, what) => {
      const id = await make();
      const truth = (await driver.look(id)).json;
      fake.liar.tell({ on: 'poll', what, times: 1 });
      // A batch of which all lines are answered can only be told too low.
      const same = what.kind === 'counts' && what.tale === 'high';
      expect(JSON.stringify((await driver.look(id)).json) === JSON.stringify(truth)).toBe(same);
      expect((await driver.look(id)).json).toEqual(truth);
    },
  );

  it.each([
    ['null', null],
    ['absent', undefined],
    ['zero', { openai: { total: 0, completed: 0, failed: 0 }, anthropic: { succeeded: 0 }, gemini: {} }],
    ['other_total', { openai: { total: 6 }, anthropic: { succeeded: 6 }, gemini: { requestCount: '6' } }],
    [
      'low',
      {
        openai: { total: 3, completed: 2, failed: 0 },
        anthropic: { succeeded: 2, expired: 1 },
        gemini: { successfulRequestCount: '2' },
      },
    ],
  ] as const)('counts that are %s', async (tale, wanted) => {
    const id = await make();
    fake.liar.tell({ on: 'poll', what: { kind: 'counts', tale } });
    const counts = readCounts((await driver.look(id)).json);
    if (wanted === null || wanted === undefined) expect(counts).toBe(wanted);
    else expect(counts).toMatchObject(wanted[provider]);
    if (tale === 'zero' && provider === 'gemini') expect(counts).toEqual({});
  });

  it('counts that are high claim answers which a cancelled batch does not have', async () => {
    const id = await make(5 * MINUTE);
    await driver.cancel(id);
    fake.clock.advance(2 * MINUTE);
    const honest = readCounts((await driver.look(id)).json);
    fake.liar.tell({ on: 'poll', what: { kind: 'counts', tale: 'high' } });
    const counts = readCounts((await driver.look(id)).json);
    const field = { openai: 'completed', anthropic: 'succeeded', gemini: 'successfulRequestCount' }[provider];
    expect([Number(dig(honest, field)), Number(dig(counts, field))]).toEqual([1, 3]);
  });

  it('a batch that runs is told to have ended, without results', async () => {
    const id = await make(5 * MINUTE);
    fake.liar.tell({ on: 'poll', what: { kind: 'phase', phase: 'completed' } });
    const shown = (await driver.look(id)).json;
    expect(readState(shown)).toBe(ENDED[provider]);
    expect(driver.findResults(shown)).toEqual([]);
  });

  it('a batch that has ended is told to run', async () => {
    const id = await make();
    fake.liar.tell({ on: 'poll', what: { kind: 'phase', phase: 'running' } });
    expect(readState((await driver.look(id)).json)).toBe(RUNNING[provider]);
  });

  it('result files are named half an hour after the end only', async () => {
    const id = await make();
    fake.liar.tell({
      on: 'poll',
      what: { kind: 'no_results' },
      afterEnd: { from: 0, until: 30 * MINUTE },
    });
    const early = (await driver.look(id)).json;
    expect([readState(early), driver.findResults(early)]).toEqual([ENDED[provider], []]);
    fake.clock.advance(30 * MINUTE);
    expect(driver.findResults((await driver.look(id)).json)).toHaveLength(1);
  });

  it.each(Object.entries(REFUSALS))('%s in place of a state', async (_name, what) => {
    const id = await make();
    fake.liar.tell({ on: 'poll', what, times: 1 });
    const got = await driver.look(id);
    expect(got.status).toBe(what.kind === 'status' ? what.code : what.kind === 'reset' ? 0 : 200);
    expect(readState(got.json)).toBeUndefined();
    expect(readState((await driver.look(id)).json)).toBe(ENDED[provider]);
  });

  it('a lie about one batch spares the others', async () => {
    const [one, two] = [await make(), await make()];
    fake.liar.tell({ on: 'poll', batch: 2, what: { kind: 'word', word: 'pondering' } });
    expect(readState((await driver.look(one)).json)).toBe(ENDED[provider]);
    expect(readState((await driver.look(two)).json)).toBe('pondering');
  });
});
