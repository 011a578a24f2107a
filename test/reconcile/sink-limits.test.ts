import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTrace } from '../../runner/commands/trace.ts';
import { runVerify } from '../../runner/commands/verify.ts';
import type { SinkSpec } from '../../runner/spec/job.ts';
import { askRetry } from '../support/asks.ts';
import { answered, message, response, text } from '../support/lines.ts';
import { rewriteJournal } from '../support/older.ts';
import { documentOf, printed } from '../support/reading.ts';
import { lines, repository, type World, world } from '../support/world.ts';

const SCHEMA = 'schemas/label.schema.json';
const LONG = '98765432109876543210';
const ROWS = Array.from({ length: 20 }, (_, at) => ({ id: `T-${at + 1}`, text: `account_no: ${at + 1}` }));
const CAUSE = 'does not fit the column `account_no`, which holds whole numbers of 64 bits';

const PARQUET = '{ kind: parquet, path: out/tickets.parquet }';
const JSONL = '{ kind: jsonl, path: out/tickets.jsonl }';
const PARQUET_SPEC: readonly SinkSpec[] = [
  { kind: 'parquet', path: 'out/tickets.parquet', onRemoved: 'keep' },
];
const CSV = '{ kind: csv, path: out/tickets.csv }';

function schema(more: object = {}): string {
  return JSON.stringify({
    type: 'object',
    additionalProperties: false,
    required: ['account_no'],
    properties: { account_no: { type: 'integer', ...more } },
  });
}

function jobFile(sinks: readonly string[], more = ''): string {
  return repository(`sinks: [${sinks.join(', ')}]\n${more}`, ROWS)['jobs/tickets.yaml'] as string;
}

/** Twenty rows, of which the seventh is answered with an integer beyond 64 bits, whenever it is asked. */
async function accounts(sinks: readonly string[], more = ''): Promise<World> {
  const files = repository('', ROWS);
  const line = answered(response([message([text(`{"account_no": ${LONG}}`)])]));
  return world(
    { ...files, 'jobs/tickets.yaml': jobFile(sinks, more), [SCHEMA]: schema() },
    {
      rules: [
        { on: 'line', batch: 1, line: 7, do: { text: line } },
        { on: 'line', batch: 2, line: 1, do: { text: line } },
      ],
    },
  );
}

function edit(w: World, sinks: readonly string[], more = ''): Promise<void> {
  return w.write({ 'jobs/tickets.yaml': jobFile(sinks, more) });
}

async function dispositions(w: World) {
  return (await w.report()).run?.books.dispositions;
}

async function creates(w: World): Promise<number[]> {
  return Object.values((await w.journal()).intents).map((intent) => intent.count);
}

interface Verified {
  readonly checks: readonly { readonly check: string; readonly state: string; readonly message: string }[];
}

async function wrongIn(w: World) {
  const { document } = await documentOf<Verified>(w.root, (common) => runVerify({ ...common, jobs: [] }));
  return document.checks.filter(({ state }) => state === 'wrong');
}

async function jsonl(w: World): Promise<string[]> {
  return (await readFile(join(w.root, 'out/tickets.jsonl'), 'utf8')).trimEnd().split('\n');
}

