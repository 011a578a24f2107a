import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RehearseOptions, runRehearse } from '../../runner/commands/rehearse.ts';
import { runResults } from '../../runner/commands/results.ts';
import { type Effect, withEffects } from '../../runner/effects.ts';
import { damage } from '../support/damage.ts';
import { noRoom } from '../support/full-disk.ts';
import { printed } from '../support/reading.ts';
import { repo } from '../support/repo.ts';
import { repository } from '../support/world.ts';

const FILES = repository();
const JOB = FILES['jobs/tickets.yaml'] ?? '';
const TWO = { ...FILES, 'batchwright.yaml': 'apiVersion: batchwright/v1\n' };
const OTHER = { 'jobs/other.yaml': JOB.replace('name: tickets', 'name: other') };
const DEAR = {
  'jobs/dear.yaml': `${JOB.replace('name: tickets', 'name: dear')}budget: { per_run_usd: 0.000001 }\n`,
};
const BROKEN = { 'jobs/broken.yaml': 'apiVersion: batchwright/v1\nname: broken\nmodle: x\n' };

async function rehearsed(root: string, some: Partial<RehearseOptions> = {}) {
  let told = '';
  const err = (text: string) => {
    told += text;
    // What a person does who has seen enough.
    if (some.fresh && told.includes('frozen')) process.emit('SIGINT', 'SIGINT');
  };
  const options = { jobs: [], fresh: false, err, ...some };
  const { code, text } = await printed(root, (common) => runRehearse({ ...common, ...options }));
  return { code, text, told };
}

describe('rehearse', () => {
  it('counts and shows only what was named, names the next command, and then finds nothing to do', async () => {
    await using files = await repo({ ...TWO, ...OTHER });
    const first = await rehearsed(files.root, { jobs: ['tickets'] });
    expect(first).toMatchObject({ code: 0, told: expect.not.stringContaining('other') });
    expect(first.text).toContain('1 job rehearsed, 8 answers applied');
    expect(first.text).not.toContain('other');
    expect(first.text).not.toContain('batchwright reconcile');
    expect(first.text).toContain('Look closer: batchwright results tickets --rehearsal');
    const results = await printed(files.root, (common) =>
      runResults({ ...common, rehearsal: true, job: 'tickets', format: 'table', limit: null, output: null }),
    );
    expect(results.text).toContain('(8 rows)');
    const again = await rehearsed(files.root, { jobs: ['tickets'] });
    expect(again.text).toContain('Nothing to do: every job is as git asks for.');
    expect(again.text).toContain('batchwright rehearse tickets --fresh');
  });

  it('a job that a budget holds back is not "nothing to do"', async () => {
    await using files = await repo({ ...TWO, ...DEAR });
    const { code, text } = await rehearsed(files.root, { jobs: ['dear'] });
    expect(code).toBe(0);
    expect(text).toContain('No job is finished; see below why.');
    expect(text).toMatch(/held back: .*budget/);
  });

  it('a disk that takes no results ends it in words, and the next one goes on', async () => {
    await using files = await repo({ ...TWO, ...OTHER });
    const isFull = ({ name, target }: Effect) => {
      if (name === 'store.put' && target.startsWith('tickets/runs/1/raw-')) throw noRoom();
    };
    const full = await withEffects(isFull, () => rehearsed(files.root));
    expect(full.code).toBe(1);
    expect(full.told).toContain('error: tickets: There is no room left on the disk: ENOSPC');
    expect(full.told).not.toContain('error: other');
    expect(full.text).toContain('Make room');
    const after = await rehearsed(files.root);
    expect(after).toMatchObject({ code: 0, text: expect.stringContaining('2 jobs rehearsed') });
  });

  it('a damaged file holds its own job back and gives 4', async () => {
    await using files = await repo({ ...TWO, ...OTHER });
    await rehearsed(files.root);
    const folder = join(files.root, 'rehearsal/state/tickets/runs/1');
    const [manifest = ''] = (await readdir(folder)).filter((name) => name.startsWith('manifest-'));
    await damage(join(folder, manifest), 'flipped');
    const { code, text } = await rehearsed(files.root);
    expect(code).toBe(4);
    expect(text).toContain(manifest);
    expect(text).toMatch(/other +complete/);
  });

  it('a broken file does not keep the others from being rehearsed', async () => {
    await using files = await repo({ ...TWO, ...BROKEN });
    const { code, text, told } = await rehearsed(files.root);
    expect(code).toBe(1);
    expect(told).toContain('error[unknown-field]');
    expect(text).toContain('1 job rehearsed, 8 answers applied');
    expect(text).toContain('not a job  jobs/broken.yaml');
  });

  it('says after Ctrl-C that nothing is lost, and the same command goes on', async () => {
    await using files = await repo(TWO);
    const stopped = await rehearsed(files.root, { jobs: ['tickets'], fresh: true });
    expect(stopped.code).toBe(130);
    expect(stopped.text).toContain(
      'Interrupted. No batch was cancelled and nothing is lost; the same command goes on: batchwright rehearse tickets\n',
    );
    const { code, text } = await rehearsed(files.root, { jobs: ['tickets'] });
    expect(code).toBe(0);
    expect(text).toContain('1 job rehearsed, 8 answers applied');
  });
});
