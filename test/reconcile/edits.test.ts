import { describe, expect, it } from 'vitest';
import type { Rule } from '../../runner/emulator/scenario.ts';
import { instantOf } from '../../runner/ids.ts';
import { spendOfMonth } from '../../runner/plan/spend.ts';
import { askCancel, askRetry } from '../support/asks.ts';
import { lines, repository, TICKETS, type World, world } from '../support/world.ts';

const JOB = 'jobs/tickets.yaml';
const PROMPT = 'prompts/tickets/user.hbs';
const DATA = 'data/tickets.jsonl';
const ALL = TICKETS.length;

const files = repository();
const job = files[JOB] as string;
const settings = files['batchwright.yaml'] as string;

/** What the plan says of an edit: its actions, and for a new run the parts that changed. */
async function planned(w: World): Promise<string[]> {
  return (await w.plan()).map((action) =>
    action.kind === 'new_run' ? `new_run: ${action.forcedBy.join(', ')}` : action.kind,
  );
}

/** How many requests each batch had, in the order of their announcement. */
async function batches(w: World): Promise<number[]> {
  return Object.values((await w.journal()).intents).map((intent) => intent.count);
}

async function dispositions(w: World) {
  return (await w.report()).run?.books.dispositions;
}

/** Finishes, and holds what the emulator has charged since against what the edit should cost. */
async function costOf(w: World): Promise<number> {
  const before = (await w.paid()).length;
  await w.finish();
  expect(await w.plan(), 'a plan after a finished pass is empty').toEqual([]);
  return (await w.paid()).length - before;
}

async function finished(more: string = '', rules: readonly Rule[] = []): Promise<World> {
  const w = await world(repository(more), { rules });
  await w.finish();
  return w;
}

