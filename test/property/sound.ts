import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Duck } from '../../runner/duck.ts';
import type { JobName } from '../../runner/ids.ts';
import type { JournalEvent, OrdinalRange, SegmentHeader } from '../../runner/journal/events.ts';
import { expectChain } from '../support/invariants.ts';
import type { World } from '../support/world.ts';

/** Nothing comes after these by itself. */
const FINAL = ['applied', 'reused', 'held', 'failed', 'refused', 'set_aside', 'unreadable'];

/** A person has to mend the job first: then items may stay unsent, and answers of a new run not applied. */
const NEEDS_PERSON = ['CanaryFailed', 'ProviderRejected', 'BatchFailed'];

/** It answered with 200: OpenAI charges. */
const CHARGED = ['ok', 'invalid_output', 'truncated', 'unknown_stop', 'refused', 'duplicate', 'conflict'];

/** What came back says nothing, so it may have been charged: the answer is lost, or is no answer. */
const PERHAPS_CHARGED = [...CHARGED, 'missing', 'provider_error', 'unreadable', 'lost'];

/** Ends of a request for which nothing is sent again by itself. */
const CLOSED = ['ok', 'refused', 'invalid_request', 'unreadable', 'lost'];

interface Attempt {
  readonly run: number;
  readonly intent: string;
  readonly ordinal: number;
  readonly request: string;
  /** As it was settled, whatever a later edit of the schema has made of it. */
  readonly class: string | null;
}

/** What must hold at the end of any life of the job. @throws where it does not. */
export async function expectAnyLifeSound(w: World): Promise<void> {
  const before = await w.report();
  await w.restart();
  const begun = await w.context();
  expect(await w.report(), 'a process that has just begun says the same').toEqual(before);
  await expectChain(begun);
  const open = Object.values(begun.journal.state.intents).filter(
    ({ phase }) => !['settled', 'absent', 'refused'].includes(phase),
  );
  expect(open, 'no intent is left open').toEqual([]);
  const { seq: atFirst } = begun.journal.state;
  let { rests } = await w.pass();
  // What becomes due with time alone, such as a last look for second batches, is said once.
  const { seq } = await w.journal();
  if (seq > atFirst) ({ rests } = await w.pass());
  const stalled = rests.some((rest) => NEEDS_PERSON.includes(rest.reason));
  expect(await w.plan(), 'a plan after the end is empty').toEqual([]);
  const { ledgers, journal, repository } = await w.context();
  expect(journal.state.seq, 'a pass after the end says nothing more').toBe(seq);
  const ledger = await ledgers.of('tickets' as JobName, repository.jobs[0]?.job ?? null, journal.state);
  if (ledger === null) throw new Error('there is no ledger at the end');
  const { duck } = ledger;
  await expectBooks(duck, stalled || rests.some(({ reason }) => reason === 'ResultsUnreadable'));
  const attempts = await attemptsOf(duck);
  await expectCharges(w, attempts);
  await expectBoughtOnce(w, attempts);
  if (!stalled) await expectSink(w, duck);
}

async function expectBooks(duck: Duck, stalled: boolean): Promise<void> {
  const runs = await duck.rows<{ run: number; items: number; counted: number }>(
    `SELECT run, items, (SELECT count(*)::INTEGER FROM disposition d WHERE d.run = r.run) AS counted FROM run r`,
  );
  for (const { run, items, counted } of runs) expect(counted, `the books of run ${run}`).toBe(items);
  const current = await duck.rows<{ disposition: string }>(
    'SELECT DISTINCT disposition FROM disposition WHERE run = (SELECT max(run) FROM run)',
  );
  const unfinished = current.map((row) => row.disposition).filter((name) => !FINAL.includes(name));
  if (!stalled) expect(unfinished, 'every item of the current run has its end').toEqual([]);
}

