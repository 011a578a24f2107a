import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runRetry } from '../../runner/commands/ask.ts';
import type { Common } from '../../runner/commands/common.ts';
import { runDiff } from '../../runner/commands/diff.ts';
import { runPlan } from '../../runner/commands/plan.ts';
import { runRebuild } from '../../runner/commands/rebuild.ts';
import { runReport } from '../../runner/commands/report.ts';
import { runResults } from '../../runner/commands/results.ts';
import { explained } from '../../runner/commands/run.ts';
import { runSql } from '../../runner/commands/sql.ts';
import { runStatus } from '../../runner/commands/status.ts';
import { runTrace } from '../../runner/commands/trace.ts';
import { runVerify } from '../../runner/commands/verify.ts';
import { askApproval, PRICES } from '../support/asks.ts';
import { DAMAGES, damage } from '../support/damage.ts';
import { copiesOf, documentOf, printed, storedFile } from '../support/reading.ts';
import { lines, repository, TICKETS, world } from '../support/world.ts';

/** Two runs of `tickets`, and one of `others`, all of them applied. */
const copy = copiesOf(async () => {
  const files = repository();
  const job = files['jobs/tickets.yaml'] ?? '';
  const w = await world({
    ...files,
    'batchwright.yaml': `${files['batchwright.yaml']}${PRICES}`,
    'jobs/others.yaml': job
      .replace('name: tickets', 'name: others')
      .replaceAll('tickets.jsonl', 'others.jsonl'),
    'data/others.jsonl': lines(TICKETS.map(({ id, text }) => ({ id, text: `Other: ${text}` }))),
  });
  await w.finish();
  await w.write({ 'data/tickets.jsonl': lines([...TICKETS.slice(1), { id: 'T-new', text: 'No bell' }]) });
  await askApproval(w);
  await w.finish();
  return w;
});

const QUERY = 'SELECT count(*) AS n FROM disposition';

type Verb = (common: Common, job: string) => Promise<number>;

/** All that look at one job. */
const OF_ONE: Readonly<Record<string, Verb>> = {
  results: (common, job) => runResults({ ...common, job, format: 'jsonl', limit: null, output: null }),
  sql: (common, job) => runSql({ ...common, job, query: QUERY }),
  trace: (common, job) => runTrace({ ...common, job, key: ['T-b'] }),
  diff: (common, job) => runDiff({ ...common, job, before: '1', after: job === 'tickets' ? '2' : '1' }),
};

/** And those of which `report` is one that tells the damage as the job's state. */
const OF_ALL: Readonly<Record<string, Verb>> = {
  status: (common) => runStatus({ ...common, jobs: [] }),
  plan: (common) => runPlan({ ...common, jobs: [], detailedExitcode: false, err: () => {} }),
};

/** As the command line ends it. */
async function ended(root: string, run: (common: Common) => Promise<number>) {
  try {
    return await printed(root, run);
  } catch (error) {
    return explained(error);
  }
}

interface Fleet {
  readonly jobs: readonly { readonly job: string; readonly phase: string; readonly conditions: unknown[] }[];
}

describe.each([true, false])('with its ledger: %s', (hasLedger) => {
  const cases = ['manifest', 'recipe', 'outcomes'].flatMap((file) =>
    DAMAGES.map((how) => [file, how] as const),
  );

  it.each(cases)('a %s file that is %s', async (file, how) => {
    const root = await copy();
    const path = await storedFile(root, 'tickets/runs/2', file);
    await damage(path, how);
    if (!hasLedger) await rm(join(root, 'state/tickets/ledger.duckdb'), { force: true });
    const name = path.slice(path.indexOf('tickets/runs/2'));
    for (const [verb, run] of Object.entries(OF_ONE)) {
      const { code, text } = await ended(root, (common) => run(common, 'tickets'));
      expect(text, verb).toContain(name);
      expect(text, verb).toMatch(/run 2: (its|an) .* (is missing|is cut|was changed): /);
      expect(text, verb).toContain('Bring it back from a backup of the state');
      expect(text, verb).not.toMatch(/mistake in itself|\n +at /);
      expect(code, verb).toBe(4);
      expect(await ended(root, (common) => run(common, 'others')), `${verb} of the other job`).toMatchObject({
        code: 0,
      });
    }
    const report = (job: string) => ended(root, (common) => runReport({ ...common, job }));
    expect(await report('tickets')).toMatchObject({ code: 4, text: expect.stringContaining(name) });
    expect(await report('others')).toMatchObject({
      code: 0,
      text: expect.stringContaining('8 of 8 applied'),
    });
    for (const [verb, run] of Object.entries(OF_ALL)) {
      const { code, text } = await ended(root, (common) => run(common, ''));
      expect(text, verb).not.toMatch(/mistake in itself|\n +at /);
      expect(text, verb).toContain(verb === 'status' ? 'run 2: ' : name);
      expect(text, verb).toContain(verb === 'plan' ? '1 job without a change' : 'others');
      expect(code, verb).toBe(4);
    }
  });
});

