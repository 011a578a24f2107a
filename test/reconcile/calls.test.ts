import { describe, expect, it } from 'vitest';
import type { Rule } from '../../runner/emulator/scenario.ts';
import { startLoopback, text } from '../support/loopback.ts';
import { classesOf } from '../support/outcome-rows.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const ALL = TICKETS.length;
const OK = { applied: ALL };
const MINUTE_MS = 60_000;

async function books(w: World) {
  return (await w.report()).run?.books;
}

async function phases(w: World): Promise<string[]> {
  return Object.values((await w.journal()).intents).map((intent) => intent.phase);
}

async function calls(w: World): Promise<Readonly<Record<string, number>>> {
  for await (const entry of w.emulator.ledger()) if (entry.kind === 'calls') return entry.calls;
  throw new Error('the ledger begins with the calls');
}

async function passes(w: World, count: number, stepMs: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    w.emulator.clock.advance(stepMs);
    await w.pass();
  }
}

/** Each batch that was created came to be ours, and nothing was bought twice. */
async function expectBoughtOnce(w: World): Promise<void> {
  expect(await books(w)).toMatchObject({ dispositions: OK });
  expect(await w.paid()).toHaveLength(ALL);
}

describe('any call may be turned away for a while', () => {
  const turnedAway: readonly (readonly [on: Rule['on'], fault: Record<string, unknown>])[] = [
    ['upload', { status: 429, retry_after: 30 }],
    ['upload', { status: 500 }],
    ['create', { status: 429, retry_after: 30 }],
    ['create', { status: 429 }],
    [
      'create',
      { status: 400, code: 'invalid_request', message: 'Cannot find file file-x, or it is being processed.' },
    ],
    ['poll', { status: 429, retry_after: 30 }],
    ['poll', { status: 503, retry_after: 30 }],
    ['poll', { status: 429 }],
    ['poll', { status: 502, body: '<html>bad gateway</html>' }],
    ['poll', { status: 401 }],
    ['download', { status: 429, retry_after: 30 }],
    ['download', { status: 404 }],
    ['download', { reset: true }],
    ['delete', { status: 500 }],
  ];
  it.each(turnedAway)('%s: %j', async (on, fault) => {
    const w = await world(repository(), { rules: [{ on, first: 4, do: fault } as Rule] });
    await passes(w, 14, 10_000);
    await w.finish();
    await expectBoughtOnce(w);
    expect((await phases(w)).filter((phase) => phase === 'settled')).toHaveLength(1);
  });

  it('a poll that was told to wait is not sent before its time', async () => {
    const w = await world(repository(), {
      rules: [{ on: 'poll', nth: 1, do: { status: 429, retry_after: 60 } }],
    });
    await w.pass();
    await passes(w, 5, 10_000);
    expect((await calls(w)).poll).toBe(1);
    expect(w.said.at(-1)?.text).toContain('is left alone until');
    await passes(w, 2, 10_000);
    expect((await calls(w)).poll).toBe(2);
    await w.finish();
    await expectBoughtOnce(w);
  });

  it('a date in Retry-After is by the server’s clock', async () => {
    const w = await world();
    await w.pass();
    const until = new Date(w.emulator.clock.now() + MINUTE_MS).toUTCString();
    w.emulator.setScenario({ rules: [{ on: 'poll', nth: 1, do: { status: 429, retry_after: until } }] });
    await passes(w, 5, 10_000);
    expect((await calls(w)).poll).toBe(1);
    await w.finish();
    await expectBoughtOnce(w);
  });
});

describe('money', () => {
  it.each(['organization_spend_limit_exceeded', 'insufficient_quota'])(
    'B038: %s at a create: creates pause, collecting goes on, the owner is told, and then it resumes',
    async (code) => {
      const w = await world(repository('shard: { max_items: 4, max_in_flight: 1 }\n'), {
        rules: [{ on: 'create', nth: [2, 3], do: { status: 429, code } }],
      });
      await w.pass();
      await passes(w, 1, 3_000);
      const { rests } = await w.pass();
      expect(rests).toMatchObject([{ kind: 'blocked', reason: 'AccountPaused' }]);
      expect(rests[0]?.message).toContain('You exceeded your current quota');
      expect(rests[0]?.next).toContain('billing');
      expect(await books(w), 'what was sent is collected').toMatchObject({
        dispositions: { applied: 4, unsent: 4 },
      });
      const { create } = await calls(w);
      await passes(w, 2, 1_000);
      expect((await calls(w)).create, 'nobody asks again before the pause is over').toBe(create);
      await passes(w, 4, 6_000);
      await w.finish();
      await expectBoughtOnce(w);
    },
  );

  it('B038: it stops a create, and not the other jobs of another account', async () => {
    const files = repository();
    const w = await world(files, { rules: [{ on: 'create', do: { status: 403 } }] });
    const { rests } = await w.pass();
    expect(rests[0]).toMatchObject({ reason: 'AccountPaused' });
    expect(await phases(w)).toEqual(['refused']);
    expect(await books(w)).toMatchObject({ dispositions: { unsent: ALL } });
  });
});

