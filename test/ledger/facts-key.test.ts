import { expect, it } from 'vitest';
import { digestOf } from '../../runner/ids.ts';
import type { Applied, JournalEvent } from '../../runner/journal/events.ts';
import { factsKey } from '../../runner/ledger/facts-key.ts';
import type { ProjectionInput } from '../../runner/ledger/input.ts';
import {
  accepted,
  batch,
  frozen,
  intent,
  intentId,
  JOB,
  START,
  settled,
  stateOf,
} from '../support/journal.ts';

const RAW = { name: 'tickets/runs/1/raw.jsonl.zst', digest: digestOf('raw'), bytes: 1 };
const BASE = { intent: intentId(1), job: JOB.name } as const;

const observed = (changes: Parameters<typeof batch>[1]): JournalEvent => {
  return { type: 'batch.observed', ...BASE, batch: batch(1, changes) };
};
const collected: JournalEvent = {
  type: 'raw.collected',
  ...BASE,
  state: 'completed',
  files: [
    {
      kind: 'output',
      remoteId: 'f',
      stored: RAW,
      digest: digestOf('x'),
      bytes: 1,
      lines: 1,
      listedBytes: 1,
      endsWithLineFeed: true,
    },
  ],
  gone: [],
  counts: null,
};
const applied: Applied = {
  type: 'applied',
  job: JOB.name,
  run: 1,
  sink: 'parquet:out/tickets.parquet',
  path: 'out/tickets.parquet',
  digest: digestOf('sink'),
  bytes: 1,
  rows: 1,
  throughSeq: 1,
  shape: digestOf('shape'),
};

function inputOf(events: readonly JournalEvent[], changes: Partial<ProjectionInput> = {}): ProjectionInput {
  return {
    job: JOB.name,
    state: stateOf(...events.map((event) => [event])),
    pathOf: async ({ name }) => name,
    provenPathOf: async ({ name }) => name,
    proveFiles: async () => {},
    retry: JOB.retry,
    sinks: [],
    withdrawn: false,
    ...changes,
  };
}

const SENT = [frozen(), intent(1), accepted(1)];

it.each<[string, readonly JournalEvent[], JournalEvent]>([
  ['progress of a batch', SENT, observed({ progress: { done: 5, failed: 0, total: 100 } })],
  ['the end of a batch', SENT, observed({ state: 'completed' })],
  ['raw files that are kept', [...SENT, observed({ state: 'completed' })], collected],
  ['a download that failed', SENT, { type: 'download.failed', ...BASE, status: 503, about: 'server' }],
  [
    'a listing without the batch',
    [frozen(), intent(1)],
    { type: 'listing.searched', ...BASE, serverAt: START, counts: true },
  ],
  [
    'files deleted at the provider',
    [...SENT, settled(1, { ok: 100 })],
    { type: 'remote.discarded', ...BASE, files: 2, inputOnly: false },
  ],
])('no item is touched by %s', (_title, before, news) => {
  expect(factsKey(inputOf([...before, news]))).toBe(factsKey(inputOf(before)));
});

it.each<[string, readonly JournalEvent[], JournalEvent]>([
  ['a run', [], frozen()],
  ['an announced shard', [frozen()], intent(1)],
  ['its receipt', [frozen(), intent(1)], accepted(1)],
  ['proof that it is absent', [frozen(), intent(1)], { type: 'submit.absent', ...BASE, proof: 'none' }],
  ['its outcomes', SENT, settled(1, { ok: 100 })],
  ['a sink that holds them', [...SENT, settled(1, { ok: 100 })], applied],
])('items are touched by %s', (_title, before, news) => {
  expect(factsKey(inputOf([...before, news]))).not.toBe(factsKey(inputOf(before)));
});

it.each<[string, Partial<ProjectionInput>]>([
  ['another retry policy', { retry: { ...JOB.retry, maxAttempts: 9 } }],
  ['another sink', { sinks: ['csv:out/tickets.csv'] }],
  ['a job that is gone', { withdrawn: true }],
])('items are touched by %s', (_title, changes) => {
  expect(factsKey(inputOf(SENT, changes))).not.toBe(factsKey(inputOf(SENT)));
});
