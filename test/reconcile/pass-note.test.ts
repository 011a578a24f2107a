import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { runRehearse } from '../../runner/commands/rehearse.ts';
import { type Instant, jobName } from '../../runner/ids.ts';
import { EMPTY_JOURNAL } from '../../runner/journal/fold.ts';
import type { Rest } from '../../runner/plan/action.ts';
import { inputPaths, nextLookAt } from '../../runner/reconcile/pass-note.ts';
import type { Job } from '../../runner/spec/job.ts';
import { PRICES } from '../support/asks.ts';
import { testFolder } from '../support/folder.ts';
import { commitFiles, initRepository } from '../support/git.ts';
import { REPOSITORY } from '../support/package.ts';
import { printed } from '../support/reading.ts';
import { TICKET_FILES } from '../support/repo.ts';
import { repository as tickets, world } from '../support/world.ts';

const FILES = { ...(TICKET_FILES as Record<string, string>), '.gitignore': 'rehearsal/\n' };

async function repository(files: Record<string, string> = {}): Promise<string> {
  const root = await testFolder();
  await initRepository(root);
  await commitFiles(root, { ...FILES, ...files });
  return root;
}

/** Passes until the end; the note stands apart from that of real passes, and is made in the same way. */
async function rehearse(root: string, jobs: readonly string[] = []) {
  await printed(root, (common) => runRehearse({ ...common, jobs, fresh: false, err: () => {} }));
  return JSON.parse(await readFile(join(root, 'rehearsal/state/pass.json'), 'utf8')) as object;
}

async function due(root: string): Promise<string> {
  const args = ['bin/due.mjs', '--root', root, '--state', 'rehearsal/state'];
  return (await execa('node', args, { cwd: REPOSITORY })).stdout;
}

describe('the note of a pass', () => {
  it('says nothing is due after the last pass, until a prompt is edited', async () => {
    const root = await repository();
    const note = await rehearse(root);
    const paths = [
      'approvals',
      'batchwright.yaml',
      'data/tickets.csv',
      'jobs',
      'prompts',
      'reviews',
      'schemas',
    ];
    expect(note).toMatchObject({ seen: { paths }, next_look: null });
    await expectValid(note);
    expect(await due(root)).toBe('due=no');
    await commitFiles(root, { 'prompts/ticket-labels/user.hbs': 'Subject: {{subject}}\n' });
    expect(await due(root)).toBe('due=yes');
    await rehearse(root);
    expect(await due(root)).toBe('due=no');
  });

  it('speaks for no commit where only some jobs were looked at, or the work tree has edits', async () => {
    const root = await repository();
    expect(await rehearse(root, ['ticket-labels'])).toMatchObject({ seen: null });
    await rehearse(root);
    expect(await due(root)).toBe('due=no');
    await commitFiles(root, { 'batchwright.yaml': 'apiVersion: batchwright/v1\n' });
    const note = await rehearse(await edited(root));
    await expectValid(note);
    expect(note).toMatchObject({ seen: null });
  });

  it('speaks for no commit where data is not in git', async () => {
    const root = await repository({ '.gitignore': 'rehearsal/\ndata/\n' });
    expect(await rehearse(root)).toMatchObject({ seen: null, next_look: null });
    expect(await due(root)).toBe('due=yes');
  });
});

async function edited(root: string): Promise<string> {
  await writeFile(join(root, 'prompts/ticket-labels/user.hbs'), 'Another: {{subject}}\n');
  return root;
}

async function expectValid(note: object): Promise<void> {
  const schema = JSON.parse(
    await readFile(join(REPOSITORY, 'schemas/batchwright/pass.schema.json'), 'utf8'),
  ) as object;
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  expect(ajv.validate(schema, note) ? [] : ajv.errors).toEqual([]);
}

