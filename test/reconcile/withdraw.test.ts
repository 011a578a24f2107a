import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../runner/emulator/scenario.ts';
import { askCancel } from '../support/asks.ts';
import { commitFiles, git, initRepository } from '../support/git.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const JOB = 'jobs/tickets.yaml';
const ALL = TICKETS.length;
const MINUTE = 60_000;

const files = repository();
const job = files[JOB] as string;

/** Jobs that are there and ask for nothing. */
function others(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, at) => `other-${at}`);
  return Object.fromEntries(
    names.map((name) => [
      `jobs/${name}.yaml`,
      `${job.replace('name: tickets', `name: ${name}`)}suspend: rests\n`,
    ]),
  );
}

/** A batch that does not end by itself, of a job in a git repository with three others. */
async function inFlight(
  changes: Record<string, string> = {},
  rules: readonly Rule[] = STUCK,
): Promise<World> {
  const w = await world({ ...files, ...others(3), '.gitignore': '/state/\n/out/\n', ...changes }, { rules });
  await initRepository(w.root);
  await commitFiles(w.root, {});
  await w.restart();
  await w.pass();
  expect(await phase(w)).toBe('live');
  return w;
}

const STUCK: readonly Rule[] = [{ on: 'create', nth: 1, do: { stuck: 'validating' } }];

async function deleteJob(w: World, name = 'tickets'): Promise<void> {
  await rm(join(w.root, `jobs/${name}.yaml`));
  await commitFiles(w.root, {});
}

async function anotherCommit(w: World): Promise<void> {
  await commitFiles(w.root, { 'README.md': `At ${w.emulator.clock.now()}\n` });
}

/** After so many minutes, one pass. */
async function passIn(w: World, minutes: number) {
  w.emulator.clock.advance(minutes * MINUTE);
  return w.pass();
}

async function firstIntent(w: World) {
  return Object.values((await w.journal()).intents)[0];
}

async function phase(w: World) {
  return (await firstIntent(w))?.phase;
}

async function planned(w: World): Promise<string[]> {
  return (await w.plan()).map((action) => `${action.kind} ${action.job}`);
}

describe('a job that is deleted while its batch is under way', () => {
  it('is given up after an hour and another commit, and what it has is kept', async () => {
    const w = await inFlight();
    await deleteJob(w);
    expect(await planned(w)).toEqual(['withdraw tickets']);
    await w.pass();
    expect(await planned(w), 'the tombstone is set once').toEqual([]);

    await passIn(w, 59);
    await anotherCommit(w);
    const { rests } = await w.pass();
    expect((await firstIntent(w))?.cancel, 'another commit, but not an hour').toBeNull();
    expect(rests).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ job: 'tickets', reason: 'Withdrawn', kind: 'waiting' }),
      ]),
    );

    w.emulator.clock.advance(2 * MINUTE);
    expect(await planned(w)).toEqual(['cancel tickets']);
    await w.finish();
    expect(await firstIntent(w)).toMatchObject({ cancel: { why: 'withdrawn' }, phase: 'settled' });
    expect(await w.paid()).toEqual([]);
    expect(await w.plan()).toEqual([]);
  });

  it('is not given up by the commit that lacked it first, however long ago', async () => {
    const w = await inFlight();
    await deleteJob(w);
    await w.pass();
    const { rests } = await passIn(w, 600);
    expect((await firstIntent(w))?.cancel).toBeNull();
    expect(rests.find((rest) => rest.job === 'tickets')?.message).toContain('another commit');
  });

  it('goes on being collected until then', async () => {
    const w = await inFlight({}, []);
    await deleteJob(w);
    await w.finish();
    expect(await phase(w)).toBe('settled');
    expect(await w.paid()).toHaveLength(ALL);
    await anotherCommit(w);
    await passIn(w, 120);
    expect((await firstIntent(w))?.cancel).toBeNull();
    await commitFiles(w.root, { [JOB]: job.replaceAll('EMULATOR', w.emulator.url) });
    await w.finish();
    expect(await w.rows(), 'its answers are there when it comes back').toHaveLength(ALL);
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('that comes back within the hour goes on as if nothing had been', async () => {
    const w = await inFlight({}, []);
    const before = await w.journal();
    await deleteJob(w);
    await w.pass();
    expect((await w.journal()).jobs['tickets' as never]).toMatchObject({ withdrawn: expect.anything() });
    await commitFiles(w.root, { [JOB]: job });
    expect(await planned(w)).toContain('restore tickets');
    await passIn(w, 600);
    await w.finish();
    expect((await w.journal()).jobs['tickets' as never]).toMatchObject({ withdrawn: null });
    expect(Object.keys((await w.journal()).intents)).toEqual(Object.keys(before.intents));
    expect(await w.rows()).toHaveLength(ALL);
    expect(await w.plan()).toEqual([]);
  });

  it('that comes back when it was given up is sent again', async () => {
    const w = await inFlight();
    await deleteJob(w);
    await w.pass();
    await anotherCommit(w);
    await passIn(w, 61);
    await w.finish();
    await commitFiles(w.root, { [JOB]: job });
    await w.finish();
    expect(Object.values((await w.journal()).intents).map(({ count }) => count)).toEqual([ALL, ALL]);
    expect(await w.rows()).toHaveLength(ALL);
    expect(await w.paid()).toHaveLength(ALL);
  });

  it('and named again under moved_from is no deletion', async () => {
    const w = await inFlight({}, []);
    await rm(join(w.root, JOB));
    await commitFiles(w.root, {
      'jobs/labels.yaml': job.replace('name: tickets', 'name: labels\nmoved_from: tickets'),
    });
    await anotherCommit(w);
    await passIn(w, 120);
    await w.finish();
    expect((await firstIntent(w))?.cancel).toBeNull();
    expect(await w.rows('out/labels.parquet')).toHaveLength(ALL);
  });
});

