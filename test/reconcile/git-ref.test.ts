import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type Effect, withEffects } from '../../runner/effects.ts';
import { StateConflict } from '../../runner/errors.ts';
import { type GitHost, gitHost } from '../support/git-host.ts';
import { expectSound } from '../support/invariants.ts';
import { cloneMachine } from '../support/machine.ts';
import { repository, TICKETS, world } from '../support/world.ts';

// Each step is a handful of processes, which a busy machine starts slowly.
vi.setConfig({ testTimeout: 180_000 });

async function worldOnGit(host: GitHost) {
  const files = repository();
  const settings = `${files['batchwright.yaml']}store: { kind: git-ref }\n`;
  return world({ ...files, 'batchwright.yaml': settings }, {}, await cloneMachine(host));
}

it('B088: what one runner has sent the next one collects, from nothing but the remote', async () => {
  const w = await worldOnGit(await gitHost());
  await w.pass();
  await w.restart();
  await w.loseMachine();
  await w.finish();
  await expectSound(w, { keys: TICKETS.map(({ id }) => id) });
  expect(await w.plan()).toEqual([]);
});

it('needs a handful of pushes a pass, however many batches it sends or collects', async () => {
  const host = await gitHost();
  const files = repository('shard: { max_items: 1 }\n');
  const settings = `${files['batchwright.yaml']}store: { kind: git-ref }\n`;
  const w = await world({ ...files, 'batchwright.yaml': settings }, {}, await cloneMachine(host));
  const sent = await pushesOf(() => w.pass());
  expect(Object.keys((await w.journal()).intents)).toHaveLength(TICKETS.length);
  // The run's files once; then that it is frozen, the announcements, the receipts.
  expect(sent).toEqual(['runs/tickets/1', 'journal', 'journal', 'journal']);
  w.emulator.clock.advance(86_400_000);
  const collected = await pushesOf(() => w.pass());
  // What came, and what it means: each once for all of them.
  expect(collected.filter((ref) => ref === 'runs/tickets/1')).toHaveLength(2);
  expect(collected.length).toBeLessThan(TICKETS.length);
  expect((await w.report()).run?.books.dispositions).toEqual({ applied: TICKETS.length });
});

/** The refs that were pushed, without snapshots of the journal, which a world keeps far more often than life does. */
async function pushesOf(work: () => Promise<unknown>): Promise<string[]> {
  const effects: Effect[] = [];
  await withEffects((effect) => effects.push(effect), work);
  let put = '';
  const pushes: string[] = [];
  for (const { name, target } of effects) {
    if (name === 'store.put') put = target;
    if (name === 'git.push' && !put.includes('snapshot'))
      pushes.push(target.replaceAll('refs/heads/batch-state/', ''));
  }
  return pushes;
}

it('sends nothing for an edit that no commit holds, and goes on collecting', async () => {
  const w = await worldOnGit(await gitHost());
  await w.pass();
  await writeFile(join(w.root, 'prompts/tickets/user.hbs'), 'Another prompt: {{text}}\n');
  w.emulator.clock.advance(86_400_000);
  await w.pass();
  await w.pass();
  expect((await w.journal()).jobs).toMatchObject({ tickets: { runs: [{ run: 1 }] } });
  expect(Object.values((await w.journal()).intents).map(({ phase }) => phase)).toEqual(['settled']);
});

it('B088: sends nothing while the host is away, and loses nothing', async () => {
  const host = await gitHost();
  const w = await worldOnGit(host);
  await rename(join(host.home, 'host.git'), join(host.home, 'away.git'));
  await expect(w.pass()).rejects.toThrow(StateConflict);
  expect(await w.paid()).toEqual([]);
  await rename(join(host.home, 'away.git'), join(host.home, 'host.git'));
  await w.finish();
  await expectSound(w, { keys: TICKETS.map(({ id }) => id) });
});
