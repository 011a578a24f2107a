import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runReprocess } from '../../runner/commands/reprocess.ts';
import { openDuck, sqlText } from '../../runner/duck.ts';
import { digestOfFile, sizeOf } from '../../runner/files.ts';
import type { JobName } from '../../runner/ids.ts';
import { currentRun, intentsOf } from '../../runner/journal/fold.ts';
import { noteCheckChanges } from '../../runner/reconcile/checks.ts';
import { classesOf } from '../support/outcome-rows.ts';
import { printed } from '../support/reading.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const ALL = TICKETS.length;

type Misread = 'unreadable' | 'provider_error';

/** A finished run whose first rows an earlier version did not understand. */
async function misread(rows: number, as: Misread = 'unreadable'): Promise<World> {
  const w = await world();
  await w.finish();
  await spoil(w, 1, rows, as);
  return w;
}

/** The first rows of a shard were not understood when it was read. */
async function spoil(w: World, shard: number, rows: number, as: Misread): Promise<void> {
  const ctx = await w.context();
  const { state } = ctx.journal;
  const run = currentRun(state, 'tickets' as JobName);
  const intent = run === undefined ? undefined : intentsOf(state, run)[shard - 1];
  if (intent?.settled == null) throw new Error('nothing is settled');
  const name = `tickets/runs/1/outcomes-${intent.intent}-misread.parquet`;
  const path = join(w.root, 'state', name);
  await writeMisread(join(w.root, 'state', intent.settled.outcomes.name), path, rows, as);
  const outcomes = { name, digest: (await digestOfFile(path)).digest, bytes: (await sizeOf(path)) ?? 0 };
  const { summary, collections, check = null } = intent.settled;
  await ctx.journal.append([
    {
      type: 'outcomes.revised',
      why: 'reprocess',
      intent: intent.intent,
      job: intent.job,
      run: 1,
      check,
      outcomes,
      summary: { ...summary, counts: { ok: intent.count - rows, [as]: rows } },
      usd: 0,
      wastedUsd: 0,
      collections,
    },
  ]);
}

async function writeMisread(from: string, to: string, rows: number, as: string): Promise<void> {
  const duck = await openDuck();
  try {
    const spoiled = `ordinal < ${rows}`;
    await duck.run(
      `COPY (SELECT * REPLACE (CASE WHEN ${spoiled} THEN ${sqlText(as)} ELSE class END AS class,
         CASE WHEN ${spoiled} THEN NULL ELSE answer END AS answer) FROM read_parquet(${sqlText(from)}))
       TO ${sqlText(to)} (FORMAT parquet)`,
    );
  } finally {
    duck.close();
  }
}

function reprocess(w: World, options: { all?: boolean; yes?: boolean } = {}) {
  const { all = false, yes = false } = options;
  return printed(w.root, (common) => runReprocess({ ...common, job: 'tickets', all, yes }));
}

async function dispositions(w: World) {
  await w.restart();
  return (await w.report()).run?.books.dispositions;
}

describe('kept results are read again', () => {
  it.each(['unreadable', 'provider_error'] as const)(
    'rows that were %s have their answers, and nothing is sent',
    async (as) => {
      const w = await misread(3, as);
      expect(await dispositions(w)).not.toEqual({ applied: ALL });
      const { text: out, code } = await reprocess(w);
      expect(code).toBe(0);
      expect(out).toContain('the results of 1 batch were read again, 0 requests sent; 3 rows changed:');
      expect(out).toContain(`3 rows: ${as} → ok`);
      await w.restart();
      await w.finish();
      expect(await dispositions(w)).toEqual({ applied: ALL });
      expect(await w.rows()).toHaveLength(ALL);
      expect(await w.paid()).toHaveLength(ALL);
    },
  );

  it('once they are, there is nothing to read', async () => {
    const w = await misread(3);
    await reprocess(w);
    const { text: out } = await reprocess(w);
    expect(out).toContain('no kept result file has a row without an answer');
  });

  it('--all says what would change and changes nothing; with --yes it does', async () => {
    const w = await misread(2);
    const before = (await w.journal()).seq;
    const { text: out } = await reprocess(w, { all: true });
    expect(out).toContain('2 rows would change:');
    expect(out).toContain('add `--yes`');
    await w.restart();
    expect((await w.journal()).seq).toBe(before);
    expect((await reprocess(w, { all: true, yes: true })).text).toContain('2 rows changed:');
    expect(await dispositions(w)).not.toHaveProperty('unreadable');
  });

  it('sums are what they were when it was settled', async () => {
    const w = await world();
    await w.finish();
    const settledOf = async (each: World) => Object.values((await each.journal()).intents)[0]?.settled;
    const first = await settledOf(w);
    const other = await misread(4);
    await reprocess(other);
    await other.restart();
    const again = await settledOf(other);
    expect(again?.summary.counts).toEqual(first?.summary.counts);
    expect(again?.summary.usage.outputTokens).toBeGreaterThan(0);
    expect({ ...again?.summary, usage: null }).toEqual({ ...first?.summary, usage: null });
    expect(again?.usd).toBeGreaterThan(0);
  });

  it('of two batches that have the same row the first one answers it, and the other is a duplicate', async () => {
    // The first batch cannot be downloaded again, so that its row is bought a second time.
    const again = { on: 'download', batch: 1, nth: [...Array(500).keys()].slice(2) } as const;
    const w = await world(repository(), { rules: [{ ...again, do: { status: 500 } }] });
    await w.finish();
    await spoil(w, 1, 1, 'unreadable');
    const ctx = await w.context();
    const job = 'tickets' as JobName;
    await ctx.journal.append([{ type: 'retry.asked', job, run: 1, classes: ['unreadable'], by: 'ann' }]);
    while ((await w.paid()).length === ALL || (await isOpen(w))) {
      await w.pass();
      w.emulator.clock.advance(3_000);
    }
    await spoil(w, 2, 1, 'unreadable');
    await w.restart();
    expect((await reprocess(w)).text).toContain('2 batches');
    await w.restart();
    const classes = [(await classesOf(w, 1))[0], (await classesOf(w, 2))[0]];
    expect(classes.toSorted()).toEqual(['duplicate', 'ok']);
    expect((await w.report()).run?.money.duplicateUsd).toBeGreaterThan(0);
  });

  it('answers that were not held against an edited schema yet are not passed for held ones', async () => {
    const words = ['one', 'three', 'seventeen', 'a hundred and one'];
    const rows = words.map((word, at) => ({ id: `T-${at}`, text: `Number ${at}\nword: ${word}` }));
    const w = await world({ ...repository('', rows), [SCHEMA]: schema() });
    await w.finish();
    await spoil(w, 1, 1, 'provider_error');
    await w.write({ [SCHEMA]: schema({ maxLength: 9 }) });
    await w.restart();
    // The process that told the journal of the edit died before it read the answers again.
    await noteCheckChanges(await w.context());
    await reprocess(w);
    await w.restart();
    await w.finish();
    expect((await w.rows()).map((row) => row.word)).toEqual(['one', 'three', 'seventeen']);
  });
});

async function isOpen(w: World): Promise<boolean> {
  return Object.values((await w.journal()).intents).some(({ settled }) => settled === null);
}

const SCHEMA = 'schemas/label.schema.json';

/** `maxLength` does not travel: strict mode does not take it. */
function schema(word: object = {}): string {
  const properties = { word: { type: 'string', ...word } };
  return JSON.stringify({ type: 'object', additionalProperties: false, required: ['word'], properties });
}