describe('nothing is given up, and the plan says why', () => {
  /** The deletion, looked at twice: at two commits, two hours apart. */
  async function reasonFor(w: World): Promise<string> {
    await w.pass();
    await anotherCommit(w);
    const { rests } = await passIn(w, 120);
    expect((await firstIntent(w))?.cancel).toBeNull();
    expect(await phase(w), 'it is still looked at').toBe('live');
    return rests.find((rest) => rest.job === 'tickets')?.message ?? '';
  }

  it('where over 30 % of the jobs are gone at once', async () => {
    const w = await inFlight();
    await rm(join(w.root, 'jobs/other-0.yaml'));
    await rm(join(w.root, 'jobs/other-1.yaml'));
    await deleteJob(w);
    expect(await reasonFor(w)).toContain('1 of 2 jobs are gone at once, more than 30 %');
  });

  it('where no job is left', async () => {
    const w = await inFlight();
    await rm(join(w.root, 'jobs'), { recursive: true });
    await commitFiles(w.root, {});
    expect(await reasonFor(w)).toContain('no job at all is left');
  });

  it('while a job file cannot be read', async () => {
    const w = await inFlight();
    await deleteJob(w);
    await commitFiles(w.root, { 'jobs/other-0.yaml': 'name: [\n' });
    expect(await reasonFor(w)).toContain('jobs/other-0.yaml cannot be read');
  });

  it('where the deletion is in no commit', async () => {
    const w = await inFlight();
    await rm(join(w.root, JOB));
    await w.pass();
    const { rests } = await passIn(w, 120);
    expect(rests.find((rest) => rest.job === 'tickets')?.message).toContain('no commit holds');
    expect((await firstIntent(w))?.cancel).toBeNull();
  });

  it('where there is no git', async () => {
    const w = await world({ ...files, ...others(3) }, { rules: STUCK });
    await w.pass();
    await rm(join(w.root, JOB));
    await w.pass();
    const { rests } = await passIn(w, 120);
    expect(rests.find((rest) => rest.job === 'tickets')?.message).toContain('git does not say');
    expect((await firstIntent(w))?.cancel).toBeNull();
  });

  it('at a commit that is not the tip of the branch', async () => {
    const w = await inFlight({ 'batchwright.yaml': `${files['batchwright.yaml']}branch: main\n` });
    await git(w.root, 'checkout', '--quiet', '-b', 'work');
    await deleteJob(w);
    await w.pass();
    await anotherCommit(w);
    await passIn(w, 120);
    const state = await w.journal();
    expect(state.jobs['tickets' as never]).toMatchObject({ withdrawn: null });
    expect(Object.values(state.intents)[0]).toMatchObject({ cancel: null, phase: 'live' });
  });

  it('until a person says so', async () => {
    const w = await world({ ...files }, { rules: STUCK });
    await w.pass();
    await rm(join(w.root, JOB));
    await w.pass();
    await askCancel(w);
    await w.finish();
    expect(await firstIntent(w)).toMatchObject({ cancel: { why: 'person' }, phase: 'settled' });
  });
});
