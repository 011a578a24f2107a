import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runLost } from '../../runner/commands/lost.ts';
import { jobMarkdown } from '../../runner/report/markdown.ts';
import { statusTerminal } from '../../runner/report/terminal.ts';
import { repository, TICKETS, type World, world } from '../support/world.ts';

const HOUR = 3_600_000;
const APPLIED = { applied: TICKETS.length };

/** A batch that runs and ends, and that the provider says it does not have for three days. */
const UNSEEN = { rules: [{ on: 'create' as const, nth: 1, do: { not_found_ms: 72 * HOUR } }] };
const HIDDEN = {
  rules: [{ on: 'create' as const, nth: 1, do: { not_found_ms: 72 * HOUR, hide_in_list_ms: 72 * HOUR } }],
};

async function hours(w: World, count: number): Promise<void> {
  w.emulator.clock.advance(count * HOUR);
  await w.pass();
}

const giveUp = (w: World, id: string) => {
  process.env.TEST_KEY = 'key';
  const texts: string[] = [];
  const options = { root: w.root, json: false, color: false, job: 'tickets', id };
  return runLost({ ...options, out: (text) => void texts.push(text) }).then(() => texts.join(''));
};

const only = async (w: World) => Object.values((await w.journal()).intents)[0];

describe('B045: a batch that is answered with 404 for days', () => {
  it('stays in flight, and stands in the report with since when and what a person can do', async () => {
    const w = await world(repository(), UNSEEN);
    await w.pass();
    await hours(w, 2);
    await hours(w, 20);
    const intent = await only(w);
    const report = await w.report();
    expect(report.run?.books.dispositions).toEqual({ in_flight: 8 });
    expect(report.waits).toMatchObject([
      {
        what: expect.stringContaining(intent?.batch?.id ?? '-'),
        command: `batchwright cancel tickets --lost ${intent?.batch?.id}`,
      },
    ]);
    const status = statusTerminal({ jobs: [report], broken: [] }, { color: false });
    expect(status).toContain('"not found" since');
    expect(status).toContain(`--lost ${intent?.batch?.id}`);
    expect(jobMarkdown(report)).toContain(`batchwright cancel tickets --lost ${intent?.batch?.id}`);
  });

  it('is collected when it shows itself again', async () => {
    const w = await world(repository(), UNSEEN);
    await w.pass();
    await hours(w, 2);
    await hours(w, 75);
    await w.finish();
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
    expect((await w.report()).waits).toEqual([]);
    expect(await w.paid()).toHaveLength(8);
  });

  it('is sent again only when a person gives it up, and what it may have cost stays reserved', async () => {
    const w = await world(repository(), HIDDEN);
    await w.pass();
    await hours(w, 20);
    const reserved = (await only(w))?.reservedUsd ?? 0;
    expect(reserved).toBeGreaterThan(0);
    expect(await giveUp(w, (await only(w))?.batch?.id ?? '')).toContain('count as spent');
    await w.restart();
    await w.finish();
    const report = await w.report();
    expect(report.run?.books.dispositions).toEqual(APPLIED);
    expect(report.run?.money.reservedUsd).toBeCloseTo(reserved);
    expect(report.run?.money.unknownCost).toBe(8);
  });

  it('and if it turns up after that, its lines are kept and counted', async () => {
    const w = await world(repository(), HIDDEN);
    await w.pass();
    await hours(w, 50);
    await giveUp(w, (await only(w))?.batch?.id ?? '');
    await w.restart();
    await w.finish();
    w.emulator.clock.advance(26 * HOUR);
    await w.finish();
    const settled = Object.values((await w.journal()).intents).map(({ settled }) => settled?.summary.counts);
    expect(settled).toEqual([{ missing: 8 }, { ok: 8 }, { duplicate: 8 }]);
    expect((await w.report()).run?.books.dispositions).toEqual(APPLIED);
  });

  it('cannot be given up while it shows itself', async () => {
    const w = await world(repository(), { rules: [{ on: 'create', nth: 1, do: { stuck: 'in_progress' } }] });
    await w.pass();
    await hours(w, 2);
    await expect(giveUp(w, (await only(w))?.batch?.id ?? '')).rejects.toThrow('showed it at the last look');
    await expect(giveUp(w, 'batch_other')).rejects.toThrow('no open batch');
  });

  it('nor for a day after it was seen to end: its results may be had by the next pass', async () => {
    const w = await world(repository(), { rules: [{ on: 'download', first: 30, do: { status: 503 } }] });
    await w.pass();
    await hours(w, 1);
    await w.pass();
    const id = (await only(w))?.batch?.id ?? '';
    expect((await only(w))?.phase).toBe('ended');
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ now: w.emulator.clock.now(), toFake: ['Date'] });
    await expect(giveUp(w, id)).rejects.toThrow('it has ended, and its results are tried again in each pass');
    vi.setSystemTime(w.emulator.clock.now() + 26 * HOUR);
    expect(await giveUp(w, id)).toContain('is given up');
  });
});

describe('an intent whose batch nobody finds', () => {
  it('B039: names since when, what settles it, and the command', async () => {
    const w = await world(repository(), { rules: [{ on: 'create', nth: 1, do: { reset: true } }] });
    await w.pass();
    const intent = await only(w);
    const [wait] = (await w.report()).waits;
    expect(wait?.waitsFor).toContain(`the tag ${intent?.intent}`);
    expect(wait?.command).toBe(`batchwright cancel tickets --lost ${intent?.intent}`);
    expect(wait?.until).not.toBeNull();
  });
});
