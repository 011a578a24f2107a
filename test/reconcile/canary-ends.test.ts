import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule, Scenario } from '../../runner/emulator/scenario.ts';
import { askRetry } from '../support/asks.ts';
import { keepUnreadable } from '../support/keep-unreadable.ts';
import { EVERY_KIND, repositoryAt } from '../support/providers.ts';
import { type World, world } from '../support/world.ts';

const ROWS = Array.from({ length: 24 }, (_, n) => ({
  id: `T-${n}`,
  text: `Ticket ${n}: the bell is silent`,
}));
const HOUR_MS = 3_600_000;
const OPENAI = EVERY_KIND[0]?.model ?? '';

/** A job of 24 rows with the canary that it has by default, or with what `job` says. */
function files(model = OPENAI, job = '', settings = ''): Record<string, string> {
  const all = repositoryAt(model, job, ROWS);
  const text = (all['jobs/tickets.yaml'] ?? '').replace('canary: false\n', '');
  return {
    ...all,
    'jobs/tickets.yaml': text,
    'batchwright.yaml': `${all['batchwright.yaml'] ?? ''}${settings}`,
  };
}

async function countsSent(w: World): Promise<number[]> {
  return Object.values((await w.journal()).intents).map(({ count }) => count);
}

const pageOf = (w: World) => readFile(join(w.root, 'state/tickets/README.md'), 'utf8');
const heldOf = (w: World) => readFile(join(w.root, 'state/tickets/held.csv'), 'utf8');

/** Two days of passes: whatever was to be sent again by itself would have been. */
async function waitTwoDays(w: World): Promise<void> {
  for (let hours = 0; hours < 48; hours += 6) {
    w.emulator.clock.advance(6 * HOUR_MS);
    await w.pass();
  }
}

async function expectStalled(w: World, reason: string): Promise<void> {
  const { rests } = await w.pass();
  expect(rests).toMatchObject([{ kind: 'blocked', reason }]);
  const page = await pageOf(w);
  expect(page).toContain('# tickets · run 1: stalled');
  expect(page).toContain('> **A person must act');
  expect(page).not.toContain('nothing needs a person');
  const { phase, conditions } = await w.report();
  expect(phase, 'a look without a plan says the same').toBe('stalled');
  expect(conditions.find(({ type }) => type === 'Stalled')).toMatchObject({ status: 'True', reason });
}

/** What each provider says of a model that it does not have, and where. */
const WRONG_MODEL: Readonly<Record<string, { words: string; reason: string; tried: boolean }>> = {
  openai: { words: 'gpt-5.4-mini', reason: 'BatchFailed', tried: true },
  gemini: { words: 'gemini-3.8-flash is not found', reason: 'ProviderRejected', tried: false },
  anthropic: { words: 'model: claude-haiku-4-5', reason: 'ProviderRejected', tried: true },
};

