import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCancel, runRerun } from '../../runner/commands/ask.ts';
import { askApproval, PRICES } from '../support/asks.ts';
import { lines, repository, TICKETS, world } from '../support/world.ts';

/** `repository` turns the canary off; these jobs keep the default of ten rows. */
function withCanary(more = '', rows: readonly object[] = TICKETS): Record<string, string> {
  const files = repository(more, rows);
  return {
    ...files,
    'jobs/tickets.yaml': (files['jobs/tickets.yaml'] as string).replace('canary: false\n', ''),
  };
}

describe('answers that are there are applied, whatever holds sending back', () => {
  it('a budget that stops the next shard', async () => {
    const job = 'shard: { max_items: 3, max_in_flight: 1 }\n';
    const w = await world(repository(job));
    await w.pass();
    await w.write({
      'jobs/tickets.yaml': repository(`${job}budget: { per_run_usd: 0.001 }\n`)[
        'jobs/tickets.yaml'
      ] as string,
    });
    const { jobs } = await w.finish();
    expect(jobs[0]?.waits[0]?.waitsFor).toContain('the limit of run 1');
    const { applied = 0, unsent = 0 } = jobs[0]?.run?.books.dispositions ?? {};
    expect(applied).toBeGreaterThan(0);
    expect(unsent).toBeGreaterThan(0);
    expect(await w.rows()).toHaveLength(applied);
  });

  it('a gate that stops the next run', async () => {
    const w = await world();
    await w.pass();
    const job = repository('budget: { per_run_usd: 0.000001 }\n')['jobs/tickets.yaml'] as string;
    await w.write({ 'prompts/tickets/user.hbs': 'Another prompt: {{text}}\n', 'jobs/tickets.yaml': job });
    await w.finish();
    expect(await w.rows()).toHaveLength(8);
    expect(await w.paid()).toHaveLength(8);
  });

  it('a source file that is gone after the freeze: the rest is sent from the manifest', async () => {
    const w = await world(repository('shard: { max_items: 3, max_in_flight: 1 }\n'));
    await w.pass();
    await rm(join(w.root, 'data/tickets.jsonl'));
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: 8 });
    expect(jobs[0]?.waits[0]?.waitsFor).toContain('tickets.jsonl');
  });

  it("a person's cancel of a part of a second run", async () => {
    const w = await world(repository('shard: { max_items: 5 }\n'), {
      rules: [{ on: 'create', nth: 4, do: { stuck: 'validating' } }],
    });
    await w.finish();
    await w.write({ 'prompts/tickets/user.hbs': 'Another prompt: {{text}}\n' });
    await w.pass();
    w.emulator.clock.advance(10_000);
    await w.pass();
    process.env.TEST_KEY = 'key';
    await runCancel({ root: w.root, json: false, color: false, out: () => {}, job: 'tickets' });
    await w.restart();
    const { jobs } = await w.finish();
    expect(jobs[0]?.run).toMatchObject({ run: 2 });
    expect((await w.rows()).some((row) => row._run === 2)).toBe(true);
  });
});

describe('a canary that says nothing', () => {
  it.each([
    ['all rows of a small job fail at the server', TICKETS, [1]],
    ['twice', TICKETS, [1, 2]],
    [
      'of a larger job',
      Array.from({ length: 24 }, (_, index) => ({ id: `R-${index}`, text: `row ${index}` })),
      [1],
    ],
  ])('%s: it is tried again, not called a failure', async (_name, rows, batches) => {
    const w = await world(withCanary('', rows), {
      rules: [{ on: 'line', batch: batches as number[], do: { status: 500 } }],
    });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual({ applied: rows.length });
    expect(await w.paid()).toHaveLength(rows.length);
  });
});

it('a create that is refused stops the run, though more shards were announced with it', async () => {
  const w = await world(repository('shard: { max_items: 3 }\n'), {
    rules: [{ on: 'create', do: { status: 400, code: 'bad_endpoint', message: 'no such endpoint' } }],
  });
  const { jobs } = await w.finish();
  expect(jobs[0]?.conditions.find(({ type }) => type === 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'ProviderRejected',
  });
  expect(Object.keys((await w.journal()).intents)).toHaveLength(3);
});

it('on_removed: delete is carried out by a finished run without an answer', async () => {
  const sink = 'sinks: [{ kind: parquet, path: out/tickets.parquet, on_removed: delete }]\n';
  const files = repository(sink);
  const w = await world({ ...files, 'batchwright.yaml': `${files['batchwright.yaml']}${PRICES}` });
  await w.finish();
  await w.write({ 'data/tickets.jsonl': lines([{ id: 'T-new', text: 'refuse me' }]) });
  await askApproval(w);
  w.emulator.setScenario({ rules: [{ on: 'line', do: { answer: 'refusal' } }] });
  await w.finish();
  expect(await w.rows()).toEqual([]);
});

it('a folder where a sink should be holds back its own job alone', async () => {
  const files = repository();
  const other = (files['jobs/tickets.yaml'] as string).replace('name: tickets', 'name: zother');
  const w = await world({ ...files, 'jobs/zother.yaml': other });
  await mkdir(join(w.root, 'out/tickets.parquet'), { recursive: true });
  const { jobs } = await w.finish();
  expect(jobs.map(({ job, phase }) => [job, phase])).toEqual([
    ['tickets', 'stalled'],
    ['zother', 'complete'],
  ]);
});

it('a wish for a job that was just renamed is kept', async () => {
  const w = await world();
  await w.finish();
  const job = (repository()['jobs/tickets.yaml'] as string).replace(
    'name: tickets',
    'name: labels\nmoved_from: tickets',
  );
  await w.write({ 'jobs/tickets.yaml': job });
  await runRerun({ root: w.root, json: false, color: false, out: () => {}, job: 'labels', reason: 'again' });
  await w.restart();
  await w.finish();
  expect((await w.report('labels')).run).toMatchObject({ run: 2, books: { dispositions: { reused: 8 } } });
});

it('all files of a job that are lost: nothing more of it is sent, and the other job goes on', async () => {
  const w = await world();
  await w.pass();
  await rm(join(w.root, 'state/tickets/runs'), { recursive: true });
  const other = (repository()['jobs/tickets.yaml'] as string).replace('name: tickets', 'name: zother');
  await w.write({ 'jobs/zother.yaml': other });
  w.emulator.clock.advance(10_000);
  await w.restart();
  const { rests } = await w.pass();
  expect(rests.filter(({ job }) => job === 'tickets')).toMatchObject([{ reason: 'FilesDamaged' }]);
  const jobs = Object.values((await w.journal()).intents).map((intent) => intent.job);
  expect(jobs).toEqual(['tickets', 'zother']);
});