describe('when the next pass has something to do', () => {
  const NOW = '2026-12-31T23:00:00.000Z' as Instant;
  const NAME = jobName('a');
  const job = (some: object) => ({ name: NAME, suspend: null, ...some }) as unknown as Job;
  const rest = (kind: Rest['kind'], reason = 'x'): Rest => ({
    job: NAME,
    kind,
    reason,
    message: '',
    next: null,
  });
  const look = (rests: readonly Rest[], jobs: readonly Job[] = [job({})]) =>
    nextLookAt(EMPTY_JOURNAL, rests, jobs, NOW);

  it.each([
    ['nothing rests', [], null],
    ['all is done', [rest('idle')], null],
    ['batches are out', [rest('idle'), rest('in_flight')], 'now'],
    ['a time must pass', [rest('waiting')], 'now'],
    ['an approval is missing', [rest('blocked', 'AwaitingApproval')], null],
    ['the price is unknown', [rest('blocked', 'PriceUnknown')], null],
    ['a file cannot be read', [rest('blocked', 'InputUnreadable')], 'now'],
    ['the budget is spent', [rest('blocked', 'BudgetExceeded')], '2027-01-01T00:00:00.000Z'],
  ] as const)('%s', (_what, rests, expected) => {
    expect(look(rests)).toBe(expected);
  });

  it('what is applied is deleted at the provider by the next pass; where that fails for an hour, the daily one tries', async () => {
    const w = await world();
    const dueAfter = async () => {
      const { rests } = await w.pass();
      const { journal, repository, now } = await w.context();
      const jobs = repository.jobs.map((each) => each.job);
      return nextLookAt(journal.state, rests, jobs, now());
    };
    expect(await dueAfter()).toBe('now');
    w.emulator.clock.advance(3_600_000);
    w.emulator.setScenario({ rules: [{ on: 'delete', do: { status: 500 } }] });
    expect(await dueAfter()).toBe('now');
    expect((await w.report()).phase).toBe('complete');
    expect(await dueAfter()).toBe('now');
    w.emulator.clock.advance(3_600_000);
    // A fresh machine applies anew each time.
    await w.restart();
    await w.loseMachine();
    expect(await dueAfter()).toBeNull();
    w.emulator.setScenario({});
    await w.pass();
    expect(Object.values((await w.journal()).intents).map(({ discarded }) => discarded)).toEqual([true]);
  });

  it('an edit that waits for an approval holds up no deletion', async () => {
    const w = await world();
    await w.pass();
    w.emulator.clock.advance(3_600_000);
    await w.pass();
    await w.write({
      'prompts/tickets/user.hbs': 'Another: {{text}}\n',
      'jobs/tickets.yaml': `${tickets()['jobs/tickets.yaml']}budget: { approve_above_usd: 0 }\n`,
      'batchwright.yaml': `${tickets()['batchwright.yaml']}${PRICES}`,
    });
    const { rests } = await w.pass();
    expect(rests.map(({ reason }) => reason)).toEqual(['AwaitingApproval']);
    expect(Object.values((await w.journal()).intents).map(({ discarded }) => discarded)).toEqual([true]);
  });

  it('nothing is due once it is deleted', async () => {
    const w = await world();
    await w.finish();
    const { journal, repository, now } = await w.context();
    expect(
      nextLookAt(
        journal.state,
        [rest('idle')],
        repository.jobs.map((each) => each.job),
        now(),
      ),
    ).toBeNull();
  });

  it('a suspension ends at its time, the first of several, or never by itself', () => {
    const until = (day: string) => [job({ suspend: { reason: 'legal', until: day } })];
    expect(look([rest('suspended')], until('2027-02-01'))).toBe('2027-02-01T00:00:00.000Z');
    expect(look([rest('suspended'), rest('blocked', 'BudgetExceeded')], until('2027-02-01'))).toBe(
      '2027-01-01T00:00:00.000Z',
    );
    expect(look([rest('suspended')], [job({ suspend: { reason: 'legal', until: null } })])).toBeNull();
  });
});

describe('where inputs are read from', () => {
  it.each([
    [['data/a.csv'], ['data/a.csv']],
    [['./data/a.csv'], ['data/a.csv']],
    [
      ['data/*.csv', 'data/b/*.csv'],
      ['data', 'data/b'],
    ],
    [
      ['data/x/**/*.json', 'data/x/y.json'],
      ['data/x', 'data/x/y.json'],
    ],
    [['data/{a,b}.csv'], ['data']],
    [['*.csv'], null],
    [['../elsewhere/a.csv'], null],
    [['/mnt/a.csv'], null],
  ])('%j → %j', (files, expected) => {
    expect(inputPaths([{ input: { files } } as unknown as Job])).toEqual(expected);
  });
});
