import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runRebuild } from '../../runner/commands/rebuild.ts';
import { runSql } from '../../runner/commands/sql.ts';
import { runTrace } from '../../runner/commands/trace.ts';
import { runVerify } from '../../runner/commands/verify.ts';
import { runMarkdown } from '../../runner/report/markdown.ts';
import { copiesOf, documentOf, ledgerContents, printed } from '../support/reading.ts';
import { repeatCreate } from '../support/second.ts';
import { repository, type World, world } from '../support/world.ts';

const HOUR = 3_600_000;
const LEDGER = 'state/tickets/ledger.duckdb';
const SCHEMA = 'schemas/label.schema.json';

const WORDS = ['one', 'three', 'seventeen', 'a hundred and one'];
const ROWS = WORDS.map((word, at) => ({ id: `T-${at}`, text: `Number ${at}\nword: ${word}` }));

function schema(word: object = {}): string {
  const properties = { word: { type: 'string', ...word } };
  return JSON.stringify({ type: 'object', additionalProperties: false, required: ['word'], properties });
}

/** The first batch fails on its last row, which the second one answers late; the other rows are answered twice. */
async function lived(): Promise<World> {
  const w = await world(
    { ...repository('retry: { max_attempts: 1 }\n', ROWS), [SCHEMA]: schema() },
    { rules: [{ on: 'line', batch: 1, line: 4, do: { status: 500 } }] },
  );
  await w.pass();
  await repeatCreate(w);
  await w.finish();
  w.emulator.clock.advance(HOUR);
  await w.finish();
  return w;
}

const copy = copiesOf(lived);

interface Verified {
  readonly checks: readonly { readonly check: string; readonly state: string; readonly message: string }[];
}

const wrongIn = async (root: string) => {
  const { document } = await documentOf<Verified>(root, (common) => runVerify({ ...common, jobs: [] }));
  return document.checks.filter(({ state }) => state === 'wrong');
};

describe('two batches of one intent', () => {
  it('are in order for verify', async () => {
    expect(await wrongIn(await copy())).toEqual([]);
  });

  it('give the same ledger when it is made anew', async () => {
    const root = await copy();
    await printed(root, (common) => runSql({ ...common, job: 'tickets', query: 'SELECT 1' }));
    const grown = await ledgerContents(join(root, LEDGER));
    await printed(root, (common) => runRebuild({ ...common, jobs: [] }));
    expect(await ledgerContents(join(root, LEDGER))).toEqual(grown);
  });

  it('stand beside each other in a trace, each with its class and cost', async () => {
    const root = await copy();
    const trace = (key: string) =>
      printed(root, (common) => runTrace({ ...common, job: 'tickets', key: [key] }));
    const twice = (await trace('T-0')).text;
    expect(twice).toMatch(/try 1 +shard 1, first.*: ok/);
    expect(twice).toMatch(
      /besides +shard 2, a second batch of shard 1.*: duplicate, another batch had answered it/,
    );
    expect((await trace('T-3')).text).toMatch(/besides .*: late, came after it was given up/);
  });

  it('are shown on the page, with what the second one cost', async () => {
    const w = await lived();
    const page = runMarkdown(await w.report());
    expect(page).toContain('2 second of 1');
    expect(page).toContain('for rows that two batches answered');
  });

  it('are held against an edited schema like any other answers', async () => {
    const w = await lived();
    const words = async () => (await w.rows()).map((row) => row.word);
    expect(await words()).toEqual(WORDS);
    await w.write({ [SCHEMA]: schema({ maxLength: 9 }) });
    await w.finish();
    expect(await words()).toEqual(['one', 'three', 'seventeen']);
    expect(await wrongIn(w.root)).toEqual([]);
    await w.write({ [SCHEMA]: schema({ maxLength: 99 }) });
    await w.finish();
    expect(await words()).toEqual(WORDS);
    expect(await w.paid()).toHaveLength(7);
  });
});
