import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { explained } from '../../runner/commands/run.ts';
import { type Effect, withEffects } from '../../runner/effects.ts';
import { UserError } from '../../runner/errors.ts';
import type { JobName } from '../../runner/ids.ts';
import type { TryState } from '../../runner/journal/state.ts';
import type { RowChoice } from '../../runner/manifest/pick.ts';
import { spendOfMonth } from '../../runner/plan/spend.ts';
import { AnswersNotKept, tryRows } from '../../runner/reconcile/try/try.ts';
import type { TryView } from '../../runner/report/try-view.ts';
import { noRoom } from '../support/full-disk.ts';
import { git, initRepository } from '../support/git.ts';
import { killedAt } from '../support/kill.ts';
import { REPOSITORY } from '../support/package.ts';
import { repository, type World, world } from '../support/world.ts';

/** Eight tickets, each longer than the one before. */
const ROWS = Array.from({ length: 8 }, (_, at) => ({
  id: `T-${at}`,
  text: `Ticket ${'wheel '.repeat(at + 1)}`,
}));

async function tried(w: World, choice: RowChoice = { rows: 3 }, maxUsd = 0.5): Promise<TryView> {
  const ctx = await w.context();
  await ctx.journal.refresh();
  const loaded = ctx.repository.jobs.find(({ job }) => job.name === 'tickets');
  if (loaded === undefined) throw new Error('no job');
  return tryRows(ctx, { loaded, choice, maxUsd, by: 'ada' });
}

async function triesIn(w: World): Promise<readonly TryState[]> {
  return (await w.journal()).jobs['tickets' as JobName]?.tries ?? [];
}

async function monthOf(w: World) {
  const ctx = await w.context();
  return spendOfMonth(await ctx.journal.refresh(), ctx.now(), { owner: 'support', emulator: true });
}

const keysOf = (view: TryView) => view.rows.map(({ key }) => key);
const statesOf = (view: TryView) => view.rows.map(({ result }) => result.kind);

describe('a try', () => {
  it('asks a few rows, from the shortest to the longest, and applies nothing', async () => {
    const w = await world(repository('', ROWS));
    const view = await tried(w, { rows: 3 });
    expect(keysOf(view)).toEqual(['T-0', 'T-4', 'T-7']);
    expect(view.rows.map(({ result }) => result)).toEqual(
      view.rows.map(() => expect.objectContaining({ kind: 'answered', class: 'ok' })),
    );
    expect(await w.paid()).toHaveLength(3);
    expect((await w.journal()).jobs['tickets' as JobName]?.runs).toEqual([]);
    await expect(w.rows()).rejects.toThrow();
  });

  it('leaves nothing that git would take: answers of customers are no files of the repository', async () => {
    const w = await world({
      ...repository('', ROWS),
      '.gitignore': await readFile(join(REPOSITORY, 'scaffold/gitignore'), 'utf8'),
    });
    await tried(w);
    await w.finish();
    await initRepository(w.root);
    const left = await git(w.root, 'ls-files', '--others', '--exclude-standard', 'state');
    expect(left.split('\n').sort()).toEqual([
      'state/README.md',
      'state/tickets/README.md',
      'state/tickets/held.csv',
      'state/tickets/runs/1/report.md',
      'state/tickets/status.json',
    ]);
  });

  it('shows answers that a full disk did not keep, since they are paid for; their money stays set aside', async () => {
    const w = await world(repository('', ROWS));
    const isFull = ({ name, target }: Effect) => {
      if (name === 'store.put' && target.startsWith('tickets/tries/')) throw noRoom();
    };
    const error = await withEffects(isFull, () => tried(w)).catch((thrown: unknown) => thrown);
    if (!(error instanceof AnswersNotKept)) throw error;
    expect(statesOf(error.view)).toEqual(['answered', 'answered', 'answered']);
    expect(await explained(error)).toMatchObject({ code: 1, text: expect.stringContaining('no room left') });
    expect(await triesIn(w)).toMatchObject([{ answered: null }]);
    expect((await monthOf(w)).reserved).toBeGreaterThan(0);
    expect(statesOf(await tried(w))).toEqual(['answered', 'answered', 'answered']);
  });

  it('is in the journal with its money, and its lines are kept as they came', async () => {
    const w = await world(repository('', ROWS));
    const view = await tried(w);
    const [one] = await triesIn(w);
    expect(one).toMatchObject({ by: 'ada', owner: 'support', emulator: true, reservedUsd: view.reservedUsd });
    expect(one?.answered).toMatchObject({ answered: 3, usd: view.usd, unknownUsd: 0 });
    expect(view.usd).toBeGreaterThan(0);
    expect(view.usd).toBeLessThan(view.reservedUsd);
    expect(await monthOf(w)).toEqual({ settled: view.usd, assumed: 0, reserved: 0 });
    const bytes = await readFile(join(w.root, 'state', one?.answered?.raw?.name ?? ''));
    const lines = zstdDecompressSync(bytes)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ custom_id }) => custom_id)).toEqual([0, 1, 2].map((at) => `${one?.attempt}_${at}`));
  });

  it('takes the rows that are named', async () => {
    const w = await world(repository('', ROWS));
    expect(keysOf(await tried(w, { keys: ['T-5', 'T-2'] }))).toEqual(['T-2', 'T-5']);
    await expect(tried(w, { keys: ['T-5', 'T-99'] })).rejects.toThrow('"T-99"');
  });

  it('shows the answers of the last run beside its own, also under a prompt that no commit has', async () => {
    const w = await world(repository('', ROWS));
    await w.finish();
    const same = await tried(w);
    expect(same.run).toBe(1);
    for (const { result, before } of same.rows) expect(result).toMatchObject({ answer: before });
    await w.write({ 'prompts/tickets/user.hbs': 'What is broken? {{text}}\n' });
    const edited = await tried(w);
    expect(edited.rows.map(({ before }) => before)).toEqual(same.rows.map(({ before }) => before));
    expect(edited.rows.map(({ result }) => result)).not.toEqual(same.rows.map(({ result }) => result));
    // Nothing of it counts as an answer of a run.
    expect((await w.plan()).map(({ kind }) => kind)).toEqual(['new_run']);
  });

  it('leaves out bad rows, whatever the job says of them', async () => {
    const w = await world(repository('', [...ROWS, { id: 'T-1', text: 'twice' }]));
    expect(keysOf(await tried(w, { rows: 20 }))).toHaveLength(8);
  });
});

