import { describe, expect, it } from 'vitest';
import type { BatchFault, Scenario } from '../../runner/emulator/scenario.ts';
import type { JobName } from '../../runner/ids.ts';
import type { OutcomeClass } from '../../runner/outcome/outcome.ts';
import { classesOf } from '../support/outcome-rows.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const ALL = TICKETS.length;
const OK = { applied: ALL };

/** The first batch has this fault; whatever follows it is well. */
function firstBatch(fault: BatchFault, more: Scenario['rules'] = []): Scenario {
  return { rules: [{ on: 'create', nth: 1, do: fault }, ...more] };
}

function failing(lines: readonly number[]): NonNullable<Scenario['rules']> {
  return [{ on: 'line', batch: 1, line: lines, do: { status: 500 } }];
}

async function intentsOf(w: World) {
  return Object.values((await w.journal()).intents);
}

/** A person pays for another try. */
async function askAgain(w: World, of: OutcomeClass): Promise<void> {
  const ctx = await w.context();
  const job = 'tickets' as JobName;
  await ctx.journal.append([{ type: 'retry.asked', job, run: 1, classes: [of], by: 'ann' }]);
}

async function books(w: World) {
  return (await w.report()).run?.books;
}

describe('result files that are not as one expects', () => {
  it('B053: all requests failed: no output file, nobody takes it for success', async () => {
    const w = await world(repository('retry: { max_attempts: 1 }\n'), firstBatch({ all_failed: true }));
    const { jobs } = await w.finish();
    expect(jobs[0]).toMatchObject({
      phase: 'complete with failures',
      run: {
        books: { dispositions: { failed: ALL } },
        needs: [{ rows: ALL, class: 'provider_error', causeRows: ALL }],
      },
    });
  });

  it.each(['empty_id', 'zero_bytes'] as const)(
    'B053: no errors, and the error file is %s',
    async (error_file) => {
      const w = await world(repository(), firstBatch({ error_file }));
      await w.finish();
      expect(await books(w)).toMatchObject({ dispositions: OK, batches: 1 });
    },
  );

  it('B053, B063: completed without any file: its rows wait, and only a person pays for another try', async () => {
    const w = await world(repository(), firstBatch({ output_file: 'dropped', error_file: 'dropped' }));
    await w.pass();
    w.emulator.clock.advance(5_000);
    await w.pass();
    expect(await books(w), 'one look proves nothing').toMatchObject({ dispositions: { unreadable: ALL } });
    expect((await w.report()).waits[0]?.waitsFor).toContain('results that can be read');
    await w.finish();
    w.emulator.clock.advance(86_400_000);
    const { jobs } = await w.finish();
    expect(await books(w), 'nor do many').toMatchObject({ dispositions: { unreadable: ALL }, batches: 1 });
    expect(jobs[0]?.phase).toBe('stalled');
    const stalled = jobs[0]?.conditions.find(({ type }) => type === 'Stalled');
    expect(stalled).toMatchObject({ reason: 'ResultsUnreadable' });
    const { run } = await w.report();
    const [first] = await intentsOf(w);
    expect(first?.reservedUsd).toBeGreaterThan(0);
    expect(run?.money.reservedUsd, 'they may have been paid for').toBe(first?.reservedUsd);
    expect((await w.plan()).map(({ kind }) => kind)).toEqual([]);
    await askAgain(w, 'unreadable');
    await w.finish();
    expect(await classesOf(w, 1)).toEqual(TICKETS.map(() => 'unreadable'));
    expect(await books(w)).toMatchObject({ dispositions: OK, batches: 2 });
    expect((await w.report()).run?.money, 'the first price leaves the limit of the run').toMatchObject({
      reservedUsd: 0,
      assumedUsd: 0,
      unknownCost: ALL,
    });
  });

  it('a batch that shows its files only a while after its end: nothing is bought twice', async () => {
    const w = await world(repository(), firstBatch({ files_after_ms: 900 }));
    await w.pass();
    w.emulator.clock.advance(2_100);
    await w.pass();
    await w.finish();
    expect(await books(w)).toMatchObject({ dispositions: OK, batches: 1 });
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('B063: a row that is in neither file, where all else was read, goes again once by itself', async () => {
    const w = await world(repository(), {
      rules: [
        { on: 'line', batch: [1, 2], line: 2, do: { result: 'drop' } },
        { on: 'line', batch: 2, line: 1, do: { result: 'drop' } },
      ],
    });
    await w.finish();
    expect((await intentsOf(w)).map(({ count }) => count)).toEqual([ALL, 1]);
    expect(await books(w), 'and not twice').toMatchObject({
      dispositions: { applied: ALL - 1, unreadable: 1 },
    });
    expect(await w.paid()).toHaveLength(ALL + 1);
  });

  it.each([
    ['more than `retry.unreadable.share`', '', [2, 5], { applied: ALL - 2, unreadable: 2 }, ALL],
    ['few enough', 'retry: { unreadable: { share: 0.25 } }\n', [2, 5], OK, ALL + 2],
    ['a share of 0', 'retry: { unreadable: { share: 0 } }\n', [2], { applied: ALL - 1, unreadable: 1 }, ALL],
  ] as const)('B063: lines that are in neither file: %s', async (_title, job, line, dispositions, paid) => {
    const w = await world(repository(job), {
      rules: [{ on: 'line', batch: 1, line: [...line], do: { result: 'drop' } }],
    });
    await w.finish();
    expect(await books(w)).toMatchObject({ dispositions });
    expect(await w.paid()).toHaveLength(paid);
  });

  it('B062: an error file that is lost leaves its rows unreadable, not done and not bought again', async () => {
    const w = await world(repository(), firstBatch({ error_file: 'dropped' }, failing([1, 3])));
    await w.finish();
    expect((await classesOf(w, 1)).filter((of) => of === 'unreadable')).toHaveLength(2);
    expect(await books(w)).toMatchObject({ dispositions: { applied: ALL - 2, unreadable: 2 }, batches: 1 });
  });

  it('B062: lines of nobody, and lines that cannot be read, are counted and said', async () => {
    const w = await world(repository(), {
      rules: [
        { on: 'line', batch: 1, line: [1, 2], do: { result: 'foreign' } },
        { on: 'line', batch: 1, line: 3, do: { result: 'corrupt' } },
        { on: 'line', batch: 1, line: 4, do: { result: 'cut' } },
      ],
    });
    await w.finish();
    expect((await intentsOf(w))[0]?.settled?.summary).toMatchObject({
      lines: { foreign: 2, unparsed: 2 },
      counts: { ok: ALL - 2, unreadable: 2 },
    });
    expect(w.said.map(({ text }) => text).join()).toContain(
      '2 lines of requests that are not its own and 2 that cannot be read',
    );
    expect(await books(w)).toMatchObject({ dispositions: { applied: ALL - 2, unreadable: 2 }, batches: 1 });
  });

  it('B050: counts that lie change nothing', async () => {
    const w = await world(
      repository(),
      firstBatch({ counts: { total: 8000, completed: 8000, failed: 0 } }, failing([1, 3])),
    );
    await w.finish();
    expect(await books(w)).toMatchObject({ items: ALL, dispositions: OK, attempts: ALL + 2 });
  });

  it('B074: the served models are counted by name', async () => {
    const w = await world(repository(), {
      rules: [{ on: 'line', line: [1, 2], do: { answer: 'other_model' } }],
    });
    await w.finish();
    expect((await w.report()).run?.servedModels).toEqual({
      'gpt-5.4-mini-2026-03-17': ALL - 2,
      'another-model-2026-01-01': 2,
    });
  });

  it('B060: answers come in an order of their own, and each finds its row', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => ({ id: `T-${at}`, text: `"note": "about ${at}"` }));
    const note = {
      type: 'object',
      additionalProperties: false,
      required: ['note'],
      properties: { note: { type: 'string' } },
    };
    const w = await world({ ...repository('', rows), 'schemas/label.schema.json': JSON.stringify(note) });
    await w.finish();
    const answers = new Map((await w.rows()).map((row) => [row.id, row.note]));
    expect(answers).toEqual(new Map(rows.map(({ id }, at) => [id, `about ${at}`])));
  });

  it('B094: what came in is not what is good: every row is in one class', async () => {
    const w = await world(repository('retry: { max_attempts: 1, invalid_output: 0 }\n'), {
      rules: [
        { on: 'line', line: [1, 2], do: { answer: 'truncated' } },
        { on: 'line', line: 3, do: { status: 500 } },
        { on: 'line', line: 4, do: { answer: 'refusal' } },
      ],
    });
    await w.finish();
    expect(await books(w)).toMatchObject({
      items: ALL,
      balanced: true,
      dispositions: { applied: 4, held: 2, failed: 1, refused: 1 },
    });
  });
});
