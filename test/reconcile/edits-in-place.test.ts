import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../runner/emulator/scenario.ts';
import { commitFiles, git, initRepository } from '../support/git.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const JOB = 'jobs/tickets.yaml';
const PROMPT = 'prompts/tickets/user.hbs';
const ALL = TICKETS.length;

/** The job's file with further lines; `canary` in them stands for the one that `repository` turns off. */
function jobWith(more: string): string {
  const text = repository(more)[JOB] as string;
  return more.includes('canary:') ? text.replace('canary: false\n', '') : text;
}

function worldWith(more: string, rules: readonly Rule[] = []): Promise<World> {
  return world({ ...repository(), [JOB]: jobWith(more) }, { rules });
}

async function planned(w: World): Promise<string[]> {
  return (await w.plan()).map((action) => action.kind);
}

async function batches(w: World): Promise<number[]> {
  return Object.values((await w.journal()).intents).map((intent) => intent.count);
}

async function runOf(w: World, job = 'tickets') {
  return (await w.report(job)).run;
}

describe('operational fields hold at once, in the run that there is', () => {
  it.each([
    'description: Another text',
    'labels: { customer: acme }',
    'priority: high',
    'sla: { class: offline, deadline: 5d }',
    'shard: { max_items: 3 }',
    'retry: { max_attempts: 9 }',
    'budget: { max_items: 1000 }',
    'canary: { items: 3, min_valid: 1 }',
  ])('%s changes nothing of a finished run', async (more) => {
    const w = await worldWith('');
    await w.finish();
    await w.write({ [JOB]: jobWith(`${more}\n`) });
    expect(await planned(w)).toEqual([]);
    await w.finish();
    expect(await w.paid()).toHaveLength(ALL);
    expect(await runOf(w)).toMatchObject({ run: 1, books: { dispositions: { applied: ALL } } });
  });

  it('shard: the next shards have the new size', async () => {
    const w = await worldWith('shard: { max_items: 2, max_in_flight: 1 }\n');
    await w.pass();
    await w.write({ [JOB]: jobWith('shard: { max_items: 5, max_in_flight: 1 }\n') });
    await w.finish();
    expect(await batches(w)).toEqual([2, 5, 1]);
    expect(await runOf(w)).toMatchObject({ run: 1, books: { dispositions: { applied: ALL } } });
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('owner: an edit while batches are in flight sends nothing, and the report says who owns it now', async () => {
    const w = await worldWith('shard: { max_items: 3, max_in_flight: 1 }\n');
    await w.pass();
    const job = jobWith('shard: { max_items: 3, max_in_flight: 1 }\n');
    await w.write({ [JOB]: job.replace('owner: support', 'owner: sales') });
    expect(await planned(w)).toEqual([]);
    await w.finish();
    expect(await batches(w)).toEqual([3, 3, 2]);
    expect(await w.paid()).toHaveLength(ALL);
    expect(await w.report()).toMatchObject({ owner: 'sales', run: { run: 1 } });
  });

  it('retry: what had failed is tried again when more tries are allowed', async () => {
    const w = await worldWith('retry: { max_attempts: 1 }\n', [
      { on: 'line', batch: 1, line: [1, 2], do: { status: 500 } },
    ]);
    await w.finish();
    expect(await runOf(w)).toMatchObject({ books: { dispositions: { applied: 6, failed: 2 } } });
    await w.write({ [JOB]: jobWith('retry: { max_attempts: 2 }\n') });
    expect(await planned(w)).toEqual(['submit']);
    await w.finish();
    expect(await batches(w)).toEqual([ALL, 2]);
    expect(await runOf(w)).toMatchObject({ run: 1, books: { dispositions: { applied: ALL } } });
  });

  it('canary: the rest goes when it asks for less', async () => {
    const w = await worldWith('canary: { items: 4, min_valid: 0.9 }\nretry: { invalid_output: 0 }\n', [
      { on: 'line', batch: 1, line: [1, 2], do: { answer: 'breaks_schema' } },
    ]);
    await w.finish();
    expect((await w.report()).phase).toBe('stalled');
    expect(await w.paid()).toHaveLength(4);
    await w.write({ [JOB]: jobWith('canary: { items: 4, min_valid: 0.5 }\nretry: { invalid_output: 0 }\n') });
    expect(await planned(w)).toEqual(['submit']);
    await w.finish();
    expect(await batches(w)).toEqual([4, 4]);
    expect(await runOf(w)).toMatchObject({ run: 1, books: { dispositions: { applied: 6, held: 2 } } });
  });
});

describe('edits of sinks are applied from answers', () => {
  it.each([
    ['one more', 'sinks: [{ kind: parquet }, { kind: csv }]\n', ['apply']],
    ['another path', 'sinks: [{ kind: parquet, path: out/labels.parquet }]\n', ['apply']],
    ['another kind', 'sinks: [{ kind: jsonl }]\n', ['apply']],
    ['on_removed', 'sinks: [{ kind: parquet, on_removed: delete }]\n', ['apply']],
    ['as it was, written out', 'sinks: [{ kind: parquet, path: out/tickets.parquet }]\n', []],
  ])('%s', async (_, more, actions) => {
    const w = await worldWith('');
    await w.finish();
    await w.write({ [JOB]: jobWith(more) });
    expect(await planned(w)).toEqual(actions);
    await w.finish();
    expect(await batches(w)).toEqual([ALL]);
    expect(await runOf(w)).toMatchObject({ run: 1, books: { dispositions: { applied: ALL } } });
    expect(await w.plan()).toEqual([]);
  });
});

describe('files and names', () => {
  it.each(['before it is sent', 'in flight', 'finished'])('a job file that is moved, %s', async (when) => {
    const w = await worldWith('');
    if (when === 'in flight') await w.pass();
    if (when === 'finished') await w.finish();
    await rm(join(w.root, JOB));
    await w.write({ 'jobs/team/labels.yaml': jobWith('') });
    if (when === 'finished') expect(await planned(w)).toEqual([]);
    await w.finish();
    expect(await batches(w)).toEqual([ALL]);
    expect(await runOf(w)).toMatchObject({ run: 1, books: { dispositions: { applied: ALL } } });
  });

  it('a prompt file that is moved, its text being the same', async () => {
    const w = await worldWith('');
    await w.finish();
    await rm(join(w.root, PROMPT));
    await w.write({
      [JOB]: jobWith('').replace('prompt: tickets', 'prompt: { user: other/ask.hbs }'),
      'prompts/other/ask.hbs': repository()[PROMPT] as string,
    });
    expect(await planned(w)).toEqual([]);
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('a name changed without moved_from is another job, that asks everything', async () => {
    const w = await worldWith('');
    await w.finish();
    await w.write({ [JOB]: jobWith('').replace('name: tickets', 'name: labels') });
    await w.finish();
    expect(await batches(w)).toEqual([ALL, ALL]);
    expect(await w.paid()).toHaveLength(2 * ALL);
    expect((await w.journal()).jobs).toMatchObject({ tickets: { withdrawn: null }, labels: {} });
  });

  it('a name changed with moved_from while its batch is in flight', async () => {
    const w = await worldWith('');
    await w.pass();
    await w.write({ [JOB]: jobWith('').replace('name: tickets', 'name: labels\nmoved_from: tickets') });
    await w.finish();
    expect(await batches(w)).toEqual([ALL]);
    expect(await runOf(w, 'labels')).toMatchObject({ run: 1, books: { dispositions: { applied: ALL } } });
    expect(await w.rows('out/labels.parquet')).toHaveLength(ALL);
    await w.write({ [JOB]: jobWith('').replace('name: tickets', 'name: labels') });
    expect(await planned(w), 'the hint may go afterwards').toEqual([]);
  });
});

describe('suspend', () => {
  const shards = 'shard: { max_items: 3, max_in_flight: 1 }\n';

  it('sends and applies nothing, and goes on collecting', async () => {
    const w = await worldWith(shards);
    await w.pass();
    await w.write({ [JOB]: jobWith(`${shards}suspend: waiting for legal\n`) });
    await w.finish();
    expect(await batches(w)).toEqual([3]);
    expect(await runOf(w)).toMatchObject({
      books: { dispositions: { valid_not_applied: 3, unsent: ALL - 3 } },
    });
    await w.write({ [JOB]: jobWith(`${shards}suspend: waiting for legal\n`), [PROMPT]: 'Which? {{text}}\n' });
    await w.finish();
    expect(await batches(w), 'an edit waits too').toEqual([3]);
    await w.write({ [JOB]: jobWith(shards), [PROMPT]: repository()[PROMPT] as string });
    await w.finish();
    expect(await batches(w)).toEqual([3, 3, 2]);
    expect(await runOf(w)).toMatchObject({ run: 1, books: { dispositions: { applied: ALL } } });
  });

  it('collects what expires while it rests, and sends only the unfinished when it goes on', async () => {
    const w = await worldWith('', [{ on: 'create', nth: 1, do: { expire_with: 0.5 } }]);
    await w.pass();
    await w.write({ [JOB]: jobWith('suspend: waiting for legal\n') });
    w.emulator.clock.advance(30 * 3_600_000);
    await w.finish();
    expect(await batches(w)).toEqual([ALL]);
    expect(await runOf(w)).toMatchObject({
      books: { dispositions: { valid_not_applied: ALL / 2, waiting: ALL / 2 } },
    });
    // OpenAI keeps results for a month; ours are kept for good.
    w.emulator.clock.advance(40 * 86_400_000);
    await w.write({ [JOB]: jobWith('') });
    await w.finish();
    expect(await batches(w)).toEqual([ALL, ALL / 2]);
    expect(await runOf(w)).toMatchObject({ run: 1, books: { dispositions: { applied: ALL } } });
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('ends by itself at `until`', async () => {
    const w = await worldWith('suspend: { reason: until winter, until: 2026-12-24 }\n');
    await w.finish();
    expect(await w.paid()).toEqual([]);
    w.emulator.clock.set('2026-12-24T00:00:00Z');
    await w.finish();
    expect(await w.paid()).toHaveLength(ALL);
  });
});

describe('a commit that is not the tip of the branch', () => {
  it('polls and collects; it sends and applies nothing, whatever it holds', async () => {
    const files = repository();
    const w = await world({
      ...files,
      'batchwright.yaml': `${files['batchwright.yaml']}branch: main\n`,
      '.gitignore': '/state/\n/out/\n',
    });
    await initRepository(w.root);
    await commitFiles(w.root, {});
    await w.restart();
    await w.pass();
    expect(await batches(w)).toEqual([ALL]);
    await w.write({ [PROMPT]: 'Which part is it? {{text}}\n' });
    await commitFiles(w.root, {});

    await git(w.root, 'checkout', '--quiet', '--detach', 'HEAD~1');
    await w.restart();
    await w.finish();
    const [intent] = Object.values((await w.journal()).intents);
    expect(intent?.phase).toBe('settled');
    expect(await runOf(w)).toMatchObject({ books: { dispositions: { valid_not_applied: ALL } } });
    expect(await w.plan()).toEqual([]);

    await git(w.root, 'checkout', '--quiet', 'main');
    await w.restart();
    await w.finish();
    expect(await batches(w)).toEqual([ALL, ALL]);
    expect(await runOf(w)).toMatchObject({ run: 2, books: { dispositions: { applied: ALL } } });

    await git(w.root, 'checkout', '--quiet', '--detach', 'HEAD~1');
    await w.restart();
    await w.finish();
    expect(await batches(w), 'the old prompt is not put to work again').toEqual([ALL, ALL]);
    expect(await runOf(w)).toMatchObject({ run: 2 });
  });
});
