import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { startEmulator } from '../../runner/emulator/server.ts';
import { instantOf } from '../../runner/ids.ts';
import { crowdOf } from '../support/crowd.ts';
import { testFolder } from '../support/folder.ts';
import { commitFiles, git } from '../support/git.ts';
import { gitHost } from '../support/git-host.ts';
import { expectOneHistory, SOME_FAIL, writeJobs } from '../support/writers.ts';

it.each([2, 8])(
  'B089: %i processes that reconcile on one store buy nothing twice, lose nothing and keep to the budget',
  async (count) => {
    const root = await testFolder();
    await using emulator = await startEmulator({
      scenario: {
        phases: {
          validating_ms: 10,
          running_ms: 40,
          running_ms_per_1000: 0,
          finalizing_ms: 10,
          cancelling_ms: 10,
        },
        rules: SOME_FAIL,
      },
    });
    await writeJobs(root, emulator.url);
    const rhythms = Array.from({ length: count }, (_, index) => 7 + index * 13);
    await Promise.all(rhythms.map((rhythm) => writer(root, rhythm)));
    await expectOneHistory(root, emulator.ledger(), instantOf(Date.now()));
  },
  200_000,
);

async function writer(root: string, rhythm: number): Promise<void> {
  await execa('node', [join(import.meta.dirname, '../support/writer.ts'), root, String(rhythm)], {
    env: { TEST_KEY: 'key' },
    timeout: 180_000,
  });
}

it('two processes on clones of their own do so as well, where the store is a git remote', async () => {
  await using emulator = await startEmulator({
    scenario: {
      phases: {
        validating_ms: 10,
        running_ms: 40,
        running_ms_per_1000: 0,
        finalizing_ms: 10,
        cancelling_ms: 10,
      },
      rules: SOME_FAIL,
    },
  });
  const host = await gitHost();
  const seed = await host.clone();
  await writeJobs(seed, emulator.url, 'git-ref');
  await commitFiles(seed, {});
  await git(seed, 'push', '--quiet', 'origin', 'HEAD:main');
  const roots = [await host.clone(), await host.clone()];
  await Promise.all(roots.map((root, index) => writer(root, 100 + index * 170)));
  // Whoever comes last has all of it, whatever the others have applied on their own machines.
  const root = await host.clone();
  await writer(root, 0);
  await expectOneHistory(root, emulator.ledger(), instantOf(Date.now()), host.store(root));
}, 200_000);

it('eight reconcilers whose clocks differ by two minutes, in hundreds of passes side by side', async () => {
  const root = await testFolder();
  const phases = { validating_ms: 1_000, running_ms: 6_000, running_ms_per_1000: 0, finalizing_ms: 1_000 };
  const scenario = { phases: { ...phases, cancelling_ms: 0 }, rules: SOME_FAIL };
  await using emulator = await startEmulator({ clock: { mode: 'manual' }, scenario });
  await writeJobs(root, emulator.url);
  await using crowd = await crowdOf(root, emulator, 8);
  for (let round = 0; crowd.quietRounds < 3; round += 1) {
    expect(round, 'rounds until all are quiet').toBeLessThan(200);
    emulator.clock.advance(700);
    await crowd.round(round);
  }
  const segments = await expectOneHistory(root, emulator.ledger(), instantOf(emulator.clock.now()));
  expect(crowd.appended, 'what an append said was kept is there, and nothing else').toBe(segments);
  expect(crowd.passes).toBeGreaterThan(200);
}, 240_000);
