import { digestOf, shortDigestOf } from '../../runner/ids.ts';
import type { JournalEvent } from '../../runner/journal/events.ts';
import {
  ACCOUNT,
  accepted,
  batch,
  frozen,
  generation,
  intent,
  intentId,
  JOB,
  START,
  settled,
} from './journal.ts';

type Examples = { readonly [Type in JournalEvent['type']]: readonly Extract<JournalEvent, { type: Type }>[] };

const of = (n: number) => ({ intent: intentId(n), job: JOB.name });
const ofRun = { job: JOB.name, run: 1 };
const outcomes = settled(1, { ok: 99, missing: 1 }) as Extract<JournalEvent, { type: 'outcomes.settled' }>;
const { type: _, ...judged } = outcomes;

/**
 * Of everything that a journal can say an example, in an order in which it could be said. The type wants one of each:
 * an event that is new does not compile before it stands here.
 */
const EXAMPLES: Examples = {
  'generation.observed': [generation() as Examples['generation.observed'][number]],
  'run.frozen': [frozen()],
  'submit.intent': [intent(1), intent(2, { ordinals: [[3, 3]], count: 1 }), intent(3)],
  'submit.accepted': [accepted(1) as Examples['submit.accepted'][number]],
  'submit.refused': [{ type: 'submit.refused', ...of(3), error: refusal() }],
  'listing.searched': [{ type: 'listing.searched', ...of(2), serverAt: START, counts: true }],
  'candidates.seen': [
    {
      type: 'candidates.seen',
      ...of(2),
      batches: [{ id: 'batch_9', createdAt: START, state: 'running', ids: 'unread' }],
      presumed: 'batch_9',
    },
  ],
  'submit.absent': [{ type: 'submit.absent', ...of(2), proof: 'three listings' }],
  'batch.unseen': [{ type: 'batch.unseen', ...of(1), why: 'no such batch' }],
  'batch.lost': [{ type: 'batch.lost', ...of(1), by: 'ann' }],
  'batch.observed': [{ type: 'batch.observed', ...of(1), batch: batch(1, { state: 'completed' }) }],
  'raw.collected': [
    { type: 'raw.collected', ...of(1), state: 'completed', files: [], gone: ['error'], counts: null },
  ],
  'download.failed': [{ type: 'download.failed', ...of(1), status: 503, about: 'server' }],
  'results.lost': [{ type: 'results.lost', ...of(1), why: 'deleted' }],
  'rows.released': [{ type: 'rows.released', ...of(1), ordinals: [[3, 4]], rows: 2 }],
  'outcomes.settled': [outcomes],
  'second.found': [
    { type: 'second.found', ...of(4), secondOf: intentId(1), batch: batch(4, { state: 'completed' }) },
  ],
  'seconds.searched': [{ type: 'seconds.searched', ...of(1), serverAt: START }],
  'check.changed': [{ type: 'check.changed', ...ofRun, check: digestOf('check'), recipe: frozen().recipe }],
  'outcomes.revised': [{ type: 'outcomes.revised', why: 'check', ...judged, check: digestOf('check') }],
  applied: [
    {
      type: 'applied',
      ...ofRun,
      sink: 'parquet:out/t.parquet',
      path: 'out/t.parquet',
      digest: digestOf('sink'),
      bytes: 10,
      rows: 99,
      throughSeq: 10,
      shape: digestOf('shape'),
    },
  ],
  'cancel.asked': [{ type: 'cancel.asked', ...of(1), why: 'person' }],
  'retry.asked': [{ type: 'retry.asked', ...ofRun, classes: ['missing'], by: 'ann' }],
  'run.requested': [{ type: 'run.requested', job: JOB.name, reason: 'again', by: 'ann' }],
  'try.intent': [
    {
      type: 'try.intent',
      attempt: intentId(7),
      job: JOB.name,
      owner: JOB.owner,
      account: ACCOUNT,
      emulator: false,
      model: 'openai/gpt-5.4-mini',
      requests: [shortDigestOf('request')],
      reservedUsd: 0.1,
      commit: null,
      by: 'ann',
    },
  ],
  'try.answered': [
    {
      type: 'try.answered',
      attempt: intentId(7),
      job: JOB.name,
      raw: null,
      answered: 1,
      usd: 0.05,
      unknownUsd: 0,
    },
  ],
  'remote.discarded': [{ type: 'remote.discarded', ...of(1), files: 2, inputOnly: false }],
  'run.dropped': [{ type: 'run.dropped', ...ofRun, files: 3, bytes: 100, dispositions: { applied: 99 } }],
  'job.withdrawn': [{ type: 'job.withdrawn', job: JOB.name, commit: 'c0ffee' }],
  'job.returned': [{ type: 'job.returned', job: JOB.name }],
  'job.moved': [{ type: 'job.moved', job: 'other' as typeof JOB.name, from: JOB.name }],
};

/** Each kind of event as a segment of its own. */
export const EVERY_EVENT: readonly (readonly JournalEvent[])[] = Object.values(EXAMPLES);

function refusal() {
  return { status: 400, code: null, message: 'no', about: 'request' as const, retryAfterMs: null };
}