function attemptsOf(duck: Duck): Promise<Attempt[]> {
  return duck.rows(
    `SELECT a.run, s.intent, a.ordinal, i.request::VARCHAR AS request, coalesce(a.first_class, a.class)::VARCHAR AS class
     FROM attempt a JOIN shard s USING (run, shard) JOIN item i USING (run, ordinal)`,
  );
}

/** Each charged request is one attempt of the ledger, and each attempt that came back with an answer was charged. */
async function expectCharges(w: World, attempts: readonly Attempt[]): Promise<void> {
  const byWireId = new Map(attempts.map((each) => [`${each.intent}_${each.ordinal.toString(36)}`, each]));
  const paid = (await w.paid()).map((request) => request.custom_id);
  expect(new Set(paid).size, 'no request of a batch ran twice').toBe(paid.length);
  const unknown = paid.filter((id) => !PERHAPS_CHARGED.includes(byWireId.get(id)?.class ?? 'no attempt'));
  expect(unknown, 'charged requests that the ledger does not know').toEqual([]);
  const answered = [...byWireId].filter(([, { class: of }]) => CHARGED.includes(of ?? ''));
  expect(
    answered.map(([id]) => id).filter((id) => !paid.includes(id)),
    'answers that nobody was charged for',
  ).toEqual([]);
}

/**
 * Walks the journal as it was written: at the moment of its announcement a request had no answer and no attempt under
 * way, in no run. So whatever was bought twice has a recorded failed attempt before the second.
 */
async function expectBoughtOnce(w: World, attempts: readonly Attempt[]): Promise<void> {
  const byIntent = Map.groupBy(attempts, (each) => each.intent);
  const standing = new Map<string, string>();
  const faults: string[] = [];
  for (const event of await eventsOf(w)) {
    if (!('intent' in event)) continue;
    for (const { request, ordinal, class: of } of byIntent.get(event.intent) ?? []) {
      const before = standing.get(request);
      // So few that they go again by themselves, once, although they may have been paid for.
      if (event.type === 'rows.released' && isWithin(event.ordinals, ordinal)) standing.delete(request);
      if (event.type === 'submit.intent') {
        if (before !== undefined)
          faults.push(`${request} is sent in ${event.intent} although it is ${before}`);
        standing.set(request, `under way in ${event.intent}`);
      } else if (event.type === 'outcomes.settled') {
        if (CLOSED.includes(of ?? '')) standing.set(request, `${of} in ${event.intent}`);
        else standing.delete(request);
      }
    }
  }
  expect(faults.join('\n'), 'sent again without a reason').toBe('');
}

function isWithin(ranges: readonly OrdinalRange[], ordinal: number): boolean {
  return ranges.some(([first, last]) => first <= ordinal && ordinal <= last);
}

async function eventsOf(w: World): Promise<JournalEvent[]> {
  const folder = join(w.root, 'state/journal');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .flatMap((text) => text.trimEnd().split('\n'))
    .map((text) => JSON.parse(text) as JournalEvent | SegmentHeader)
    .filter((event): event is JournalEvent => event.type !== 'segment');
}

/** One row a key, and where the input still has the key: the answer to the very request that the current run makes. */
async function expectSink(w: World, duck: Duck): Promise<void> {
  const items = await duck.rows<{ key: string; hash: string; answered: boolean }>(
    `SELECT m.key, m.request_hash AS hash, d.disposition IN ('applied', 'reused') AS answered
     FROM disposition d JOIN manifest m USING (run, ordinal) WHERE d.run = (SELECT max(run) FROM run)`,
  );
  const rows = items.some((item) => item.answered) ? await w.rows() : [];
  const hashes = new Map(rows.map((row) => [row.id, row._hash]));
  expect(hashes.size, 'every key stands in the sink once').toBe(rows.length);
  if (rows.length === 0) return;
  for (const { key, hash, answered } of items)
    expect(hashes.get(key), `the sink's row of ${key}`).toBe(answered ? hash : undefined);
}