describe.each([
  ['anthropic', 'claude-haiku-4-5'],
  ['gemini', 'gemini-3.8-flash'],
])('at %s', (kind, model) => {
  function files(more = ''): Record<string, string> {
    const base = repository(more, ROWS);
    const settings = `providers:\n  ${kind}: { kind: ${kind}, base_url: EMULATOR_HOST, api_key_env: TEST_KEY, account: test, emulator: true }\n`;
    const job = (base['jobs/tickets.yaml'] as string).replace('openai/gpt-5.4-mini', `${kind}/${model}`);
    return { ...base, 'batchwright.yaml': settings, 'jobs/tickets.yaml': job };
  }

  it('a try asks the same of it as a batch does', async () => {
    const w = await world(files());
    await w.finish();
    const view = await tried(w);
    expect(view.usd).toBeGreaterThan(0);
    for (const { result, before } of view.rows) expect(result).toMatchObject({ class: 'ok', answer: before });
    const asked = (await w.paid()).filter(({ batch }) => batch === 'none').map(({ body_hash }) => body_hash);
    const sent = (await w.paid()).filter(({ batch }) => batch !== 'none').map(({ body_hash }) => body_hash);
    expect(sent).toEqual(expect.arrayContaining(asked));
    expect(asked).toHaveLength(3);
  });

  it('a wrong model name shows with the first row', async () => {
    const w = await world(files(), { limits: { models: ['another'] } });
    const view = await tried(w);
    expect(statesOf(view)).toEqual(['answered', 'not_asked', 'not_asked']);
    expect(view.rows[0]?.result).toMatchObject({ class: 'invalid_request' });
  });

  it('a canary can be asked at once', async () => {
    const base = files('canary: { items: 2, via: live }\n');
    const job = (base['jobs/tickets.yaml'] as string).replace('canary: false\n', '');
    const w = await world({ ...base, 'jobs/tickets.yaml': job });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books).toMatchObject({ balanced: true, dispositions: { applied: 8 } });
    expect((await w.paid()).filter(({ batch }) => batch === 'none')).toHaveLength(2);
  });
});

