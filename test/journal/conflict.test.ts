import { expect, it } from 'vitest';
import type { JobName } from '../../runner/ids.ts';
import { conflicts } from '../../runner/journal/conflict.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import { accepted, batch, frozen, intent, intentId, JOB, SHAPE, settled } from '../support/journal.ts';

const other = 'other' as JobName;
const applied: JournalEvent = {
  type: 'applied',
  job: JOB.name,
  run: 1,
  sink: 's',
  path: 'p',
  digest: 'd' as never,
  bytes: 1,
  rows: 1,
  throughSeq: 1,
  shape: SHAPE,
};

const contested: JournalEvent = { ...settled(1, {}), contested: true } as JournalEvent;
const second: JournalEvent = {
  type: 'second.found',
  intent: intentId(9),
  secondOf: intentId(1),
  job: JOB.name,
  batch: batch(1, { id: 'batch_other' }),
};

const moved: JournalEvent = { type: 'job.moved', job: other, from: JOB.name };

const answeredTry: JournalEvent = {
  type: 'try.answered',
  attempt: intentId(3),
  job: JOB.name,
  raw: null,
  answered: 1,
  usd: 0.01,
  unknownUsd: 0,
};

const cases: [string, JournalEvent, JournalEvent, boolean][] = [
  ['a run of another job', frozen(), frozen({ job: other }), false],
  ['a run of the same job', frozen(), frozen(), true],
  ['an announcement after outcomes of its job: retries depend on them', intent(2), settled(1, {}), true],
  ['an announcement after that of another job: budgets', intent(2), intent(1, { job: other }), true],
  ['a receipt after news of another batch of the job', accepted(2), settled(1, {}), false],
  ['a receipt after a new run of the job', accepted(2), frozen({ run: 2 }), false],
  ['a receipt after somebody found the batch', accepted(2), accepted(2), true],
  ['outcomes after the same outcomes', settled(1, {}), settled(1, {}), true],
  ['outcomes after those of another batch', settled(1, {}), settled(2, {}), false],
  ['outcomes where two batches have the same rows, after those of another', contested, settled(2, {}), true],
  ['a second batch after somebody found it', second, second, true],
  ['a sink after outcomes: the proof says how far it goes', applied, settled(2, {}), false],
  ['a sink after the same sink', applied, applied, true],
  ['an announcement after its job was renamed', intent(1), moved, true],
  ['a receipt after its job was renamed: it goes by the intent', accepted(1), moved, false],
  ['the answer of a try after its job was renamed: it was paid for', answeredTry, moved, false],
  ['a rename after an announcement under the old name', moved, intent(1), true],
  ['a rename after news of other jobs', moved, frozen({ job: 'third' as JobName }), false],
];

it.each(cases)('%s', (_name, ours, news, expected) => {
  expect(conflicts(ours, news)).toBe(expected);
});
