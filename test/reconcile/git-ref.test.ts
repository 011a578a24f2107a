import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
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
