import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDuck, sqlText } from '../../runner/duck.ts';
import { askApproval } from '../support/asks.ts';
import { lines, repository, type World, world } from '../support/world.ts';

const JOB = 'jobs/tickets.yaml';
const DATA = 'data/tickets.jsonl';
const ROWS = Array.from({ length: 20 }, (_, at) => ({ id: `T-${at + 10}`, text: `Ticket ${at}` }));

function data(rows: readonly object[]): Record<string, string> {
  return { [DATA]: lines(rows) };
}

async function finished(job = ''): Promise<World> {
  const w = await world(repository(job, ROWS));
  await w.finish();
  return w;
}

async function dispositions(w: World) {
  return (await w.report()).run?.books.dispositions;
}

/** Finishes; nothing is paid for, and nothing is left to do. */
async function finishFree(w: World): Promise<void> {
  const before = (await w.paid()).length;
  await w.finish();
  expect((await w.paid()).length - before, 'requests that were paid for').toBe(0);
  expect(await w.plan()).toEqual([]);
}

describe('a tenth of the rows, and not more, is gone', () => {
  const fewer = ROWS.slice(0, 18);

  it.each([
    ['keep', 20],
    ['mark', 20],
    ['delete', 18],
  ])('on_removed: %s', async (onRemoved, rows) => {
    const w = await finished(`sinks: [{ kind: parquet, on_removed: ${onRemoved} }]\n`);
    await w.write(data(fewer));
    await finishFree(w);
    expect(await dispositions(w)).toEqual({ reused: 18 });
    expect(await w.rows()).toHaveLength(rows);
    await w.write(data(ROWS));
    await finishFree(w);
    expect(await w.rows(), 'they come back').toHaveLength(20);
  });

  it('while they are in flight: their answers are collected, and go to no sink', async () => {
    const w = await world(repository('', ROWS));
    await w.pass();
    await w.write(data(fewer));
    await w.finish();
    expect(Object.values((await w.journal()).intents).map(({ count }) => count)).toEqual([20]);
    expect(await dispositions(w)).toEqual({ reused: 18 });
    expect(await w.plan()).toEqual([]);
    await w.write(data(ROWS));
    await finishFree(w);
    expect(await w.rows()).toHaveLength(20);
  });
});

describe('on_removed: mark', () => {
  const marking = 'sinks: [{ kind: parquet, on_removed: mark }, { kind: csv, on_removed: mark }]\n';

  it('says in `_retired` since which run a row is gone', async () => {
    const w = await finished(marking);
    expect(await retired(w)).toEqual({});
    await w.write(data(ROWS.slice(0, 19)));
    await finishFree(w);
    await w.write(data(ROWS.slice(0, 18)));
    await finishFree(w);
    expect(await retired(w)).toEqual({ 'T-28': 3, 'T-29': 2 });
    await w.write(data([...ROWS.slice(0, 18), ROWS[19] as object]));
    await finishFree(w);
    expect(await retired(w), 'one has come back').toEqual({ 'T-28': 3 });
  });

  it('counts from the run that had the row last, though it could not answer it', async () => {
    const w = await finished(`${marking}retry: { invalid_output: 0 }\n`);
    w.emulator.setScenario({ rules: [{ on: 'line', do: { answer: 'breaks_schema' } }] });
    const last = { id: 'T-29', text: 'told otherwise' };
    await w.write(data([...ROWS.slice(0, 19), last]));
    await w.finish();
    expect(await dispositions(w)).toEqual({ reused: 19, held: 1 });
    await w.write(data(ROWS.slice(0, 19)));
    await finishFree(w);
    expect(await retired(w)).toEqual({ 'T-29': 3 });
  });

  it('is a column of a sink that marks alone, and an edit of it costs nothing', async () => {
    const w = await finished();
    await w.write(data(ROWS.slice(0, 19)));
    await finishFree(w);
    expect(Object.keys((await w.rows())[0] ?? {})).not.toContain('_retired');
    await w.write({ [JOB]: repository(marking, ROWS)[JOB] as string });
    await finishFree(w);
    expect(await retired(w)).toEqual({ 'T-29': 2 });
  });

  /** By key, the same in both sinks. */
  async function retired(w: World): Promise<Record<string, number>> {
    const marked = (rows: readonly Record<string, unknown>[]) =>
      Object.fromEntries(rows.filter((row) => row._retired !== null).map((row) => [row.id, row._retired]));
    const duck = await openDuck();
    const csv = await duck.rows<Record<string, unknown>>(
      `SELECT id, _retired::INTEGER AS _retired FROM read_csv(${sqlText(join(w.root, 'out/tickets.csv'))}, header = true) ORDER BY id`,
    );
    duck.close();
    expect(marked(csv)).toEqual(marked(await w.rows()));
    return marked(csv) as Record<string, number>;
  }
});

describe('more than a tenth of the rows is gone at once', () => {
  const fewer = ROWS.slice(0, 17);

  it('waits for an approval, and nothing is frozen or applied until then', async () => {
    const w = await finished('sinks: [{ kind: parquet, on_removed: delete }]\n');
    await w.write(data(fewer));
    const { rests } = await w.pass();
    expect(rests).toMatchObject([
      {
        kind: 'blocked',
        reason: 'AwaitingApproval',
        message: '3 of 20 rows are gone from the input at once; above 10 % a person has to agree',
        next: 'run `batchwright approve tickets` and merge the file that it writes, or bring the rows back',
      },
    ]);
    await w.finish();
    expect((await w.report()).run?.run).toBe(1);
    expect(await w.rows()).toHaveLength(20);
    await askApproval(w);
    await finishFree(w);
    expect((await w.report()).run?.run).toBe(2);
    expect(await w.rows()).toHaveLength(17);
  });

  it('needs none where they come back, and another where more are gone than were approved', async () => {
    const w = await finished();
    await w.write(data(fewer));
    await askApproval(w);
    await w.write(data(ROWS.slice(0, 10)));
    const { rests } = await w.pass();
    expect(rests).toMatchObject([
      {
        message:
          '10 of 20 rows are gone from the input at once; above 10 % a person has to agree; the approval is for another source',
      },
    ]);
    await w.write(data(ROWS));
    await finishFree(w);
    expect((await w.report()).run?.run, 'nothing has changed after all').toBe(1);
  });

  it('by the query as well as by the files, and not by the order or by other columns', async () => {
    const w = await finished();
    const job = repository('', ROWS)[JOB] as string;
    await w.write({
      [JOB]: job.replace('key: id }', 'key: id, sql: "SELECT * FROM input WHERE id < \'T-20\'" }'),
    });
    expect((await w.pass()).rests).toMatchObject([{ reason: 'AwaitingApproval' }]);
    await w.write({ [JOB]: job, ...data(ROWS.map((row) => ({ seen: true, ...row })).toReversed()) });
    await finishFree(w);
    expect(await dispositions(w)).toEqual({ reused: 20 });
  });

  it('where the key is another, no row is the same thing, and none is missed', async () => {
    const w = await finished();
    const job = repository('', ROWS)[JOB] as string;
    await w.write({ [JOB]: job.replace('key: id }', 'key: text }') });
    await w.finish();
    expect((await w.report()).run?.run).toBe(2);
  });
});
