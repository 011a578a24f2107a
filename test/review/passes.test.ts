import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runPasses } from '../../runner/commands/passes.ts';
import { runReprocess } from '../../runner/commands/reprocess.ts';
import { openDuck, sqlText } from '../../runner/duck.ts';
import { digestOfFile, sizeOf } from '../../runner/files.ts';
import { instantOf, type JobName } from '../../runner/ids.ts';
import { currentRun, intentsOf } from '../../runner/journal/fold.ts';
import { PATIENT } from '../../runner/plan/snapshot.ts';
import { printed } from '../support/reading.ts';
import { classesOf } from '../support/outcome-rows.ts';
import { repository, type World, world } from '../support/world.ts';

it('results that cannot be downloaded again are not asked for twenty times a second', async () => {
  const w = await world(repository('retry: { unreadable: { share: 0 } }\n'), {
    rules: [
      { on: 'line', line: 3, do: { result: 'drop' } },
      { on: 'download', nth: [2, 3, 4, 5, 6, 7, 8, 9, ...Array.from({ length: 5000 }, (_, n) => n + 10)], do: { status: 500 } },
    ],
  });
  const pauses: number[] = [];
  await runPasses({
    session: { context: async () => ({ ...(await w.context()), pacing: PATIENT }), close: async () => {} },
    again: true,
    until: instantOf(w.emulator.clock.now() + 2 * 3_600_000),
    stopping: () => pauses.length > 60,
    sleep: async (ms) => {
      pauses.push(ms / 1_000);
      w.emulator.clock.advance(ms);
    },
    onPass: () => {},
  });
  expect(pauses.filter((seconds) => seconds > 0 && seconds < 1)).toEqual([]);
});

it('a line that cannot be understood is lost once its results are kept no longer', async () => {
  const w = await world(repository('retry: { unreadable: { share: 0 } }\n'), {
    rules: [{ on: 'line', line: 3, do: { text: '{"custom_id":"{custom_id}","response":{"status_code":200,"body":{"x":1}}}\n' } }],
  });
  await w.finish();
  expect((await w.report()).run?.books.dispositions).toEqual({ applied: 7, unreadable: 1 });
  for (let day = 0; day < 32; day += 1) {
    w.emulator.clock.advance(86_400_000);
    await w.pass();
  }
  const [first] = Object.values((await w.journal()).intents);
  expect(first?.resultsLost?.why).toBe('expired');
  expect((await w.report()).run?.books.dispositions).toEqual({ applied: 7, held: 1 });
});

async function misread(w: World, shard: number, rows: readonly number[]): Promise<void> {
  const ctx = await w.context();
  const { state } = ctx.journal;
  const run = currentRun(state, 'tickets' as JobName);
  const intent = run === undefined ? undefined : intentsOf(state, run)[shard - 1];
  if (intent?.settled == null) throw new Error('nothing is settled');
  const name = `tickets/runs/1/outcomes-${intent.intent}-misread.parquet`;
  const path = join(w.root, 'state', name);
  const duck = await openDuck();
  const spoiled = `ordinal IN (${rows.join(', ')})`;
  await duck.run(
    `COPY (SELECT * REPLACE (CASE WHEN ${spoiled} THEN 'unreadable' ELSE class END AS class,
         CASE WHEN ${spoiled} THEN NULL ELSE answer END AS answer) FROM read_parquet(${sqlText(join(w.root, 'state', intent.settled.outcomes.name))}))
       TO ${sqlText(path)} (FORMAT parquet)`,
  );
  duck.close();
  const { summary, collections, check = null } = intent.settled;
  await ctx.journal.append([
    {
      type: 'outcomes.revised',
      why: 'reprocess',
      intent: intent.intent,
      job: intent.job,
      run: 1,
      check,
      outcomes: { name, digest: (await digestOfFile(path)).digest, bytes: (await sizeOf(path)) ?? 0 },
      summary: { ...summary, counts: { ok: intent.count - rows.length, unreadable: rows.length } },
      usd: 0,
      wastedUsd: 0,
      collections,
    },
  ]);
}

it('two batches of one row that are understood at last: the first answers, the other is a duplicate', async () => {
  const w = await world(repository(), {
    rules: [{ on: 'download', batch: 1, nth: Array.from({ length: 500 }, (_, n) => n + 2), do: { status: 500 } }],
  });
  await w.finish();
  await misread(w, 1, [0]);
  const ctx = await w.context();
  await ctx.journal.append([
    { type: 'retry.asked', job: 'tickets' as JobName, run: 1, classes: ['unreadable'], by: 'ann' },
  ]);
  for (let n = 0; n < 6; n += 1) {
    await w.pass();
    w.emulator.clock.advance(3_000);
  }
  await misread(w, 2, [0]);
  await w.restart();
  const { text } = await printed(w.root, (common) => runReprocess({ ...common, job: 'tickets', all: false, yes: false }));
  expect(text).toContain('2 batches');
  await w.restart();
  const classes = [(await classesOf(w, 1))[0], (await classesOf(w, 2))[0]];
  expect(classes.toSorted()).toEqual(['duplicate', 'ok']);
  expect((await w.report()).run?.money.duplicateUsd).toBeGreaterThan(0);
});
