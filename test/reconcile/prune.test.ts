import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { runDiff } from '../../runner/commands/diff.ts';
import { runVerify } from '../../runner/commands/verify.ts';
import { planPrune, prune } from '../../runner/reconcile/prune.ts';
import { damage } from '../support/damage.ts';
import { gitHost } from '../support/git-host.ts';
import { killedAt } from '../support/kill.ts';
import { cloneMachine, type Machine } from '../support/machine.ts';
import { printed, storedFile } from '../support/reading.ts';
import { lines, repository, TICKETS, type World, world } from '../support/world.ts';

vi.setConfig({ testTimeout: 180_000 });

const DAY = 86_400_000;
const OTHER_PROMPT = { 'prompts/tickets/user.hbs': 'Say what this ticket is about: {{text}}\n' };

const MANY = Array.from({ length: 12 }, (_, index) => ({
  id: `T-${index}`,
  text: `Ticket ${index}: a flat tyre`,
}));

/** A finished run, and another one after an edit. */
async function twoRuns(edit: Record<string, string>, store = '', machine?: Machine): Promise<World> {
  const files = repository();
  const w = await world(
    { ...files, 'batchwright.yaml': `${files['batchwright.yaml']}${store}` },
    {},
    machine,
  );
  await w.finish();
  await w.write(edit);
  await w.finish();
  return w;
}

async function pruned(w: World, keptMs: number) {
  const ctx = await w.context();
  const judged = await planPrune(ctx, keptMs, null);
  await prune(ctx, judged);
  return judged.map(({ event, keptFor }) => [event.run, keptFor]);
}

it('drops a run that nothing uses any more, once it is old enough, and the rest stands as it did', async () => {
  const w = await twoRuns(OTHER_PROMPT);
  expect(await pruned(w, DAY)).toEqual([]);
  w.emulator.clock.advance(2 * DAY);
  expect(await pruned(w, DAY)).toEqual([[1, null]]);
  expect(await readdir(join(w.root, 'state/tickets/runs/1'))).toEqual(['report.md']);
  expect(await pruned(w, DAY)).toEqual([]);
  await w.restart();
  await w.loseMachine();
  await w.finish();
  expect(await w.plan()).toEqual([]);
  const verified = await printed(w.root, (common) => runVerify({ ...common, jobs: [] }));
  expect(verified.text).not.toContain('runs/1/');
  expect(verified.code).toBe(0);
  const diff = printed(w.root, (common) => runDiff({ ...common, job: 'tickets', before: '1', after: '2' }));
  await expect(diff).rejects.toThrow('the files of run 1 were dropped on');
  expect((await w.rows()).map((row) => row.id)).toEqual(TICKETS.map(({ id }) => id));
  const report = await w.report();
  expect(report.run?.books.balanced).toBe(true);
  expect(report.history.map(({ run, dispositions }) => [run, dispositions])).toEqual([
    [1, { applied: TICKETS.length }],
  ]);
});

it('drops nothing of a job whose files are damaged, says so, and does when they are back', async () => {
  const w = await twoRuns(OTHER_PROMPT);
  w.emulator.clock.advance(2 * DAY);
  const mend = await damage(await storedFile(w.root, 'tickets/runs/2', 'manifest'), 'missing');
  await w.restart();
  const why = /^files of this job are damaged \(run 2: its manifest .* is missing/;
  expect(await pruned(w, DAY)).toEqual([[1, expect.stringMatching(why)]]);
  await mend();
  await w.restart();
  expect(await pruned(w, DAY)).toEqual([[1, null]]);
});

it('keeps a run whose answers the current one uses', async () => {
  const more = [...TICKETS, { id: 'T-z', text: 'Ticket z: the bell is gone' }];
  const w = await twoRuns({ 'data/tickets.jsonl': lines(more) });
  w.emulator.clock.advance(2 * DAY);
  expect(await pruned(w, DAY)).toEqual([[1, 'run 2 uses what it brought']]);
});

it('keeps a run whose rows a sink keeps', async () => {
  const w = await world(repository('', MANY));
  await w.finish();
  // Less than a tenth: more would wait for an approval.
  await w.write({ ...OTHER_PROMPT, 'data/tickets.jsonl': lines(MANY.slice(1)) });
  await w.finish();
  w.emulator.clock.advance(2 * DAY);
  expect(await pruned(w, DAY)).toEqual([[1, 'a sink keeps rows of it']]);
});

it('pays anew for what was dropped and is wanted again', async () => {
  const w = await twoRuns(OTHER_PROMPT);
  w.emulator.clock.advance(2 * DAY);
  await pruned(w, DAY);
  await w.write({ 'prompts/tickets/user.hbs': repository()['prompts/tickets/user.hbs'] ?? '' });
  await w.finish();
  expect(await w.paid()).toHaveLength(3 * TICKETS.length);
  expect((await w.report()).run?.books.dispositions).toEqual({ applied: TICKETS.length });
});

it('makes good a prune that died before the files were gone', async () => {
  const w = await twoRuns(OTHER_PROMPT);
  w.emulator.clock.advance(2 * DAY);
  const { effects } = await killedAt(Number.POSITIVE_INFINITY, async () => {
    await planPrune(await w.context(), DAY, null);
  });
  expect(effects.filter(({ name }) => name === 'store.put')).toEqual([]);
  const ctx = await w.context();
  const judged = await planPrune(ctx, DAY, null);
  await prune({ ...ctx, store: { ...ctx.store, dropRun: async () => {} } }, judged);
  expect((await readdir(join(w.root, 'state/tickets/runs/1'))).length).toBeGreaterThan(1);
  expect(await pruned(w, DAY)).toEqual([]);
  expect(await readdir(join(w.root, 'state/tickets/runs/1'))).toEqual(['report.md']);
});

it('deletes the branch of the run where the store is a git remote', async () => {
  const host = await gitHost();
  const w = await twoRuns(OTHER_PROMPT, 'store: { kind: git-ref }\n', await cloneMachine(host));
  w.emulator.clock.advance(2 * DAY);
  expect(await pruned(w, DAY)).toEqual([[1, null]]);
  const refs = await host.git('for-each-ref', '--format=%(refname)', 'refs/heads/batch-state');
  expect(refs.split('\n')).toEqual([
    'refs/heads/batch-state/journal',
    'refs/heads/batch-state/runs/tickets/2',
  ]);
  await w.restart();
  await w.loseMachine();
  await w.finish();
  expect(await w.plan()).toEqual([]);
});