describe('a batch that is not to be seen', () => {
  it('B045: 404 for a while after the create, and again: it is looked for again, and never sent again', async () => {
    const w = await world(repository(), {
      rules: [
        { on: 'create', nth: 1, do: { not_found_ms: 40_000 } },
        { on: 'poll', nth: [8, 9], do: { status: 404 } },
      ],
    });
    await w.pass();
    await passes(w, 3, 10_000);
    expect(await phases(w)).toEqual(['live']);
    expect(w.said.at(-1)).toMatchObject({ level: 'warning' });
    expect(w.said.at(-1)?.text).toContain('it may well be running');
    await w.finish();
    await passes(w, 3, 10_000);
    expect(await phases(w)).toEqual(['settled']);
    await expectBoughtOnce(w);
  });

  it('B034, B045: 404 for days (the key of another project, perhaps) is not "gone": nothing is sent again, and it is said', async () => {
    const w = await world(repository(), {
      rules: [{ on: 'create', nth: 1, do: { not_found_ms: 10 * 24 * 60 * MINUTE_MS } }],
    });
    await w.pass();
    await passes(w, 5, 24 * 60 * MINUTE_MS);
    expect(await phases(w)).toEqual(['live']);
    expect(await books(w)).toMatchObject({ dispositions: { in_flight: ALL } });
    expect((await calls(w)).create).toBe(1);
  });

  it('B045: 404 for its results once: they are collected later', async () => {
    const w = await world(repository(), { rules: [{ on: 'download', first: 2, do: { status: 404 } }] });
    await w.finish();
    await expectBoughtOnce(w);
  });

  it('B039: hidden in the list for a while: adopted when it shows', async () => {
    const w = await world(repository(), {
      rules: [
        { on: 'create', nth: 1, do: { when: 'after_commit', reset: true, hide_in_list_ms: 20 * MINUTE_MS } },
      ],
    });
    await w.finish();
    expect(await phases(w)).toEqual(['settled']);
    await expectBoughtOnce(w);
  });

  it('B039: a list that repeats its cursor proves no absence', async () => {
    const w = await world(repository(), {
      rules: [
        { on: 'create', nth: 1, do: { reset: true } },
        { on: 'list', do: { repeat_cursor: true } },
      ],
    });
    await w.pass();
    await passes(w, 8, 10 * MINUTE_MS);
    expect(await phases(w)).toEqual(['intent']);
    w.emulator.setScenario({});
    await w.finish();
    expect(await phases(w)).toEqual(['absent', 'settled']);
    await expectBoughtOnce(w);
  });

  it('B039: while its input file cannot be deleted its absence is not proved: a late create might still find it', async () => {
    const w = await world(repository(), {
      rules: [
        { on: 'create', nth: 1, do: { reset: true } },
        { on: 'delete', do: { status: 500 } },
      ],
    });
    await w.pass();
    await passes(w, 8, 10 * MINUTE_MS);
    expect(await phases(w)).toEqual(['intent']);
    expect(w.said.at(-1)?.text).toContain('could not be deleted');
    w.emulator.setScenario({});
    await w.finish();
    expect(await phases(w)).toEqual(['absent', 'settled']);
    await expectBoughtOnce(w);
  });

  it('B034: a batch of another account is left alone, and that is said', async () => {
    const w = await world();
    await w.pass();
    const settings = repository()['batchwright.yaml'] as string;
    await w.write({ 'batchwright.yaml': settings.replace('account: test', 'account: other') });
    await w.restart();
    w.emulator.setScenario({ rules: [{ on: 'upload', do: { status: 500 } }] });
    await passes(w, 2, 10_000);
    expect((await calls(w)).poll).toBeUndefined();
    expect((await calls(w)).create).toBe(1);
    const errors = w.said.filter(({ level }) => level === 'error').map(({ text: said }) => said);
    expect(errors.join()).toMatch(
      /of account openai\/test \(emulator\) is left alone: the credentials here are for openai\/other/,
    );
  });
});

describe('B054: a download that stops early', () => {
  it.each([
    ['where the length was announced', true],
    ['where it was not', false],
  ])('%s is no download', async (_title, content_length) => {
    const w = await world(repository(), {
      rules: [{ on: 'download', first: 4, do: { cut_at: 0.6, content_length } }],
    });
    await w.finish();
    await passes(w, 6, 20_000);
    expect(await classesOf(w, 1)).toEqual(TICKETS.map(() => 'ok'));
    await expectBoughtOnce(w);
  });
});

describe('other hosts', () => {
  it('a result file that is kept elsewhere is fetched there, without the key', async () => {
    const w = await world();
    await w.pass();
    w.emulator.clock.advance(3_000);
    await using elsewhere = await startLoopback(text('{"custom_id":"nobody"}\n'));
    w.emulator.setScenario({
      rules: [
        { on: 'download', nth: 1, do: { status: 302, headers: { location: `${elsewhere.url}/kept` } } },
      ],
    });
    await w.pass();
    expect(elsewhere.asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/v1/kept', undefined],
    ]);
  });

  it('nothing else is sent where a server points to', async () => {
    await using elsewhere = await startLoopback(text('{}'));
    const away = { status: 307, headers: { location: elsewhere.url } };
    const w = await world(repository(), {
      rules: (['upload', 'create', 'poll', 'list'] as const).map((on) => ({ on, nth: 1, do: away })),
    });
    await w.finish();
    expect(elsewhere.asked).toEqual([]);
    expect(await books(w)).toMatchObject({ dispositions: OK });
  });

  it('nobody listens: nothing is lost, the cause is said, and it goes on when somebody does', async () => {
    const w = await world();
    const settings = repository()['batchwright.yaml'] as string;
    const closed = await startLoopback();
    await closed[Symbol.asyncDispose]();
    await w.write({ 'batchwright.yaml': settings.replace('EMULATOR', closed.url) });
    await w.restart();
    const { rests } = await w.pass();
    expect(rests).toMatchObject([{ kind: 'waiting', reason: 'UploadFailed' }]);
    expect(rests[0]?.message).toContain('ECONNREFUSED');
    expect(await books(w)).toMatchObject({ dispositions: { unsent: ALL } });
    await w.write({ 'batchwright.yaml': settings });
    await w.restart();
    await w.finish();
    await expectBoughtOnce(w);
  });
});
