import { describe, expect, it } from 'vitest';
import type { SubmitIntent } from '../../runner/journal/events.ts';
import { decodeSegment, encodeSegment, segmentName } from '../../runner/journal/segment.ts';
import type { IntentState, JournalState, RunState } from '../../runner/journal/state.ts';
import type { ManifestRows, OutcomeRows } from '../../runner/ledger/proof.ts';
import { bookProblems, intentProblems } from '../../runner/reconcile/verify/books.ts';
import { checkChain, foldReadable, type ReadSegment } from '../../runner/reconcile/verify/chain.ts';
import { checkOpen, checkRemoteFiles } from '../../runner/reconcile/verify/remote.ts';
import {
  accepted,
  frozen,
  generation,
  intent,
  intentId,
  JOB,
  START,
  settled,
  stateOf,
} from '../support/journal.ts';

const TEN: Partial<SubmitIntent> = { ordinals: [[0, 9]], count: 10 };

function runAndIntent(state: JournalState): { run: RunState; intent: IntentState } {
  const run = state.jobs[JOB.name]?.runs[0] as RunState;
  return { run, intent: state.intents[intentId(1)] as IntentState };
}

describe('a settled batch', () => {
  const state = stateOf([frozen()], [intent(1, TEN)], [accepted(1)], [settled(1, { ok: 9, refused: 1 })]);
  const rows: OutcomeRows = {
    rows: 10,
    ordinals: 10,
    own: 10,
    inputTokens: 100,
    outputTokens: 50,
    counts: { ok: 9, refused: 1 },
  };
  const attempts = [{ shard: 1, attempts: 10, closed: 10 }];
  const problems = (changes: Partial<OutcomeRows>, own = attempts) =>
    intentProblems(runAndIntent(state).intent, { ...rows, ...changes }, own);

  it('has one outcome for each row that was announced', () => {
    expect(problems({})).toEqual([]);
    expect(intentProblems(runAndIntent(state).intent, rows, null)).toEqual([]);
  });

  it.each([
    {
      what: 'a row too few',
      changes: { rows: 9, ordinals: 9, own: 9 },
      says: 'rows in its outcomes file: 9 instead of 10',
    },
    { what: 'a row twice', changes: { rows: 11 }, says: 'rows in its outcomes file: 11 instead of 10' },
    {
      what: 'a row of another batch',
      changes: { own: 9 },
      says: 'announced rows in its outcomes file: 9 instead of 10',
    },
    { what: 'another class', changes: { counts: { ok: 10 } }, says: 'outcomes `refused`: 0 instead of 1' },
    {
      what: 'a class that was not told',
      changes: { counts: { ok: 9, refused: 1, late: 1 } },
      says: 'outcomes `late`: 1 instead of 0',
    },
    { what: 'other tokens', changes: { outputTokens: 51 }, says: 'output tokens: 51 instead of 50' },
  ])('$what is named', ({ changes, says }) => {
    expect(problems(changes)).toContain(`shard 1: ${says}`);
  });

  it('attempts that the ledger has not closed are named', () => {
    expect(problems({}, [{ shard: 1, attempts: 10, closed: 7 }])).toEqual([
      'shard 1: attempts with an outcome in the ledger: 7 instead of 10',
    ]);
    expect(problems({}, [])).toHaveLength(2);
  });
});

describe('the books of a run', () => {
  const { run } = runAndIntent(stateOf([frozen()]));
  const rows: ManifestRows = { rows: 100, ordinals: 100, last: 99, setAside: 0 };

  it('add up', () => expect(bookProblems(run, { applied: 90, held: 10 }, rows)).toEqual([]));

  it('that lack rows are named: 1,693 of 9,240 once vanished and the run said complete', () => {
    expect(bookProblems(run, { applied: 90 }, rows)).toEqual(['rows with a disposition: 90 instead of 100']);
  });

  it.each([
    { changes: { rows: 99 }, says: 'rows in the manifest: 99 instead of 100' },
    { changes: { ordinals: 99 }, says: 'different ordinals in the manifest: 99 instead of 100' },
    { changes: { last: null }, says: 'the last ordinal of the manifest: -1 instead of 99' },
    { changes: { setAside: 2 }, says: 'rows set aside: 2 instead of 0' },
  ])('$says', ({ changes, says }) => {
    expect(bookProblems(run, { applied: 100 }, { ...rows, ...changes })).toEqual([says]);
  });
});

