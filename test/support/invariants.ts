import { expect } from 'vitest';
import { sqlText } from '../../runner/duck.ts';
import type { JobName } from '../../runner/ids.ts';
import type { PassContext } from '../../runner/reconcile/context.ts';
import { describeFleet } from '../../runner/reconcile/describe/publish.ts';
import { checkChain, foldReadable, readSegments } from '../../runner/reconcile/verify/chain.ts';
import type { World } from './world.ts';

/** What must hold when a small job has come to its end, whatever happened on the way. */
export interface Expected {
  readonly keys: readonly string[];
  /** Requests that may be charged more than once, with the reason: a first try that failed after it was charged. */
  readonly twice?: number;
}

/** Books, money, rows and journal agree with each other and with what the emulator charged, for a process that has just begun. */
export async function expectSound(world: World, expected: Expected): Promise<void> {
  const before = await world.report();
  await world.restart();
  const ctx = await world.context();
  const { jobs } = await describeFleet(ctx, []);
  expect(jobs[0], 'a process that has just begun says the same').toEqual(before);
  const books = jobs[0]?.run?.books;
  expect(books?.balanced, 'the books balance').toBe(true);
  expect(books?.dispositions, 'every item is applied').toEqual({ applied: expected.keys.length });

  const rows = await world.rows();
  expect(rows.map((row) => row.id).sort(), 'every answer is applied once').toEqual([...expected.keys].sort());

  const paid = await world.paid();
  expect(paid.length, 'charged requests are attempts in the ledger').toBe(await chargedAttempts(ctx));
  const bodies = new Set(paid.map((request) => request.body_hash));
  expect(paid.length - bodies.size, 'requests bought twice').toBe(expected.twice ?? 0);

  await expectChain(ctx);
  const open = Object.values(ctx.journal.state.intents).filter(
    (intent) => !['settled', 'absent', 'refused'].includes(intent.phase),
  );
  expect(open, 'no intent is left open').toEqual([]);
}

/** The chain is whole from the first segment on, and folds to what a reader that starts at a snapshot comes to. */
export async function expectChain({ store, journal }: PassContext): Promise<void> {
  const segments = await readSegments(store);
  expect(checkChain(segments), 'the chain is whole').toMatchObject({ state: 'proved' });
  expect(foldReadable(segments), 'snapshot and segments say the same').toEqual(journal.state);
}

/** Attempts that ended in a class for which the provider charges: it answered with 200. */
async function chargedAttempts({ ledgers, journal, repository }: PassContext): Promise<number> {
  const job = repository.jobs[0]?.job ?? null;
  const ledger = await ledgers.of('tickets' as JobName, job, journal.state);
  const rows = await ledger?.duck.rows<{ n: number }>(
    `SELECT count(*)::INTEGER AS n FROM attempt WHERE class::VARCHAR IN (${CHARGED.map(sqlText).join(', ')})`,
  );
  return rows?.[0]?.n ?? 0;
}

const CHARGED = ['ok', 'invalid_output', 'truncated', 'refused', 'duplicate', 'conflict'];
