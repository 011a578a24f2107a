import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StateConflict } from '../../runner/errors.ts';
import { lines, repository, TICKETS, world } from '../support/world.ts';

const OK = { applied: TICKETS.length };

describe('the main job', () => {
  it('goes from YAML to a sink and a report, and buys each request once', async () => {
    const { finish, rows, paid, plan, root } = await world();
    const { jobs } = await finish();
    expect(jobs[0]).toMatchObject({
      phase: 'complete',
      run: { books: { balanced: true, dispositions: OK, attempts: 8, batches: 1 } },
    });
    expect((await rows()).map((row) => row.id)).toEqual(TICKETS.map((ticket) => ticket.id));
    expect(await paid()).toHaveLength(TICKETS.length);
    expect(await plan()).toEqual([]);
    expect(await readFile(join(root, 'state/tickets/README.md'), 'utf8')).toContain('books balance');
  });

  it('sends equal requests once and gives each row its answer', async () => {
    const twins = [...TICKETS, { id: 'T-twin', text: TICKETS[0]?.text }];
    const { finish, rows, paid } = await world(repository('', twins));
    const { jobs } = await finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: 8, reused: 1 });
    expect(await paid()).toHaveLength(8);
    const answers = new Map((await rows()).map((row) => [row.id, row.label]));
    expect(answers.get('T-twin')).toBe(answers.get('T-a'));
  });

  it('tries a canary first, and sends the rest when it is good', async () => {
    const { pass, finish, journal } = await world(withJob('canary: { items: 3, min_valid: 0.9 }'));
    await pass();
    expect(Object.values((await journal()).intents).map(({ kind, count }) => ({ kind, count }))).toEqual([
      { kind: 'canary', count: 3 },
    ]);
    await finish();
    expect(Object.values((await journal()).intents).map(({ kind, count }) => ({ kind, count }))).toEqual([
      { kind: 'canary', count: 3 },
      { kind: 'first', count: 5 },
    ]);
  });

  it('sends nothing more when the canary is bad', async () => {
    const { finish, paid } = await world(
      withJob('canary: { items: 3, min_valid: 0.9 }\nretry: { invalid_output: 0 }'),
      {
        rules: [{ on: 'line', do: { answer: 'invalid_json' } }],
      },
    );
    const { jobs } = await finish();
    expect(jobs[0]?.phase).toBe('stalled');
    expect(jobs[0]?.conditions.find((condition) => condition.type === 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'CanaryFailed',
    });
    expect(await paid()).toHaveLength(3);
  });

  it('cuts a run into shards and keeps to max_in_flight', async () => {
    const { pass, finish, journal } = await world(withJob('shard: { max_items: 3, max_in_flight: 2 }'));
    await pass();
    expect(Object.values((await journal()).intents).map((intent) => intent.count)).toEqual([3, 3]);
    const { jobs } = await finish();
    expect(jobs[0]?.run?.books).toMatchObject({ dispositions: OK, batches: 3 });
  });

  it('tries failed items again, and no others', async () => {
    const { finish, paid, journal } = await world(withJob('retry: { max_attempts: 3 }'), {
      rules: [{ on: 'line', batch: 1, line: [2, 5], do: { status: 500 } }],
    });
    const { jobs } = await finish();
    expect(jobs[0]?.run?.books).toMatchObject({
      dispositions: OK,
      attempts: 10,
      rounds: [
        { attempts: 8, ok: 6 },
        { attempts: 2, ok: 2 },
      ],
    });
    expect(Object.values((await journal()).intents).map((intent) => intent.kind)).toEqual(['first', 'retry']);
    expect(await paid()).toHaveLength(8);
  });

  it('gives up after max_attempts, and says so', async () => {
    const { finish } = await world(withJob('retry: { max_attempts: 2 }'), {
      rules: [{ on: 'line', line: 1, do: { status: 500 } }],
    });
    const { jobs } = await finish();
    expect(jobs[0]).toMatchObject({
      phase: 'complete with failures',
      run: {
        books: { dispositions: { applied: 7, failed: 1 } },
        needs: [{ rows: 1, class: 'provider_error', examples: ['T-a'] }],
      },
    });
  });
});

