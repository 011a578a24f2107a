import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobName } from '../../runner/ids.ts';
import type { Rest } from '../../runner/plan/action.ts';
import { DAMAGES, type Damage, damage, flipped } from '../support/damage.ts';
import { expectChain } from '../support/invariants.ts';
import { storedFile } from '../support/reading.ts';
import { lines, repository, TICKETS, type World, world } from '../support/world.ts';

const FILES = ['manifest', 'recipe', 'outcomes'] as const;
const CASES = FILES.flatMap((file) =>
  DAMAGES.flatMap((how) => [true, false].map((hasLedger) => ({ file, how, hasLedger }))),
);

/** `tickets` in shards of two, one at a time; `others` is a job like it with rows of its own. */
function twoJobs(shard = 'shard: { max_items: 2, max_in_flight: 1 }\n'): Record<string, string> {
  const files = repository(shard);
  const job = files['jobs/tickets.yaml'] ?? '';
  return {
    ...files,
    'jobs/others.yaml': job.replace('name: tickets', 'name: others').replace('tickets.jsonl', 'others.jsonl'),
    'data/others.jsonl': lines(TICKETS.map(({ id, text }) => ({ id, text: `Other: ${text}` }))),
  };
}

/** Half of `tickets` is answered and applied, and nothing of `others` was sent. */
async function halfDone(): Promise<World> {
  const files = twoJobs();
  const { 'jobs/others.yaml': others = '', ...rest } = files;
  const w = await world(rest);
  while ((await w.paid()).length < 4) {
    await w.pass();
    w.emulator.clock.advance(60_000);
  }
  await w.pass();
  await w.write({ 'jobs/others.yaml': others });
  return w;
}

function restsOf(rests: readonly Rest[], job: string): Rest[] {
  return rests.filter((rest) => rest.job === (job as JobName));
}