describe('one answer of twenty that a typed column cannot hold', () => {
  it('is held by itself: the others are applied, the job is not stalled, and it is not bought again', async () => {
    const w = await accounts([PARQUET, JSONL]);
    await w.finish();
    expect(await dispositions(w)).toEqual({ applied: 19, held: 1 });
    expect((await w.report()).phase).not.toBe('stalled');
    expect(await w.rows()).toHaveLength(19);
    expect(await jsonl(w), 'one verdict for the job').toHaveLength(19);
    expect(await creates(w), 'a model gives the same number again').toEqual([20]);
    expect((await w.report()).run?.needs).toMatchObject([
      { rows: 1, class: 'invalid_output', cause: CAUSE, examples: ['T-7'] },
    ]);
    expect((await w.report()).run?.needs[0]?.next).toMatch(/jsonl.*no cost.*string.*all rows/);
    expect(await w.plan()).toEqual([]);
    expect(await wrongIn(w)).toEqual([]);
  });

  it('is asked once more where a person pays for it', async () => {
    const w = await accounts([PARQUET]);
    await w.finish();
    await askRetry(w, ['invalid_output']);
    await w.finish();
    expect(await creates(w)).toEqual([20, 1]);
    expect(await dispositions(w)).toEqual({ applied: 19, held: 1 });
    await edit(w, [CSV]);
    await w.finish();
    expect(await dispositions(w)).toEqual({ applied: 20 });
    expect(await wrongIn(w)).toEqual([]);
  });

  it('is not bought by an edit that finds another fault in it', async () => {
    const named = (more: object) => {
      const { properties, ...rest } = JSON.parse(schema());
      const all = { ...properties, name: { type: 'string', ...more } };
      return JSON.stringify({ ...rest, required: Object.keys(all), properties: all });
    };
    const line = answered(
      response([message([text(`{"account_no": ${LONG}, "name": "${'x'.repeat(99)}"}`)])]),
    );
    const w = await world(
      { ...repository('', ROWS), 'jobs/tickets.yaml': jobFile([PARQUET]), [SCHEMA]: named({}) },
      { rules: [{ on: 'line', batch: 1, line: 7, do: { text: line } }] },
    );
    await w.finish();
    expect((await w.report()).run?.needs).toMatchObject([{ rows: 1, cause: CAUSE }]);
    await w.write({ [SCHEMA]: named({ maxLength: 90 }) });
    await w.finish();
    expect((await w.report()).run?.needs).toMatchObject([{ cause: '`/name` longer than 90 characters' }]);
    expect(await creates(w)).toEqual([20]);
  });

  it('is not bought again by new rows', async () => {
    const w = await accounts([PARQUET]);
    await w.finish();
    await w.write({ 'data/tickets.jsonl': lines([...ROWS, { id: 'T-new', text: 'account_no: 21' }]) });
    await w.finish();
    expect(await creates(w)).toEqual([20, 1]);
    expect(await dispositions(w), 'the new row was given the same long number').toEqual({
      reused: 19,
      held: 2,
    });
  });

  it('fits sinks of text, with every digit', async () => {
    const w = await accounts([JSONL, CSV]);
    await w.finish();
    expect(await dispositions(w)).toEqual({ applied: 20 });
    expect((await jsonl(w))[6]).toContain(`{"id":"T-7","account_no":${LONG},`);
    const csv = await readFile(join(w.root, 'out/tickets.csv'), 'utf8');
    expect(csv.split('\r\n')[7]).toMatch(new RegExp(`^T-7,${LONG},`));
  });
});

