import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PlanOptions, runPlan } from '../../runner/commands/plan.ts';
import { testFolder } from '../support/folder.ts';
import { copiesOf, documentOf, printed } from '../support/reading.ts';
import { lines, repository, TICKETS, type World, world } from '../support/world.ts';

const BROKEN = { 'jobs/broken.yaml': 'apiVersion: batchwright/v1\nname: broken\nmodle: x\n' };

interface Planned {
  readonly summary: {
    readonly requests: number;
    readonly estimated_usd: number;
    readonly ceiling_usd: number;
  };
  readonly actions: readonly { readonly kind: string; readonly estimated_usd?: number }[];
  readonly broken: readonly { readonly file: string }[];
  readonly stamp: { readonly digest: string };
}

async function planned(root: string, some: Partial<PlanOptions> = {}) {
  let told = '';
  const err = (text: string) => {
    told += text;
  };
  const options = { jobs: [], detailedExitcode: false, err, ...some };
  const { code, text } = await printed(root, (common) => runPlan({ ...common, ...options }));
  return { code, text, told };
}

const documentAt = (root: string) =>
  documentOf<Planned>(root, (common) =>
    runPlan({ ...common, jobs: [], detailedExitcode: false, err: () => {} }),
  );

async function kept(w: World): Promise<World> {
  await w.restart();
  return w;
}

const fresh = copiesOf(async () => world());

describe('plan', () => {
  it('goes on with the other jobs where a file is broken, says so, and ends with 1', async () => {
    const w = await kept(await world({ ...repository(), ...BROKEN }));
    const { code, text, told } = await planned(w.root);
    expect(code).toBe(1);
    expect(told).toContain('jobs/broken.yaml:3:1 error[unknown-field]');
    expect(text).toContain('Plan: 1 new run, 0 blocked · 8 requests');
    expect(text).toContain('Not planned jobs/broken.yaml: ');
    const { code: again, document } = await documentAt(w.root);
    expect(again).toBe(1);
    expect(document).toMatchObject({ summary: { requests: 8 }, broken: [{ file: 'jobs/broken.yaml' }] });
  });

  it('B015: tells every bad row with its place once, and what to do', async () => {
    const rows = `${lines(TICKETS)}no JSON\n${lines(TICKETS.slice(0, 1))}`;
    const w = await kept(await world({ ...repository(), 'data/tickets.jsonl': rows }));
    const { text } = await planned(w.root);
    expect(text).toContain(
      [
        'Blocked tickets (InputUnusable)',
        '  2 of 10 rows cannot be used: 1 duplicate-key, 1 row-not-json',
        '  data/tickets.jsonl line 9: is not valid JSON',
        '  data/tickets.jsonl line 10: has the key "T-a", which data/tickets.jsonl line 1 has already',
        '  → Correct them, or set `input.on_bad_row: set_aside` to leave such rows out of the run.',
      ].join('\n'),
    );
  });

  it('names the command for what was selected, in a rehearsal the one of the rehearsal', async () => {
    const root = await fresh();
    expect((await planned(root)).text).toContain('To carry it out: batchwright reconcile\n');
    const selected = { jobs: ['tickets'] };
    expect((await planned(root, selected)).text).toContain('batchwright reconcile tickets\n');
    expect((await planned(root, { ...selected, rehearsal: true })).text).toContain(
      'batchwright rehearse tickets\n',
    );
  });

  it('counts requests and money of a frozen run that goes on', async () => {
    const w = await world(repository(), {
      rules: [{ on: 'upload', do: { status: 400 } }],
    });
    const { summary: before } = (await documentAt(w.root)).document;
    await w.pass();
    const { summary, actions } = (await documentAt((await kept(w)).root)).document;
    expect(actions).toMatchObject([{ kind: 'submit', items: 8, estimated_usd: before.estimated_usd }]);
    expect(summary).toEqual({ ...before, new_runs: 0 });
    expect((await planned(w.root)).text).toMatch(/send, run 1 +not sent yet +8 {2}\$[\d.]+ → \$[\d.]+\n/);
  });

  it('has another digest where something is held back than where nothing is to do', async () => {
    const w = await world(repository());
    await w.finish();
    const idle = (await documentAt((await kept(w)).root)).document.stamp.digest;
    await w.write({
      'jobs/tickets.yaml': (repository()['jobs/tickets.yaml'] ?? '').replace(
        'data/tickets.jsonl',
        'data/gone.jsonl',
      ),
    });
    const { document } = await documentAt(w.root);
    expect(document).toMatchObject({ actions: [], rests: [{ kind: 'blocked', reason: 'InputUnreadable' }] });
    expect(document.stamp.digest).not.toBe(idle);
  });

  it('shows no prompt where nothing is sent', async () => {
    const w = await world(repository());
    await w.finish();
    await w.write({
      'data/tickets.jsonl': TICKETS.toReversed()
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    });
    const { text } = await planned((await kept(w)).root);
    expect(text).toContain('tickets, run 2: nothing is sent, 8 answers reused\n');
    expect(text).not.toContain('│');
  });

  it('plans a commit that may not act as if it could, says so, and writes the comment', async () => {
    const files = repository();
    const settings = `${files['batchwright.yaml']}branch: release\n`;
    const w = await kept(await world({ ...files, ...BROKEN, 'batchwright.yaml': settings }));
    const comment = join(await testFolder(), 'comment.md');
    const { text, told } = await planned(w.root, { comment });
    expect(text).toContain('Plan: 1 new run, 0 blocked · 8 requests');
    expect(told).toContain('Planned as if it could act: the settings let only branch release act');
    const written = await readFile(comment, 'utf8');
    expect(written).toMatch(/^<!-- batchwright plan -->\n\n\*\*Mistakes in files/);
    expect(written).toContain('jobs/broken.yaml:3:1 error[unknown-field]');
    expect(written).toContain('Plan: 1 new run, 0 blocked · 8 requests');
  });
});
