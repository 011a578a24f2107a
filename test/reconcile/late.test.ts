import { describe, expect, it } from 'vitest';
import { runCancel, runRerun, runRetry } from '../../runner/commands/ask.ts';
import { UserError } from '../../runner/errors.ts';
import type { JobReport } from '../../runner/report/report.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const HOUR = 3_600_000;
const APPLIED = { applied: TICKETS.length };

/** One batch that never leaves its state, and whatever follows it is well. */
const STUCK = { rules: [{ on: 'create' as const, nth: 1, do: { stuck: 'validating' as const } }] };

async function afterHours(w: World, hours: number): Promise<JobReport> {
  await w.pass();
  w.emulator.clock.advance(hours * HOUR);
  await w.pass();
  return w.report();
}

describe('a batch that does not end', () => {
  it('is waited for, and named with the command that a person may give (B046)', async () => {
    const w = await world(repository(), STUCK);
    const report = await afterHours(w, 31);
    expect(report.waits).toMatchObject([{ command: 'batchwright cancel tickets' }]);
    expect(report.run?.books.dispositions).toEqual({ in_flight: 8 });
  });

  it('is not named before its time', async () => {
    const w = await world(repository(), STUCK);
    expect((await afterHours(w, 29)).waits).toEqual([]);
  });

  it('is cancelled where the job says so, and its rows go again only after its end', async () => {
    const w = await world(repository('sla: { class: offline, on_stuck: cancel_and_resubmit }\n'), STUCK);
    await afterHours(w, 31);
    const states = async () =>
      Object.values((await w.journal()).intents).map(({ phase, batch, cancel }) => [
        phase,
        batch?.state,
        cancel?.why,
      ]);
    expect(await states()).toEqual([['live', 'cancelling', 'stuck']]);
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual(APPLIED);
    expect((await states())[0]).toEqual(['settled', 'cancelled', 'stuck']);
  });

  it('is cancelled at the deadline where the job says so, once', async () => {
    const w = await world(
      repository('sla: { class: offline, deadline: 3h, on_deadline: cancel_and_resubmit }\n'),
      STUCK,
    );
    await afterHours(w, 4);
    expect(Object.values((await w.journal()).intents).map(({ cancel }) => cancel?.why)).toEqual(['deadline']);
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books.dispositions).toEqual(APPLIED);
    expect(Object.values((await w.journal()).intents)).toHaveLength(2);
  });
});

const said = () => {
  const texts: string[] = [];
  return { texts, out: (text: string) => void texts.push(text) };
};

describe('what a person asks for', () => {
  // A wish is told by a process of its own, which has the wall's clock; the passes have the emulator's.
  const common = (w: World, out: (text: string) => void) => ({
    root: w.root,
    json: false,
    color: false,
    out,
  });

  it('cancel ends the batches, keeps what they did, and sends nothing again by itself', async () => {
    const w = await world(repository(), STUCK);
    await w.pass();
    const { texts, out } = said();
    process.env.TEST_KEY = 'key';
    await runCancel({ ...common(w, out), job: 'tickets' });
    expect(texts.join('')).toContain('1 batch is asked to end');
    await w.restart();
    const { jobs } = await w.finish();
    expect(jobs[0]).toMatchObject({ phase: 'stalled', run: { books: { dispositions: { waiting: 8 } } } });
    expect(await w.paid()).toEqual([]);
  });

  it('retry gives failed rows another round, within fresh limits', async () => {
    const w = await world(repository('retry: { max_attempts: 1 }\n'), {
      rules: [{ on: 'line', batch: 1, line: [1, 2], do: { status: 500 } }],
    });
    await w.finish();
    expect((await w.report()).run?.books.dispositions).toEqual({ applied: 6, failed: 2 });
    await runRetry({ ...common(w, said().out), job: 'tickets', classes: ['provider_error'] });
    await w.restart();
    expect((await w.plan()).map((action) => action.kind)).toEqual(['submit']);
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books).toMatchObject({ dispositions: APPLIED, attempts: 10 });
    expect(await w.paid()).toHaveLength(8);
  });

  it('retry refuses what would only be paid for again', async () => {
    const w = await world();
    await w.finish();
    await expect(
      runRetry({ ...common(w, said().out), job: 'tickets', classes: ['refused'] }),
    ).rejects.toThrow(UserError);
    await expect(
      runRetry({ ...common(w, said().out), job: 'tickets', classes: ['nonsense'] }),
    ).rejects.toThrow('no outcome class');
  });

  it('rerun reads the source again and buys nothing twice', async () => {
    const files = repository();
    const job = (files['jobs/tickets.yaml'] as string).replace('key: id }', 'key: id, refresh: manual }');
    const w = await world({ ...files, 'jobs/tickets.yaml': job });
    await w.finish();
    await w.write({ 'data/tickets.jsonl': `${files['data/tickets.jsonl']}{"id":"T-z","text":"new"}\n` });
    expect(await w.plan()).toEqual([]);
    await runRerun({ ...common(w, said().out), job: 'tickets', reason: 'monthly' });
    await w.restart();
    const { jobs } = await w.finish();
    expect(jobs[0]?.run).toMatchObject({ run: 2, books: { dispositions: { reused: 8, applied: 1 } } });
    expect(jobs[0]?.run?.reason).toContain('monthly');
    expect(await w.paid()).toHaveLength(9);
    expect(await w.plan()).toEqual([]);
  });
});