describe('an edit of the sinks', () => {
  it('to one that cannot hold an answer: it leaves all of them and is held, and nothing is sent', async () => {
    const w = await accounts([JSONL]);
    await w.finish();
    expect(await jsonl(w)).toHaveLength(20);
    await edit(w, [JSONL, PARQUET]);
    expect(await w.plan()).toMatchObject([{ kind: 'revalidate', answers: 20 }]);
    await w.finish();
    expect(await creates(w)).toEqual([20]);
    expect(await dispositions(w)).toEqual({ applied: 19, held: 1 });
    expect(await w.rows()).toHaveLength(19);
    expect(await jsonl(w)).toHaveLength(19);
    expect((await w.report()).run?.needs).toMatchObject([{ rows: 1, cause: CAUSE, examples: ['T-7'] }]);
    expect(w.said.map(({ text: said }) => said)).toContainEqual(
      expect.stringMatching(/^20 answers were held against .*, 0 requests: 20 were valid, 19 are$/),
    );
    expect(await w.plan(), 'done once').toEqual([]);
    expect(await wrongIn(w)).toEqual([]);
    await w.restart();
    const trace = await printed(w.root, (common) => runTrace({ ...common, job: 'tickets', key: ['T-7'] }));
    expect(trace.text).toMatch(/does not fit the column .*ok when it was first read.*decided: hold/);
  });

  it('to one that can: the answer comes back, and nothing is sent', async () => {
    const w = await accounts([PARQUET]);
    await w.finish();
    await edit(w, [JSONL]);
    await w.finish();
    expect(await creates(w)).toEqual([20]);
    expect(await dispositions(w)).toEqual({ applied: 20 });
    expect((await jsonl(w))[6]).toContain(LONG);
    expect(await w.plan()).toEqual([]);
  });

  it.each([
    ['from typed to text', [[PARQUET], [JSONL], [PARQUET], [CSV], [PARQUET, CSV]]],
    ['from text to typed', [[JSONL], [PARQUET], [JSONL], [PARQUET]]],
  ])('there and back, %s: nothing is ever sent for it', async (_name, steps) => {
    const [first = [], ...others] = steps;
    const w = await accounts(first);
    await w.finish();
    for (const sinks of others) {
      await edit(w, sinks);
      await w.finish();
      const expected = sinks.includes(PARQUET) ? { applied: 19, held: 1 } : { applied: 20 };
      expect(await dispositions(w), sinks.join()).toEqual(expected);
      expect(await w.plan()).toEqual([]);
    }
    expect(await creates(w)).toEqual([20]);
    expect(await wrongIn(w)).toEqual([]);
  });

  it('between kinds that hold the same is no other check', async () => {
    const w = await accounts([JSONL]);
    await w.finish();
    await edit(w, [CSV]);
    expect((await w.plan()).map(({ kind }) => kind)).toEqual(['apply']);
  });

  it('while a batch is in flight holds for its answers at once', async () => {
    const w = await accounts([JSONL]);
    await w.pass();
    await edit(w, [PARQUET]);
    await w.finish();
    expect(await creates(w)).toEqual([20]);
    expect(await dispositions(w)).toEqual({ applied: 19, held: 1 });
    expect(await w.plan()).toEqual([]);
  });

  it('is known again on another machine, from the journal alone', async () => {
    const w = await accounts([JSONL]);
    await w.finish();
    await edit(w, [PARQUET]);
    await w.finish();
    await w.restart();
    await w.loseMachine();
    await w.finish();
    expect(await dispositions(w)).toEqual({ applied: 19, held: 1 });
    expect(await creates(w)).toEqual([20]);
  });
});

describe('a job that an earlier version let stall', () => {
  it('goes on: the answers are held against the columns once, the others are applied, and nothing is sent', async () => {
    const w = await accounts([JSONL]);
    await w.finish();
    // A recipe that says nothing of typed columns beside a Parquet sink: so earlier versions froze it.
    await rewriteJournal(w.root, (event) =>
      event.type === 'run.frozen' ? { ...event, spec: { ...event.spec, sinks: PARQUET_SPEC } } : event,
    );
    await edit(w, [PARQUET]);
    await w.restart();
    await w.loseMachine();
    await w.finish();
    expect(await dispositions(w)).toEqual({ applied: 19, held: 1 });
    expect(await creates(w)).toEqual([20]);
    expect(await w.plan()).toEqual([]);
  });
});

describe('a row of an earlier run that is kept where the input has it no more', () => {
  it('and that a typed sink cannot hold: the sink says what helps at no cost', async () => {
    const w = await accounts([JSONL]);
    await w.finish();
    await edit(w, [PARQUET]);
    await w.write({
      [SCHEMA]: JSON.stringify({ ...JSON.parse(schema()), description: 'An account.' }),
      'data/tickets.jsonl': lines(ROWS.filter(({ id }) => id !== 'T-7')),
    });
    await w.finish();
    const { rests } = await w.pass();
    expect(rests).toMatchObject([
      {
        reason: 'SinkFailed',
        message: expect.stringMatching(/"T-7", which an earlier run gave and the input has no more/),
        next: expect.stringMatching(/`on_removed: delete` leaves such rows out, at no cost/),
      },
    ]);
    await edit(w, ['{ kind: parquet, path: out/tickets.parquet, on_removed: delete }']);
    await w.finish();
    expect(await dispositions(w)).toEqual({ applied: 18, held: 1 });
    expect(await creates(w)).toEqual([20, 19]);
  });
});
