import { expect, it, vi } from 'vitest';
import { runState } from '../../runner/commands/state.ts';
import { runCopy } from '../../runner/commands/state-copy.ts';
import { runPrune } from '../../runner/commands/state-prune.ts';
import { StateConflict } from '../../runner/errors.ts';
import { gitHost } from '../support/git-host.ts';
import { expectSound } from '../support/invariants.ts';
import { cloneMachine } from '../support/machine.ts';
import { documentOf, printed } from '../support/reading.ts';
import { repository, TICKETS, world } from '../support/world.ts';

vi.setConfig({ testTimeout: 180_000 });

const KEYS = TICKETS.map(({ id }) => id);
const toGit = { from: 'local', to: 'git-ref' };

it('copies the state of work under way to a git remote, from where another machine goes on', async () => {
  const w = await world(repository(), {}, await cloneMachine());
  await w.pass();
  const { document } = await documentOf(w.root, (common) => runCopy({ ...common, ...toGit }));
  expect(document).toMatchObject({
    format: 'batchwright/copy/v1',
    to: { store: 'git-ref' },
    segments: 3,
    files: 2,
  });
  expect((await printed(w.root, (common) => runCopy({ ...common, ...toGit }))).text).toContain(
    'copied 3 segments and 2 files',
  );
  await w.write({ 'batchwright.yaml': `${repository()['batchwright.yaml']}store: { kind: git-ref }\n` });
  await w.restart();
  await w.loseMachine();
  await w.finish();
  await expectSound(w, { keys: KEYS });
  const shown = await documentOf<{ store: string; bytes: number; jobs: object[] }>(w.root, runState);
  expect(shown.document).toMatchObject({ store: 'git-ref', place: 'origin refs/heads/batch-state' });
  expect(shown.document.jobs).toMatchObject([{ job: 'tickets', runs: 1, open_batches: 0, dropped_runs: 0 }]);
  const back = await printed(w.root, (common) => runCopy({ ...common, from: 'git-ref', to: 'local' }));
  expect(back.text).toContain('now set `store: { kind: local }`');
});

it('copies nothing over another journal', async () => {
  const host = await gitHost();
  const [a, b] = [
    await world(repository(), {}, await cloneMachine(host)),
    await world(repository(), {}, await cloneMachine(await gitHost())),
  ];
  await a.pass();
  await b.pass();
  await printed(a.root, (common) => runCopy({ ...common, ...toGit }));
  const elsewhere = await world(repository(), {}, await cloneMachine(host));
  await elsewhere.pass();
  const copying = printed(elsewhere.root, (common) => runCopy({ ...common, ...toGit }));
  await expect(copying).rejects.toThrow(StateConflict);
});

it('says that nothing is old enough', async () => {
  const w = await world();
  await w.pass();
  const { text } = await printed(w.root, (common) =>
    runPrune({ ...common, jobs: [], keep: null, dryRun: true }),
  );
  expect(text).toBe('no run is old enough to be dropped\n');
});