describe('edits that make a new run', () => {
  it.each([
    ['prompt', { [PROMPT]: 'Which part is it? {{text}}\n' }, ALL],
    ['model', { [JOB]: job.replace('gpt-5.4-mini', 'gpt-5.4-nano') }, ALL],
    [
      'model',
      {
        [JOB]: job.replace(
          'model: openai/gpt-5.4-mini',
          'model: { name: openai/gpt-5.4-mini, reasoning: low }',
        ),
      },
      ALL,
    ],
    [
      'model',
      {
        [JOB]: job.replace(
          'model: openai/gpt-5.4-mini',
          'model: { name: openai/gpt-5.4-mini, raw: { service_tier: default } }',
        ),
      },
      ALL,
    ],
    ['output', { [JOB]: job.replace('max_tokens: 200', 'max_tokens: 201') }, ALL],
    [
      'schema',
      {
        'schemas/label.schema.json': (files['schemas/label.schema.json'] as string).replace(
          '"other"',
          '"bell"',
        ),
      },
      ALL,
    ],
    ['source files', { [DATA]: lines([...TICKETS, { id: 'T-new', text: 'new' }]) }, 1],
    ['source files', { [DATA]: lines([{ ...TICKETS[0], text: 'told otherwise' }, ...TICKETS.slice(1)]) }, 1],
    ['source files', { [DATA]: lines(TICKETS.toReversed()) }, 0],
    ['source files', { [DATA]: lines(TICKETS.map((row) => ({ ...row, seen: true }))) }, 0],
  ])('%s: %o', async (part, edit, cost) => {
    const w = await finished();
    await w.write(edit);
    expect(await planned(w)).toEqual([`new_run: ${part}`]);
    expect(await costOf(w)).toBe(cost);
    expect((await w.report()).run).toMatchObject({ run: 2, books: { balanced: true } });
  });

  it('a new job is a new run of all its rows, and of no other job', async () => {
    const w = await finished();
    const other = job.replace('name: tickets', 'name: other').replace('prompt: tickets', 'prompt: other');
    await w.write({ 'jobs/other.yaml': other, 'prompts/other/user.hbs': 'Label: {{text}}\n' });
    expect(await planned(w)).toEqual(['new_run: ']);
    expect(await costOf(w)).toBe(ALL);
  });

  it('an edit of one job costs the other nothing', async () => {
    const other = job.replace('name: tickets', 'name: other').replace('prompt: tickets', 'prompt: other');
    const w = await world({
      ...files,
      'jobs/other.yaml': other,
      'prompts/other/user.hbs': 'Label: {{text}}\n',
    });
    await w.finish();
    expect(await w.paid()).toHaveLength(2 * ALL);
    await w.write({ 'prompts/other/user.hbs': 'Which label? {{text}}\n' });
    expect(await costOf(w)).toBe(ALL);
    expect((await w.report('tickets')).run?.run).toBe(1);
  });

  it('one new row while a thousand are in flight: it alone is sent, the others are waited for', async () => {
    const thousand = Array.from({ length: 1_000 }, (_, at) => ({ id: `T-${at}`, text: `Ticket ${at}` }));
    const w = await world(repository('', thousand));
    await w.pass();
    await w.write({ [DATA]: lines([...thousand, { id: 'T-new', text: 'a new one' }]) });
    await w.pass();
    expect(w.said.map(({ text }) => text)).toContain(
      'run 2 frozen: 1001 items, 1 of them to send (source files changed)',
    );
    expect(await dispositions(w)).toEqual({ in_flight: 1_001 });
    await w.finish();
    expect(await batches(w)).toEqual([1_000, 1]);
    expect(await w.paid()).toHaveLength(1_001);
    expect(await dispositions(w)).toEqual({ applied: 1, reused: 1_000 });
    expect(await w.rows()).toHaveLength(1_001);
    expect(await w.plan()).toEqual([]);
  });

  it('a revert is a new generation and costs nothing', async () => {
    const w = await finished();
    const before = await w.rows();
    await w.write({ [PROMPT]: 'Which part is it? {{text}}\n' });
    expect(await costOf(w)).toBe(ALL);
    await w.write({ [PROMPT]: files[PROMPT] as string });
    expect(await planned(w)).toEqual(['new_run: prompt']);
    expect(await costOf(w)).toBe(0);
    expect((await w.report()).run).toMatchObject({ generation: 3, books: { dispositions: { reused: ALL } } });
    expect(await w.rows()).toEqual(before);
  });

  it('a revert while the edit is in flight: its batch is collected and serves nothing', async () => {
    const w = await finished();
    const before = await w.rows();
    await w.write({ [PROMPT]: 'Which part is it? {{text}}\n' });
    await w.pass();
    await w.write({ [PROMPT]: files[PROMPT] as string });
    await w.finish();
    expect(await batches(w)).toEqual([ALL, ALL]);
    expect(await w.paid()).toHaveLength(2 * ALL);
    expect(await w.rows()).toEqual(before);
    expect(await w.plan()).toEqual([]);
    await w.write({ [PROMPT]: 'Which part is it? {{text}}\n' });
    expect(await costOf(w), 'what it answered is there when it is wanted again').toBe(0);
  });

  it('a superseded run sends nothing more and retries nothing', async () => {
    const w = await world(repository('shard: { max_items: 3, max_in_flight: 1 }\n'), {
      rules: [{ on: 'line', batch: 1, line: 1, do: { status: 500 } }],
    });
    await w.pass();
    await w.write({ [PROMPT]: 'Which part is it? {{text}}\n' });
    await w.finish();
    expect(await batches(w)).toEqual([3, 3, 3, 2]);
    expect(await w.paid()).toHaveLength(2 + ALL);
    expect(await dispositions(w)).toEqual({ applied: ALL });
  });

  it.each([
    ['refused', { answer: 'refusal' }],
    ['failed', { status: 400 }],
  ] as const)('a row that ended %s carries over an unrelated edit', async (end, fault) => {
    const w = await finished('', [{ on: 'line', batch: 1, line: 1, do: fault }]);
    await w.write({ [DATA]: lines([...TICKETS, { id: 'T-new', text: 'new' }]) });
    await w.finish();
    expect(await batches(w)).toEqual([ALL, 1]);
    expect(await dispositions(w)).toEqual({ [end]: 1, reused: ALL - 1, applied: 1 });
    expect((await w.report()).run?.needs).toMatchObject([{ rows: 1, examples: ['T-a'] }]);
  });

  it.each([
    ['an answer that breaks the schema', { answer: 'breaks_schema' }],
    ['an answer that was cut', { answer: 'truncated' }],
    ['two different lines', { result: 'conflict' }],
  ] as const)('a row that is held after %s waits for a person, whatever else is edited', async (_, fault) => {
    const w = await finished('retry: { invalid_output: 0 }\n', [
      { on: 'line', batch: 1, line: 1, do: fault },
    ]);
    await w.write({ [DATA]: lines([...TICKETS, { id: 'T-new', text: 'new' }]) });
    await w.finish();
    expect(w.said.map(({ text }) => text)).toContain(
      'run 2 frozen: 9 items, 1 of them to send (source files changed)',
    );
    expect(await batches(w)).toEqual([ALL, 1]);
    expect(await dispositions(w)).toEqual({ held: 1, reused: ALL - 1, applied: 1 });
    expect((await w.report()).run?.needs).toMatchObject([{ rows: 1, examples: ['T-a'] }]);
    await askRetry(w);
    await w.finish();
    expect(await batches(w), 'a person asks in the run that there is now').toEqual([ALL, 1, 1]);
    expect(await dispositions(w)).toEqual({ reused: ALL - 1, applied: 2 });
  });

  it('a row whose first try was no answer goes on where the run before had got to', async () => {
    const w = await world(repository('retry: { invalid_output: 1 }\n'), {
      rules: [{ on: 'line', custom_id: '_0$', do: { answer: 'breaks_schema' } }],
    });
    await w.pass();
    await w.write({ [DATA]: lines([...TICKETS, { id: 'T-new', text: 'new' }]) });
    await w.finish();
    expect(await batches(w)).toEqual([ALL, 1, 1]);
    expect(await dispositions(w)).toEqual({ held: 1, reused: ALL - 1, applied: 1 });
  });

  it('what a person has cancelled is not sent again by an edit elsewhere', async () => {
    const w = await world(repository(), { rules: [{ on: 'create', nth: 1, do: { stuck: 'in_progress' } }] });
    await w.pass();
    await askCancel(w);
    await w.finish();
    await w.write({ [DATA]: lines([...TICKETS, { id: 'T-new', text: 'new' }]) });
    await w.finish();
    expect(await batches(w)).toEqual([ALL, 1]);
    expect(await dispositions(w)).toEqual({ waiting: ALL, applied: 1 });
    await askRetry(w);
    await w.finish();
    expect(await batches(w)).toEqual([ALL, 1, ALL]);
    expect(await dispositions(w)).toEqual({ applied: ALL + 1 });
    expect(await w.paid()).toHaveLength(ALL + 1);
  });

  it('answers of the emulator are none for a real account, and its money is no spend', async () => {
    const priced = `${settings}models: { openai/gpt-5.4-mini: { price: { input_usd_per_mtok: 1, output_usd_per_mtok: 4 } } }\n`;
    const w = await world({ ...files, 'batchwright.yaml': priced });
    await w.finish();
    const spent = async (emulator: boolean) =>
      spendOfMonth(await w.journal(), instantOf(w.emulator.clock.now()), { emulator }).settled;
    const emulated = await spent(true);
    expect(emulated).toBeGreaterThan(0);
    expect(await spent(false), 'emulator money is no spend').toBe(0);
    await w.write({
      // The same name on purpose: the flag alone makes it another account.
      'batchwright.yaml': priced.replace('account: test, emulator: true', 'account: test'),
    });
    await w.restart();
    expect(await planned(w)).toEqual(['new_run: account']);
    expect(await costOf(w)).toBe(ALL);
    expect(await dispositions(w)).toEqual({ applied: ALL });
    expect(await spent(false)).toBeGreaterThan(0);
    expect(await spent(true)).toBe(emulated);
  });
});