describe('nothing is bought twice', () => {
  it('finds a batch again whose create answer was lost', async () => {
    const { finish, paid, journal } = await world(repository(), {
      rules: [{ on: 'create', nth: 1, do: { when: 'after_commit', reset: true } }],
    });
    const { jobs } = await finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual(OK);
    expect(await paid()).toHaveLength(8);
    expect(Object.keys((await journal()).intents)).toHaveLength(1);
  });

  it('sends again only when the batch is proved absent', async () => {
    const { finish, paid, journal } = await world(repository(), {
      rules: [{ on: 'create', nth: 1, do: { reset: true } }],
    });
    const { jobs } = await finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual(OK);
    expect(await paid()).toHaveLength(8);
    expect(Object.values((await journal()).intents).map((intent) => intent.phase)).toEqual([
      'absent',
      'settled',
    ]);
  });

  it('goes on in another process where the first one stopped', async () => {
    const w = await world();
    await w.pass();
    await w.restart();
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual(OK);
    expect(await w.paid()).toHaveLength(8);
  });

  it('sends only what is new after an edit of the input', async () => {
    const w = await world();
    await w.finish();
    await w.write({ 'data/tickets.jsonl': lines([...TICKETS, { id: 'T-new', text: 'a new one' }]) });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run).toMatchObject({ run: 2, books: { dispositions: { applied: 1, reused: 8 } } });
    expect(await w.paid()).toHaveLength(9);
    expect((await w.rows()).map((row) => row.id)).toContain('T-new');
  });

  it('sends everything after an edit of the prompt, and nothing after its revert', async () => {
    const w = await world();
    await w.finish();
    await w.write({ 'prompts/tickets/user.hbs': 'Which part is broken? {{text}}\n' });
    await w.finish();
    expect(await w.paid()).toHaveLength(16);
    await w.write({ 'prompts/tickets/user.hbs': 'Label this ticket: {{text}}\n' });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run).toMatchObject({ run: 3, generation: 3, books: { dispositions: { reused: 8 } } });
    expect(await w.paid()).toHaveLength(16);
  });

  it('writes a lost sink again without a request', async () => {
    const w = await world();
    await w.finish();
    const before = await readFile(join(w.root, 'out/tickets.parquet'));
    await rm(join(w.root, 'out'), { recursive: true });
    await w.finish();
    expect(await readFile(join(w.root, 'out/tickets.parquet'))).toEqual(before);
    expect(await w.paid()).toHaveLength(8);
  });

  it('takes everything along when a job is renamed and says so', async () => {
    const w = await world();
    await w.finish();
    const job = (repository()['jobs/tickets.yaml'] as string).replace(
      'name: tickets',
      'name: labels\nmoved_from: tickets',
    );
    await w.write({ 'jobs/tickets.yaml': `${job}sinks: [{ kind: parquet, path: out/tickets.parquet }]\n` });
    await w.finish();
    const report = await w.report('labels');
    expect(report).toMatchObject({ phase: 'complete', run: { run: 1, books: { dispositions: OK } } });
    expect(await w.paid()).toHaveLength(8);
    expect(await w.plan()).toEqual([]);
  });

  it.each([
    ['in one process', false],
    ['by another process', true],
  ])(
    'a name that was given away is another job’s, %s: nothing of the first stands in its books',
    async (_, restarts) => {
      const w = await world();
      await w.finish();
      const job = repository()['jobs/tickets.yaml'] as string;
      const labels = `${job.replace('name: tickets', 'name: labels')}sinks: [{ kind: parquet, path: out/labels.parquet }]\n`;
      await w.write({
        'jobs/tickets.yaml': labels.replace('name: labels', 'name: labels\nmoved_from: tickets'),
      });
      await w.finish();
      if (restarts) await w.restart();
      await w.write({ 'jobs/tickets.yaml': labels, 'jobs/again.yaml': job });
      await w.finish();
      expect((await w.report('labels')).run?.books.dispositions).toEqual(OK);
      expect((await w.report('tickets')).run).toMatchObject({ run: 1, books: { dispositions: OK } });
      expect(await w.paid(), 'the answers of another job are not reused').toHaveLength(16);
    },
  );

  it('gives the sink a column that is passed from now on, without a request', async () => {
    const w = await world();
    await w.finish();
    const job = repository()['jobs/tickets.yaml'] as string;
    await w.write({ 'jobs/tickets.yaml': job.replace('key: id', 'key: id, pass: [text]') });
    await w.finish();
    expect((await w.rows())[0]).toMatchObject({ id: 'T-a', text: TICKETS[0]?.text });
    expect(await w.paid()).toHaveLength(8);
    expect(await w.plan()).toEqual([]);
  });

  it('sends nothing where the reports know of a journal that is gone', async () => {
    const w = await world();
    await w.finish();
    await w.restart();
    await rm(join(w.root, 'state/journal'), { recursive: true });
    await w.restart();
    await expect(w.pass()).rejects.toThrow(StateConflict);
    expect(await w.paid()).toHaveLength(8);
  });
});

describe('ends that need a person', () => {
  it('sets a bad row aside, counts it and names it', async () => {
    const files: Record<string, string> = {
      ...repository(),
      'data/tickets.jsonl': `${lines(TICKETS)}{"id":"T-bad","text":\n`,
    };
    const job = (files['jobs/tickets.yaml'] as string).replace('key: id', 'key: id, on_bad_row: set_aside');
    const { finish, root } = await world({ ...files, 'jobs/tickets.yaml': job });
    const { jobs } = await finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: 8, set_aside: 1 });
    expect(await readFile(join(root, 'state/tickets/held.csv'), 'utf8')).toContain('set_aside');
  });

  it('holds an answer that breaks the schema after its retries', async () => {
    const { finish, paid } = await world(withJob('retry: { invalid_output: 1 }'), {
      rules: [{ on: 'line', line: 1, do: { answer: 'breaks_schema' } }],
    });
    const { jobs } = await finish();
    expect(jobs[0]?.run).toMatchObject({
      books: { dispositions: { applied: 7, held: 1 } },
      needs: [{ class: 'invalid_output' }],
    });
    expect(await paid()).toHaveLength(9);
  });

  it('stops at the budget before a cent is spent', async () => {
    const { finish, paid } = await world(withJob('budget: { per_run_usd: 0.000001 }'));
    const { jobs } = await finish();
    expect(jobs[0]).toMatchObject({ run: null });
    expect(jobs[0]?.waits[0]?.waitsFor).toContain('the limit of the run is');
    expect(await paid()).toEqual([]);
  });
});

it('writes the same reports again byte for byte', async () => {
  const w = await world();
  await w.finish();
  const page = () => readFile(join(w.root, 'state/tickets/README.md'), 'utf8');
  const before = await page();
  w.emulator.clock.advance(3_600_000);
  await w.restart();
  await w.finish();
  expect(await page()).toBe(before);
});

/** `repository` turns the canary off; a test of the canary says its own. */
function withJob(more: string): Record<string, string> {
  const files = repository(more);
  if (!more.includes('canary:')) return files;
  return {
    ...files,
    'jobs/tickets.yaml': (files['jobs/tickets.yaml'] as string).replace('canary: false\n', ''),
  };
}