function segments(count: number, lineage = 'lineage'): ReadSegment[] {
  const read: ReadSegment[] = [];
  for (let seq = 1; seq <= count; seq += 1) {
    const bytes = encodeSegment(
      {
        type: 'segment',
        format: 1,
        seq,
        lineage,
        previous: read.at(-1)?.segment?.digest ?? null,
        nonce: `n${seq}`,
        writer: 'test',
        at: START,
        commit: null,
      },
      seq === 1 ? [generation(), frozen()] : [],
    );
    read.push({ seq, segment: decodeSegment(segmentName(seq), bytes, undefined), problem: null });
  }
  return read;
}

const unreadable = (each: ReadSegment): ReadSegment => ({
  ...each,
  segment: null,
  problem: `${each.seq} is cut`,
});

describe('the chain', () => {
  it.each([
    { what: 'whole', chain: segments(4), details: [] },
    { what: 'none yet', chain: [], details: [] },
    {
      what: 'without its start',
      chain: segments(4).slice(2),
      details: ['journal/00000001.jsonl to journal/00000002.jsonl are missing'],
    },
    {
      what: 'without one in the middle',
      chain: segments(4).toSpliced(1, 1),
      details: ['journal/00000002.jsonl is missing'],
    },
    {
      what: 'with one that cannot be read',
      chain: segments(4).with(1, unreadable(segments(4)[1] as ReadSegment)),
      details: ['2 is cut'],
    },
    {
      what: 'with one of another journal',
      chain: segments(4).with(3, segments(4, 'other')[3] as ReadSegment),
      details: [
        'journal/00000004.jsonl is of another journal',
        'journal/00000004.jsonl does not continue journal/00000003.jsonl: one of the two was changed',
      ],
    },
  ])('$what', ({ chain, details }) => {
    const check = checkChain(chain);
    expect(check.details).toEqual(details);
    expect(check.state).toBe(details.length === 0 ? 'proved' : 'lost');
  });

  it('that is broken is folded as far as it can be read', () => {
    const state = foldReadable(segments(4).with(1, unreadable(segments(4)[1] as ReadSegment)));
    expect(state.seq).toBe(4);
    expect(state.jobs[JOB.name]?.runs).toHaveLength(1);
  });
});

describe('what is at the provider', () => {
  const live = stateOf([frozen()], [intent(1, TEN)], [accepted(1)]);
  const announced = stateOf([frozen()], [intent(1, TEN)]);
  const done = stateOf(
    [frozen()],
    [intent(1, TEN)],
    [accepted(1, { outputFileId: 'file-o' })],
    [settled(1, { ok: 10 })],
  );
  const discarded = stateOf(
    [frozen()],
    [intent(1, TEN)],
    [accepted(1)],
    [settled(1, { ok: 10 })],
    [{ type: 'remote.discarded', intent: intentId(1), job: JOB.name, files: 1, inputOnly: false }],
  );

  it.each([
    { what: 'a live batch', state: live, batches: 'open', files: 'proved' },
    { what: 'an announcement without a receipt', state: announced, batches: 'open', files: 'proved' },
    { what: 'files of a settled batch', state: done, batches: 'proved', files: 'open' },
    { what: 'nothing any more', state: discarded, batches: 'proved', files: 'proved' },
  ])('$what', ({ state, batches, files }) => {
    expect([checkOpen(state, JOB.name).state, checkRemoteFiles(state, JOB.name).state]).toEqual([
      batches,
      files,
    ]);
  });

  it('is named with its ids and since when', () => {
    expect(checkOpen(live, JOB.name).details).toEqual([
      'run 1 shard 1, 10 rows, announced 2026-11-30T09:01:00.000Z as intent0000000001: batch batch_1 is running',
    ]);
    expect(checkRemoteFiles(done, JOB.name).details).toEqual([
      'run 1 shard 1, settled 2026-11-30T09:03:00.000Z: file-1, file-o',
    ]);
  });
});