describe('a stored file that is not as it was written', () => {
  it('holds its own job back, whichever it is and whatever has happened to it; brought back, it all goes on', {
    timeout: 120_000,
  }, async () => {
    const w = await halfDone();
    for (const { file, how, hasLedger } of CASES) {
      const path = await storedFile(w.root, 'tickets/runs/1', file);
      const mend = await damage(path, how);
      await w.restart();
      if (!hasLedger) await rm(join(w.root, 'state/tickets/ledger.duckdb'), { force: true });
      const before = await w.journal();
      // What runs at the provider ends meanwhile, and is fetched.
      w.emulator.clock.advance(60_000);
      const { rests } = await w.pass();
      const name = path.slice(path.indexOf('tickets/runs/1'));
      const what = `${file} ${how}, ${hasLedger ? 'with' : 'without'} its ledger`;
      expect(restsOf(rests, 'tickets'), what).toMatchObject([
        { kind: 'blocked', reason: 'FilesDamaged', message: expect.stringContaining(name) },
      ]);
      expect(restsOf(rests, 'others'), what).not.toMatchObject([{ reason: 'FilesDamaged' }]);
      const after = await w.journal();
      const sent = (state: typeof before) =>
        Object.values(state.intents).filter(({ job }) => job === ('tickets' as JobName)).length;
      expect(sent(after), what).toBe(sent(before));
      await mend();
    }
    await w.restart();
    await w.finish();
    expect(await w.rows()).toHaveLength(8);
    expect(await w.rows('out/others.parquet')).toHaveLength(8);
    const paid = await w.paid();
    expect(new Set(paid.map((each) => each.body_hash)).size).toBe(paid.length);
    await expectChain(await w.context());
  });

  it('keeps no other job from being frozen, sent, collected and applied', async () => {
    const w = await halfDone();
    await damage(await storedFile(w.root, 'tickets/runs/1', 'outcomes'), 'missing');
    await w.restart();
    for (let passes = 0; passes < 12; passes += 1) {
      await w.pass();
      w.emulator.clock.advance(60_000);
    }
    const others = await w.report('others');
    expect(others.run?.books.dispositions).toEqual({ applied: 8 });
  });

  it('stands on its page and in its status, with the file, what it means and what to do; the last books stay', async () => {
    const w = await halfDone();
    const ofRows = ['held.csv', 'runs/1/report.md'].map((name) => join(w.root, 'state/tickets', name));
    const before = await Promise.all(ofRows.map((path) => readFile(path, 'utf8')));
    await damage(await storedFile(w.root, 'tickets/runs/1', 'manifest'), 'cut');
    await w.restart();
    await w.pass();
    expect(await Promise.all(ofRows.map((path) => readFile(path, 'utf8')))).toEqual(before);
    const report = await w.report();
    expect(report.phase).toBe('stalled');
    expect(report.conditions.find(({ type }) => type === 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'FilesDamaged',
      message: expect.stringMatching(/run 1: its manifest .* is cut: .*tickets\/runs\/1\/manifest-/),
    });
    expect(report.waits[0]?.command).toContain('batchwright verify tickets');
    const page = await readFile(join(w.root, 'state/tickets/README.md'), 'utf8');
    expect(page).toMatch(/# tickets: stalled[\s\S]*A person must act: bring it back from a backup/);
  });

  it.each<readonly [string, Damage]>([
    ['gone', 'missing'],
    ['cut', 'cut'],
  ])('a raw file that is %s holds nothing back, and is told', async (_, how) => {
    const w = await halfDone();
    const path = await storedFile(w.root, 'tickets/runs/1', 'raw');
    await damage(path, how);
    await w.restart();
    await w.finish();
    expect(await w.rows()).toHaveLength(8);
    const { waits, phase } = await w.report();
    expect(phase).toBe('complete');
    expect(waits).toMatchObject([
      {
        what: expect.stringContaining('a raw file'),
        command: expect.stringContaining('batchwright verify tickets'),
      },
    ]);
  });

  it.each(DAMAGES)(
    'a raw file that an edited schema needs is %s: nothing is revised on its word',
    async (how) => {
      const w = await world(repository());
      await w.finish();
      const mend = await damage(await storedFile(w.root, 'tickets/runs/1', 'raw'), how);
      const schema = JSON.parse(repository()['schemas/label.schema.json'] ?? '') as Record<string, unknown>;
      // Strict mode does not take it, so that it does not travel.
      await w.write({ 'schemas/label.schema.json': JSON.stringify({ ...schema, maxProperties: 9 }) });
      await w.restart();
      const { rests } = await w.pass();
      expect(restsOf(rests, 'tickets')).toMatchObject([{ kind: 'blocked', reason: 'FilesDamaged' }]);
      await mend();
      await w.restart();
      await w.finish();
      expect((await w.report()).run?.books.dispositions).toEqual({ applied: 8 });
      expect(await w.paid()).toHaveLength(8);
    },
  );
});

/** Where a Parquet file ends, says how long its description is, and somewhere in that. */
const PLACES = [-1, -5, -40];

it.each((['manifest', 'outcomes'] as const).flatMap((file) => PLACES.map((at) => ({ file, at }))))(
  'of a run before the current one, another bit at $at of the $file: the other jobs go on',
  async ({ file, at }) => {
    const { 'jobs/others.yaml': others = '', ...files } = twoJobs();
    const w = await world({ ...files, 'jobs/tickets.yaml': repository()['jobs/tickets.yaml'] ?? '' });
    await w.finish();
    await w.write({ 'prompts/tickets/user.hbs': 'Label it again: {{text}}\n' });
    await w.finish();
    await w.write({ 'jobs/others.yaml': others });
    const path = await storedFile(w.root, 'tickets/runs/1', file);
    const bytes = await readFile(path);
    await writeFile(path, flipped(bytes, at < 0 ? bytes.length + at : at));
    await w.restart();
    await w.finish();
    expect((await w.report('others')).run?.books.dispositions).toEqual({ applied: 8 });
  },
);

it('a ledger whose damage shows in the middle of a shard is made anew by the next pass', async () => {
  const w = await world(repository('shard: { max_items: 4, max_in_flight: 1 }\n'));
  await w.pass();
  w.emulator.clock.advance(60_000);
  const ctx = await w.context();
  const [loaded] = ctx.repository.jobs;
  const ledger = await ctx.ledgers.of('tickets' as JobName, loaded?.job ?? null, ctx.journal.state);
  if (ledger === null) throw new Error('there is a run');
  const stream = () => Promise.reject(new Error('IO Error: Corrupt database file: computed checksum 1'));
  Object.assign(ledger.duck.connection, { stream });
  const { rests } = await w.pass();
  expect(restsOf(rests, 'tickets')).toMatchObject([{ kind: 'waiting', reason: 'LedgerDamaged' }]);
  expect(await w.paid()).toHaveLength(4);
  await w.finish();
  expect(await w.rows()).toHaveLength(8);
  expect(await w.paid()).toHaveLength(8);
});
