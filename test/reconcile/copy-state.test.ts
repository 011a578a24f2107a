import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openJournal } from '../../runner/journal/journal.ts';
import { storedFiles } from '../../runner/plan/stored.ts';
import { copyState } from '../../runner/reconcile/copy-state.ts';
import { localStore } from '../../runner/store/local.ts';
import { testFolder } from '../support/folder.ts';
import { testWriter } from '../support/journal.ts';
import { repository, world } from '../support/world.ts';

it('copies what a job has brought under the name that it had before', async () => {
  const files = repository();
  const w = await world(files);
  await w.finish();
  const renamed = (files['jobs/tickets.yaml'] ?? '').replace(
    'name: tickets',
    'name: labels\nmoved_from: tickets',
  );
  await w.write({ 'jobs/tickets.yaml': renamed });
  await w.finish();
  const [from, to] = [localStore(join(w.root, 'state')), localStore(await testFolder())];
  await copyState(from, to);
  const state = await openJournal(to, testWriter('reader')).refresh();
  const runs = Object.values(state.jobs).flatMap((job) => job.runs);
  const named = runs.flatMap((run) => storedFiles(state, run));
  expect(named.length).toBeGreaterThan(3);
  for (const { name } of named) expect(await to.get(name), name).not.toBeNull();
});
