import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runApprove } from '../../runner/commands/approve.ts';
import { runPlan } from '../../runner/commands/plan.ts';
import { runValidate } from '../../runner/commands/validate.ts';
import { printed } from '../support/reading.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const ABOVE = 'budget: { approve_above_usd: 0.000001 }\n';

async function approved(w: World, some: { ceiling?: string; expires?: string } = {}) {
  await w.restart();
  const options = { job: 'tickets', ceiling: some.ceiling ?? null, expires: some.expires ?? null };
  return printed(w.root, (common) => runApprove({ ...common, ...options }));
}

const approval = (w: World) => readFile(join(w.root, 'approvals/tickets.yaml'), 'utf8');

async function held(w: World) {
  const { rests } = await w.pass();
  return rests.find((rest) => rest.reason === 'AwaitingApproval') ?? null;
}

describe('a run above the threshold', () => {
  it('waits for a person, and goes ahead within what the merged file says', async () => {
    const w = await world(repository(ABOVE));
    expect(await held(w)).toMatchObject({
      kind: 'blocked',
      next: expect.stringContaining('batchwright approve tickets'),
    });
    expect(await w.paid()).toEqual([]);
    const { code, text } = await approved(w);
    expect(code).toBe(0);
    expect(text).toContain('wrote approvals/tickets.yaml: generation 1, 8 requests, at most $0.01');
    expect((await printed(w.root, (common) => runValidate(common))).code).toBe(0);
    await w.finish();
    expect(await w.paid()).toHaveLength(8);
    expect((await w.report()).run?.run).toBe(1);
  });

  it('is not covered by the approval of another version, and says which part differs', async () => {
    const w = await world(repository(ABOVE));
    await approved(w);
    await w.write({ 'prompts/tickets/user.hbs': 'Which part of the bicycle: {{text}}\n' });
    expect((await held(w))?.message).toContain('the approval is for another prompt');
    expect(await w.paid()).toEqual([]);
  });

  it('is not covered after the last day, nor above the ceiling', async () => {
    const w = await world(repository(ABOVE));
    await approved(w);
    const text = await approval(w);
    await w.write({ 'approvals/tickets.yaml': text.replace(/expires: .*/, 'expires: 2020-01-31') });
    expect((await held(w))?.message).toContain('the approval ended on 2020-01-31');
    await w.write({ 'approvals/tickets.yaml': text.replace(/ceiling_usd: .*/, 'ceiling_usd: 0.00001') });
    expect((await held(w))?.message).toMatch(
      /the approval allows \$0\.00, the runs of this generation may cost/,
    );
    await w.write({ 'approvals/tickets.yaml': text.replace(/max_requests: .*/, 'max_requests: 7') });
    expect((await held(w))?.message).toContain('allows 7 requests, the run would send 8');
    expect(await w.paid()).toEqual([]);
  });

  it('is not covered by a file that is broken or of another job', async () => {
    const w = await world(repository(ABOVE));
    await approved(w);
    const text = await approval(w);
    for (const broken of [
      text.replace('job: tickets', 'job: other'),
      text.replace(/ceiling_usd: .*/, 'ceiling_usd: lots'),
      `${text}ceilling: 3\n`,
    ]) {
      await w.write({ 'approvals/tickets.yaml': broken });
      expect(await held(w)).not.toBeNull();
      expect((await printed(w.root, (common) => runValidate(common))).code).toBe(1);
    }
    expect(await w.paid()).toEqual([]);
  });

  it('counts what earlier runs of the generation have spent', async () => {
    const w = await world(repository('budget: { approve_above_usd: 0.000001 }\n', TICKETS.slice(0, 2)));
    await approved(w, { ceiling: '0.5', expires: '2030-01-01' });
    await w.finish();
    const text = await approval(w);
    expect(text).toContain('ceiling_usd: 0.5');
    expect(text).toContain('expires: 2030-01-01');
    expect(await w.paid()).toHaveLength(2);
  });
});

describe('approve', () => {
  it('writes nothing where there is nothing to approve, or less than the run may cost', async () => {
    const w = await world(repository(ABOVE));
    await expect(approved(w, { ceiling: '0.000001' })).rejects.toThrow(/does not cover the run/);
    await expect(approved(w, { expires: '2020-02-31' })).rejects.toThrow(/not a day from today on/);
    await approved(w);
    await w.finish();
    await expect(approved(w)).rejects.toThrow(/needs no new run/);
  });
});

describe('the limits that a pull request is judged by', () => {
  it('are those of the base branch, whatever the request writes into the settings', async () => {
    const base = await world(repository('', TICKETS));
    const settings = await readFile(join(base.root, 'batchwright.yaml'), 'utf8');
    await base.write({ 'batchwright.yaml': `${settings}budgets: { approve_above_usd: 0.000001 }\n` });
    const head = await world(repository('', TICKETS));
    await head.write({ 'batchwright.yaml': `${settings}budgets: { approve_above_usd: 1000 }\n` });
    await head.restart();
    const plan = (policyRoot: string | null) =>
      printed(head.root, (common) => runPlan({ ...common, jobs: [], detailedExitcode: false, policyRoot }));
    expect((await plan(null)).text).not.toContain('AwaitingApproval');
    expect((await plan(base.root)).text).toContain('a person has to agree');
  });
});
