import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git } from '../support/git.ts';
import { REPOSITORY } from '../support/package.ts';
import { NINE_LINES, TICKET_FILES } from '../support/repo.ts';
import { KEY, TOKEN, type WorkflowHost, workflowHost } from '../support/workflow-host.ts';
import { SLOW } from '../support/workflow-life.ts';

/** What `uses: ./` needs of this repository. */
const PRODUCT = [
  '.github',
  '.gitignore',
  'action.yml',
  'bin',
  'package-lock.json',
  'package.json',
  'runner',
  'schemas',
];

/** This repository on a host, with a job of two rows in place of the examples. */
async function published(): Promise<WorkflowHost> {
  const host = await workflowHost();
  for (const path of PRODUCT) await cp(join(REPOSITORY, path), join(host.laptop, path), { recursive: true });
  const settings = `apiVersion: batchwright/v1\nbranch: main\nstore: { kind: git-ref }\n${host.providers}`;
  await host.push('main', { ...(TICKET_FILES as Record<string, string>), 'batchwright.yaml': settings });
  return host;
}

const ON = { vars: { BATCHWRIGHT: 'on' } };

it('is off until somebody says so: its jobs are examples', async () => {
  const host = await published();
  expect(await host.run('.github/workflows/reconcile.yml', 'reconcile', { github: {} })).toBeNull();
  expect(await host.run('.github/workflows/plan.yml', 'plan', { github: {} })).toBeNull();
});

it('a pass by the action of this repository, and a tick that has nothing to do', SLOW, async () => {
  const host = await published();
  const reconcile = (more: object = {}) =>
    host.run('.github/workflows/reconcile.yml', 'reconcile', { github: {}, ...ON, ...more });
  for (let passes = 0; passes < 6; passes += 1) {
    const ran = await reconcile({ inputs: { only_if_due: true } });
    expect(ran?.failed, ran?.log).toBe(false);
    expect(ran?.log).not.toContain(KEY);
    expect(ran?.log).not.toContain(TOKEN);
    host.emulator.clock.advance(900_000);
    if (ran?.steps.at(-1) === 'Is a pass due?') break;
  }
  expect((await reconcile({ inputs: { only_if_due: true } }))?.steps.at(-1)).toBe('Is a pass due?');
  expect(await host.git('log', '-1', '--format=%s', 'main')).toMatch(
    /^batchwright: up to date: ticket-labels complete, 2 applied/,
  );
});

it('a plan runs the code of the base branch over the files of the pull request', SLOW, async () => {
  const host = await published();
  const head = await host.push('evil', {
    'jobs/second.yaml': NINE_LINES.replace('name: ticket-labels', 'name: second'),
    // None of this is run.
    'bin/batchwright.js': 'throw new Error("evil")',
    'bin/due.mjs': 'throw new Error("evil")',
    'action.yml': 'runs: { using: composite, steps: [{ run: echo evil, shell: bash }] }\n',
    'runner/cli.ts': 'throw new Error("evil")',
    '.npmrc': 'ignore-scripts=false\n',
  });
  await git(host.laptop, 'reset', '--quiet', '--hard', 'HEAD~1');
  const github = {
    ref: 'refs/pull/7/merge',
    base_ref: 'main',
    event_name: 'pull_request',
    event: { pull_request: { number: 7, head: { sha: head } } },
  };
  const ran = await host.run('.github/workflows/plan.yml', 'plan', { github, secrets: {}, ...ON });
  expect(ran?.failed, ran?.log).toBe(false);
  expect(ran?.log).not.toContain('evil');
  expect(ran?.summary).toContain('Plan: 2 new runs, 0 blocked · 4 requests');
  expect(ran?.log).toContain('2 job files, no findings.');
  const [install, again] = await host.installs();
  expect(again, 'installed once').toBeUndefined();
  expect(install).toMatch(/workspace\/base ci --omit=dev --ignore-scripts/);
});