it('status --json has the damaged job as stalled, and the others as they are', async () => {
  const root = await copy();
  await damage(await storedFile(root, 'tickets/runs/2', 'outcomes'), 'missing');
  const { code, document } = await documentOf<Fleet>(root, (common) => runStatus({ ...common, jobs: [] }));
  expect(code).toBe(4);
  expect(document.jobs).toMatchObject([
    { job: 'others', phase: 'complete' },
    {
      job: 'tickets',
      phase: 'stalled',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'FilesDamaged' }),
      ]),
    },
  ]);
  const { code: ofOthers } = await ended(root, (common) => runStatus({ ...common, jobs: ['others'] }));
  expect(ofOthers).toBe(0);
});

it.each(DAMAGES)(
  'an older run whose outcomes are %s: no answer of it is shown, and none is written',
  async (how) => {
    const root = await copy();
    await damage(await storedFile(root, 'tickets/runs/1', 'outcomes'), how);
    for (const [verb, run] of Object.entries(OF_ONE)) {
      const { code, text } = await ended(root, (common) => run(common, 'tickets'));
      expect(text, verb).toContain('tickets/runs/1/outcomes-');
      expect(code, verb).toBe(4);
    }
  },
);

it.each(['manifest', 'recipe', 'outcomes'])(
  'a plan of a new run beside a damaged %s names the file, and plans the other job',
  async (file) => {
    const root = await copy();
    const path = await storedFile(root, 'tickets/runs/2', file);
    await damage(path, 'cut');
    for (const job of ['tickets', 'others'])
      await writeFile(join(root, `data/${job}.jsonl`), lines([...TICKETS, { id: 'T-2', text: 'Another' }]));
    const { code, text } = await ended(root, (common) =>
      runPlan({ ...common, jobs: [], detailedExitcode: false, err: () => {} }),
    );
    expect(text).toContain(path.slice(path.indexOf('tickets/runs/2')));
    expect(text).toContain('others, run 2');
    expect(code).toBe(4);
  },
);

it('a wish that needs the ledger is refused with the file, and not told to the journal', async () => {
  const root = await copy();
  await damage(await storedFile(root, 'tickets/runs/2', 'outcomes'), 'cut');
  await rm(join(root, 'state/tickets/ledger.duckdb'));
  const { code, text } = await ended(root, (common) => runRetry({ ...common, job: 'tickets', classes: [] }));
  expect(code).toBe(4);
  expect(text).toContain('tickets/runs/2/outcomes-');
});

it.each(['manifest', 'outcomes'])(
  'rebuild leaves the ledger whose %s is damaged, and makes the others',
  async (file) => {
    const root = await copy();
    await damage(await storedFile(root, 'tickets/runs/2', file), 'flipped');
    const { code, text } = await ended(root, (common) => runRebuild({ ...common, jobs: [] }));
    expect(code).toBe(4);
    expect(text).toMatch(
      /^others: \S+ made anew from the journal\n[\s\S]*tickets: not made anew, and the old ledger stays/,
    );
  },
);

it.each(DAMAGES)('verify names a raw file that is %s', async (how) => {
  const root = await copy();
  await damage(await storedFile(root, 'tickets/runs/1', 'raw'), how);
  const { code, text } = await ended(root, (common) => runVerify({ ...common, jobs: [] }));
  expect(text).toMatch(/tickets\/runs\/1\/raw-output-\S+ (is missing|has )/);
  expect(code).toBe(how === 'missing' ? 4 : 5);
});