describe.each(EVERY_KIND)('a wrong model name at $kind', ({ kind, model }) => {
  const { words = '', reason = '', tried = true } = WRONG_MODEL[kind] ?? {};
  const noSuchModel: Scenario = { limits: { models: ['another'] } };

  it('under the default canary: one batch, and then it stands still in the provider’s words', async () => {
    const w = await world(files(model), noSuchModel);
    const { jobs } = await w.finish();
    expect(jobs[0]?.waits[0]?.waitsFor).toContain(words);
    const sent = await countsSent(w);
    expect(sent).toHaveLength(1);
    await expectStalled(w, reason);
    expect(await pageOf(w)).toContain(words);
    // Where the create was turned away no row was ever tried.
    expect((await heldOf(w)).trim().split('\r\n')).toHaveLength(tried ? 1 + (sent[0] ?? 0) : 1);
    await waitTwoDays(w);
    expect(await countsSent(w)).toEqual(sent);
  });

  it('that the provider knows later: a person’s retry goes on with the same run', async () => {
    const w = await world(files(model), noSuchModel);
    await w.finish();
    w.emulator.setScenario({});
    await askRetry(w);
    const { jobs } = await w.finish();
    // Anthropic refuses line by line: such a request is never sent again unchanged.
    const refused = kind === 'anthropic' ? ((await countsSent(w))[0] ?? 0) : 0;
    expect(await w.rows()).toHaveLength(ROWS.length - refused);
    expect(jobs[0]?.run).toMatchObject({ run: 1, stop: null });
  });

  it('without a canary: what was announced together is all, however much is left', async () => {
    const job = 'canary: false\nshard: { max_items: 4, max_in_flight: 2 }\n';
    const w = await world(files(model, job), noSuchModel);
    await w.finish();
    const sent = await countsSent(w);
    expect(sent).toHaveLength(2);
    await expectStalled(w, reason);
    await waitTwoDays(w);
    expect(await countsSent(w)).toEqual(sent);
  });

  it('that comes with the retries: the answers before it are applied', async () => {
    const w = await world(files(model, 'canary: false\n'), {
      rules: [{ on: 'line', batch: 1, line: [1, 2], do: { status: 500 } }],
    });
    await w.pass();
    w.emulator.clock.advance(5_000);
    await w.pass();
    w.emulator.setScenario(noSuchModel);
    await w.finish();
    expect(await countsSent(w)).toHaveLength(2);
    await expectStalled(w, reason);
    expect(await w.rows()).toHaveLength(ROWS.length - 2);
  });
});

const BAD_PARAMETER = "Unsupported parameter: 'temperature' is not supported with this model.";

/** Canaries that come back without an answer that can be judged, or with bad ones alone. */
const NO_ANSWER: readonly (readonly [string, Rule['do'], reason: string, batches: number])[] = [
  ['errors of the server', { status: 500 }, 'CanaryFailed', 3],
  ['an error where the answer should be', { answer: 'error_body' }, 'CanaryFailed', 3],
  ['answers that break the schema', { answer: 'breaks_schema' }, 'CanaryFailed', 1],
  ['a parameter that is refused', { status: 400, message: BAD_PARAMETER }, 'ProviderRejected', 1],
];

describe.each(EVERY_KIND)('ten canary rows at $kind', ({ model }) => {
  it.each(NO_ANSWER)('%s: it ends', async (_name, fault, reason, batches) => {
    const w = await world(files(model), { rules: [{ on: 'line', do: fault } as Rule] });
    await w.finish();
    const sent = await countsSent(w);
    expect(sent).toHaveLength(batches);
    await expectStalled(w, reason);
    const page = await pageOf(w);
    expect(page).toContain('## What the canary brought');
    expect(page).toContain('One of them, row `T-0`');
    expect((await heldOf(w)).trim().split('\r\n')).toHaveLength(1 + (sent[0] ?? 0));
    await waitTwoDays(w);
    expect(await countsSent(w)).toEqual(sent);
  });
});