describe('limits of a try', () => {
  it('more than it may cost is refused before anything is asked', async () => {
    const w = await world(repository('', ROWS));
    await expect(tried(w, { rows: 3 }, 0.0001)).rejects.toThrow('may cost up to');
    expect(await w.paid()).toEqual([]);
    expect(await triesIn(w)).toEqual([]);
  });

  it('budgets hold for it as for a run', async () => {
    const w = await world(repository('budget: { per_month_usd: 0.003 }\n', ROWS));
    await tried(w, { rows: 2 });
    const again = tried(w, { rows: 3 });
    await expect(again).rejects.toThrow(UserError);
    await expect(again).rejects.toThrow('job tickets this month');
    expect(await w.paid()).toHaveLength(2);
  });

  it('an unknown price is refused', async () => {
    const files = repository('', ROWS);
    const job = (files['jobs/tickets.yaml'] as string).replace('gpt-5.4-mini', 'nobody-knows');
    const w = await world({ ...files, 'jobs/tickets.yaml': job });
    await expect(tried(w)).rejects.toThrow('price');
  });
});

describe('a try that goes wrong', () => {
  it('shows a wrong model name with the first row, and asks no other', async () => {
    const w = await world(repository('', ROWS), { limits: { models: ['gpt-4o'] } });
    const view = await tried(w);
    expect(statesOf(view)).toEqual(['answered', 'not_asked', 'not_asked']);
    expect(view.rows[0]?.result).toMatchObject({
      class: 'invalid_request',
      detail: expect.stringContaining('does not exist'),
    });
    expect(view).toMatchObject({ usd: 0, unknownUsd: 0 });
    expect(await w.paid()).toEqual([]);
  });

  it('shows answers that break the schema', async () => {
    const w = await world(repository('', ROWS), {
      rules: [{ on: 'ask', nth: 2, do: { answer: 'breaks_schema' } }],
    });
    const view = await tried(w);
    const classes = view.rows.map(({ result }) => (result.kind === 'answered' ? result.class : null));
    expect(classes.toSorted()).toEqual(['invalid_output', 'ok', 'ok']);
    expect(await w.paid()).toHaveLength(3);
  });

  it('keeps aside what an answer that was lost may have cost', async () => {
    const w = await world(repository('', ROWS), {
      rules: [{ on: 'ask', nth: 2, do: { when: 'after_commit', reset: true } }],
    });
    const view = await tried(w);
    expect(statesOf(view).toSorted()).toEqual(['answered', 'answered', 'lost']);
    expect(view.unknownUsd).toBeGreaterThan(0);
    expect(await monthOf(w)).toEqual({ settled: view.usd, assumed: view.unknownUsd, reserved: 0 });
    expect(await w.paid()).toHaveLength(3);
  });

  it('asks each row once, also where the server has an error', async () => {
    const w = await world(repository('', ROWS), { rules: [{ on: 'ask', do: { status: 500 } }] });
    const view = await tried(w);
    expect(view.rows.map(({ result }) => result)).toEqual(
      view.rows.map(() => expect.objectContaining({ class: 'provider_error' })),
    );
  });

  it('between announcement and receipt keeps its whole reservation, and holds nothing else up', async () => {
    const w = await world(repository('', ROWS));
    const whole = await killedAt(Number.POSITIVE_INFINITY, () => tried(w));
    const sent = whole.effects.findIndex(({ name }) => name === 'http.answered');
    const done = whole.effects.findLastIndex(({ name }) => name === 'http.answered') + 1;
    const receipt = whole.effects.findIndex(({ target }, at) => at >= done && target.includes('journal'));
    await w.restart();
    for (const at of [sent, sent + 1, done, receipt]) {
      const before = await monthOf(w);
      const { result } = await killedAt(at, () => tried(w));
      expect(result).toBeNull();
      await w.restart();
      const last = (await triesIn(w)).at(-1);
      expect(last?.answered).toBeNull();
      const after = await monthOf(w);
      expect(after.settled).toBe(before.settled);
      expect(after.reserved).toBeCloseTo(before.reserved + (last?.reservedUsd ?? 0), 12);
    }
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books).toMatchObject({ balanced: true, dispositions: { applied: 8 } });
  });
});
