import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Instant, instantOf, later } from '../../runner/ids.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { type Journal, openJournal } from '../../runner/journal/journal.ts';
import { newMemory } from '../../runner/reconcile/memory.ts';
import { reconcileOnce } from '../../runner/reconcile/pass.ts';
import { localStore } from '../../runner/store/local.ts';
import { killedAt } from '../support/kill.ts';
import { lines, repository, TICKETS, type World, world } from '../support/world.ts';

const LIVE = 'canary: { items: 3, min_valid: 0.9, via: live }\n';

function files(more = LIVE): Record<string, string> {
  const base = repository(more);
  const job = (base['jobs/tickets.yaml'] as string).replace('canary: false\n', '');
  return { ...base, 'jobs/tickets.yaml': job };
}

async function intentsIn(w: World) {
  return Object.values((await w.journal()).intents);
}

/** Another writer, on another machine. */
async function giveUpBy(w: World, event: JournalEvent): Promise<void> {
  const other = openJournal(localStore(join(w.root, 'state')), {
    writer: 'other',
    commit: null,
    now: () => instantOf(w.emulator.clock.now()),
    nonce: () => 'another',
  });
  await other.refresh();
  await other.append([event]);
}

const asksOf = async (w: World) => (await w.paid()).filter(({ batch }) => batch === 'none');

describe('a canary that is asked at once', () => {
  it('is answered in the pass that sends it, and its answers are applied like any', async () => {
    const w = await world(files());
    await w.pass();
    expect((await intentsIn(w)).map(({ kind, count, via, phase }) => ({ kind, count, via, phase }))).toEqual([
      { kind: 'canary', count: 3, via: 'live', phase: 'collected' },
    ]);
    expect(await asksOf(w)).toHaveLength(3);
    const { jobs } = await w.finish();
    expect(jobs[0]?.run).toMatchObject({
      books: { balanced: true, dispositions: { applied: 8 } },
      canary: { items: 3, ok: 3, judged: true, passed: true },
    });
    expect((await w.rows()).map(({ id }) => id)).toEqual(TICKETS.map(({ id }) => id));
    expect(await w.paid()).toHaveLength(8);
    expect((await intentsIn(w)).map(({ kind, count, via }) => ({ kind, count, via }))).toEqual([
      { kind: 'canary', count: 3, via: 'live' },
      { kind: 'first', count: 5, via: undefined },
    ]);
  });

  it('costs the synchronous price: what it reserves, what it settles, and what the plan says', async () => {
    const live = await world(files());
    const byBatch = await world(files('canary: { items: 3, min_valid: 0.9 }\n'));
    for (const w of [live, byBatch]) await w.finish();
    const [[atOnce], [inBatch]] = [await intentsIn(live), await intentsIn(byBatch)];
    expect(atOnce?.reservedUsd).toBeCloseTo((inBatch?.reservedUsd ?? 0) * 2, 12);
    expect(atOnce?.settled?.usd).toBeCloseTo((inBatch?.settled?.usd ?? 0) * 2, 12);
    const estimates = [live, byBatch].map(
      async (w) => (await w.report()).run?.money.estimate.ceilingUsd ?? 0,
    );
    const [dear = 0, cheap = 0] = await Promise.all(estimates);
    expect(dear).toBeCloseTo(cheap * (1 + 3 / 8), 12);
  });

  it('shows a wrong model name at once, and nothing else is sent', async () => {
    const w = await world(files(), { limits: { models: ['gpt-4o'] } });
    await w.pass();
    await w.pass();
    const report = await w.report();
    expect(report.phase).toBe('stalled');
    expect(report.run?.needs[0]).toMatchObject({ class: 'invalid_request', rows: 3 });
    expect(await w.paid()).toEqual([]);
    expect(await intentsIn(w)).toHaveLength(1);
  });

  it('counts a lost answer as missing: its cost is assumed, and the row is asked again', async () => {
    const w = await world(files(), {
      rules: [{ on: 'ask', nth: 2, do: { when: 'after_commit', reset: true } }],
    });
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books).toMatchObject({ balanced: true, dispositions: { applied: 8 } });
    expect(jobs[0]?.run?.money).toMatchObject({ unknownCost: 1 });
    expect(jobs[0]?.run?.money.assumedUsd).toBeGreaterThan(0);
    expect(await w.paid()).toHaveLength(9);
  });

  it('is refused as a whole where the server is not there, and tried again later', async () => {
    const w = await world(files(), { rules: [{ on: 'ask', first: 3, do: { reset: true } }] });
    await w.finish();
    expect(await w.rows()).toHaveLength(8);
  });

  it('whose process is gone is not waited for in any list: its rows are missing, then asked again', async () => {
    const all = await world(files());
    const { effects } = await killedAt(Number.POSITIVE_INFINITY, () => all.pass());
    const asks = effects.flatMap(({ name, target }, at) => (target.startsWith('ask ') ? [{ name, at }] : []));
    const last = asks.at(-1)?.at ?? 0;
    const receipt = effects.findIndex(({ target }, at) => at > last && target.includes('journal'));
    for (const at of [asks[0]?.at ?? 0, asks[1]?.at ?? 0, last + 1, receipt]) {
      const w = await world(files());
      const { result } = await killedAt(at, () => w.pass());
      expect(result).toBeNull();
      await w.restart();
      const [open] = await intentsIn(w);
      expect(open).toMatchObject({ phase: 'intent', via: 'live' });
      const [wait] = (await w.report()).waits;
      expect(wait?.waitsFor).toMatch(/^the end of the time in which they could come/);
      expect(wait?.until).toBe(later(open?.notAfter as Instant, 15 * 60_000));
      const { jobs } = await w.finish();
      expect(jobs[0]?.run?.books, `killed at ${at}`).toMatchObject({
        balanced: true,
        dispositions: { applied: 8 },
      });
      const [lost] = await intentsIn(w);
      expect(lost?.settled?.summary).toMatchObject({ counts: { missing: 3 }, withoutUsage: 3 });
      expect(jobs[0]?.run?.money.assumedUsd).toBeCloseTo(lost?.reservedUsd ?? 0, 12);
      await w.end();
    }
  });

  it('answers that came are kept, also where another writer has given the ask up meanwhile', async () => {
    const w = await world(files());
    const { journal, ...rest } = await w.context();
    let isGivenUp = false;
    const hasty: Journal = {
      ...journal,
      get state() {
        return journal.state;
      },
      async append(events) {
        const [first] = events;
        if (first?.type === 'submit.accepted' && !isGivenUp) {
          isGivenUp = true;
          await giveUpBy(w, { type: 'batch.lost', intent: first.intent, job: first.job, by: 'a fast clock' });
        }
        return journal.append(events);
      },
    };
    await reconcileOnce({ ...rest, journal: hasty }, newMemory());
    await w.restart();
    const { jobs } = await w.finish();
    expect(jobs[0]?.run?.books).toMatchObject({ balanced: true, dispositions: { applied: 8 } });
    expect(await w.paid()).toHaveLength(8);
  });

  it('is not needed where the same recipe was sent before', async () => {
    const w = await world(files());
    await w.finish();
    await w.write({ 'data/tickets.jsonl': lines([...TICKETS, { id: 'T-z', text: 'Ticket z' }]) });
    await w.finish();
    expect(await asksOf(w)).toHaveLength(3);
    expect(await w.paid()).toHaveLength(9);
  });
});