describe('what came back of a canary', () => {
  const broken: Scenario = { rules: [{ on: 'line', do: { answer: 'breaks_schema' } }] };

  it('is shown by cause, with one bad answer, and what a person can do about all of its rows', async () => {
    const w = await world(files(), broken);
    await w.finish();
    const run = (await w.report()).run;
    expect(run?.cameBack).toMatchObject({
      kind: 'canary',
      causes: [{ class: 'invalid_output', attempts: 10 }],
      example: { key: 'T-0', said: expect.stringContaining('{') },
    });
    expect(run?.needs).toMatchObject([
      { rows: 10, next: expect.stringContaining('batchwright retry tickets') },
    ]);
    const [head, first] = (await heldOf(w)).split('\r\n');
    expect(head).toBe('key,class,cause,detail,answer,next');
    expect(first).toContain('mend prompt or schema');
  });

  it('is shown also while it is tried again', async () => {
    const w = await world(files(), { rules: [{ on: 'line', do: { status: 500 } }] });
    await w.pass();
    w.emulator.clock.advance(5_000);
    const { rests } = await w.pass();
    expect(rests).toMatchObject([{ kind: 'waiting', reason: 'Retry' }]);
    expect(await pageOf(w)).toContain('## What the canary brought\n\n| requests | class |');
    expect((await heldOf(w)).trim().split('\r\n'), 'nobody has to do anything yet').toHaveLength(1);
  });

  it.each([
    ['keys are hashed', 'report: { keys: hashed }\n'],
    ['no samples are wanted', 'report: { samples: 0 }\n'],
  ])('shows causes alone where %s', async (_name, settings) => {
    const w = await world(files(OPENAI, '', settings), broken);
    await w.finish();
    const page = await pageOf(w);
    expect(page).toContain('## What the canary brought');
    expect(page).not.toContain('One of them');
    expect(page).not.toContain('The model said');
    if (settings.includes('hashed')) {
      expect(page).not.toContain('T-0');
      expect(await heldOf(w)).not.toMatch(/T-0|lable/);
    }
  });

  it('is gone once another one passes, which a person may ask for', async () => {
    const w = await world(files(), { rules: [{ on: 'line', batch: [1, 2, 3], do: { status: 500 } }] });
    await w.finish();
    await expectStalled(w, 'CanaryFailed');
    await askRetry(w, []);
    const { jobs } = await w.finish();
    expect(jobs[0]).toMatchObject({ phase: 'complete', run: { cameBack: null, stop: null } });
    expect(await w.rows()).toHaveLength(ROWS.length);
    expect(await heldOf(w)).toBe('key,class,cause,detail,answer,next\r\n');
  });
});

describe('a canary whose results cannot be read', () => {
  it('is waited for: not sent again, not passed, and not called well', async () => {
    const w = await world(files(), { phases: { running_ms: 3 * HOUR_MS } });
    await w.pass();
    await keepUnreadable(w);
    await w.finish();
    await expectStalled(w, 'ResultsUnreadable');
    const page = await pageOf(w);
    expect(page).toContain('10 rows have no readable result');
    expect(page).toContain('nothing more is sent, and the results are downloaded again');
    expect(page).toContain('## What the canary brought');
    expect((await heldOf(w)).trim().split('\r\n')).toHaveLength(1 + 10);
    expect(await countsSent(w)).toEqual([10]);
    // Then the server delivers what it has, and the rest goes.
    await waitTwoDays(w);
    expect(await countsSent(w)).toEqual([10, 14]);
    expect(await w.rows()).toHaveLength(ROWS.length);
  });

  it('another try is a person’s to pay for', async () => {
    const w = await world(files(), { phases: { running_ms: 3 * HOUR_MS } });
    await w.pass();
    await keepUnreadable(w);
    w.emulator.setScenario({});
    await w.finish();
    await askRetry(w, ['unreadable']);
    await w.finish();
    expect(await countsSent(w)).toEqual([10, 10, 14]);
    expect(await w.rows()).toHaveLength(ROWS.length);
  });

  it('rows of another batch hold nothing back, and are not called finished', async () => {
    const job = 'canary: false\nshard: { max_items: 12, max_in_flight: 1 }\n';
    const w = await world(files(OPENAI, job), { phases: { running_ms: 3 * HOUR_MS } });
    await w.pass();
    await keepUnreadable(w);
    w.emulator.setScenario({});
    await w.finish();
    expect(await countsSent(w)).toEqual([12, 12]);
    await expectStalled(w, 'ResultsUnreadable');
    expect(await w.rows()).toHaveLength(12);
  });
});

it('a canary that a person has cancelled is not answered with another one', async () => {
  const w = await world(files(), { rules: [{ on: 'create', nth: 1, do: { cancel_with: 0 } }] });
  await w.finish();
  await expectStalled(w, 'Cancelled');
  await waitTwoDays(w);
  expect(await countsSent(w)).toEqual([10]);
  await askRetry(w, ['cancelled']);
  await w.finish();
  expect(await w.rows()).toHaveLength(ROWS.length);
});
