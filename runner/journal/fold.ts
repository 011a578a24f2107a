import type { IntentId, JobName } from '../ids.ts';
import { isTerminal } from './batch.ts';
import type { JournalEvent, SecondFound, SegmentHeader } from './events.ts';
import { announcedIntent, secondIntent } from './fold-intent.ts';
import {
  appliedOf,
  collectionOf,
  droppedOf,
  furthest,
  generationOf,
  revisedBy,
  runOf,
} from './fold-records.ts';
import { announcedTry, answeredTry, jobOfTry } from './fold-try.ts';
import { jobState, runState } from './lookup.ts';
import type { Segment } from './segment.ts';
import type { IntentState, JobState, JournalState, RunState } from './state.ts';

export { currentRun, intentsOf, jobState, runState } from './lookup.ts';

export const EMPTY_JOURNAL: JournalState = { lineage: null, seq: 0, head: null, jobs: {}, intents: {} };

/** Pure: the state after one more segment. The parts that the segment does not touch stay the same objects. */
export function foldSegment(state: JournalState, segment: Segment): JournalState {
  return foldSegments(state, [segment]);
}

/** The same for many: 10,000 segments of 2,500 batches one by one take as many copies of all batches. */
export function foldSegments(state: JournalState, segments: readonly Segment[]): JournalState {
  const fresh: Fresh = new WeakSet();
  return segments.reduce((before, segment) => foldOne(before, segment, fresh), state);
}

/** Records of intents that this fold has made itself: nobody else has them yet, so they may be written to. */
type Fresh = WeakSet<JournalState['intents']>;

function foldOne(state: JournalState, segment: Segment, fresh: Fresh): JournalState {
  const told = segment.events.reduce(
    (before, event) => foldEvent(before, event, segment.header, fresh),
    state,
  );
  const mark = { seq: segment.header.seq, digest: segment.digest };
  // An intent may have moved to another name since its writer looked.
  const touched = new Set(
    segment.events
      .filter(isNewsOfJob)
      .map((event) => ('intent' in event ? (told.intents[event.intent]?.job ?? event.job) : event.job)),
  );
  const marked = [...touched].reduce(
    (before, name) => withJob(before, name, (job) => ({ ...job, mark })),
    told,
  );
  return {
    ...marked,
    lineage: state.lineage ?? segment.header.lineage,
    seq: segment.header.seq,
    head: segment.digest,
  };
}

/** A look that found nothing changes no report, and neither does what a person tried. */
function isNewsOfJob(event: JournalEvent): boolean {
  return event.type !== 'seconds.searched' && event.type !== 'try.intent' && event.type !== 'try.answered';
}

function foldEvent(
  state: JournalState,
  event: JournalEvent,
  header: SegmentHeader,
  fresh: Fresh,
): JournalState {
  const change = (id: IntentId, changes: (intent: IntentState) => Partial<IntentState>) =>
    changeIntent(state, id, changes, fresh);
  switch (event.type) {
    case 'generation.observed':
      return withJob(state, event.job, (job) => ({
        ...job,
        generations: [...job.generations, generationOf(event, header)],
      }));
    case 'run.frozen':
      return withJob(state, event.job, (job) => ({
        ...job,
        requested: null,
        runs: [...job.runs, runOf(event, header)],
      }));
    case 'submit.intent':
      return withShard(state, announcedIntent(event, header), fresh);
    case 'submit.accepted':
    case 'batch.observed':
      return change(event.intent, (intent) => ({
        batch: event.batch,
        unseenSince: null,
        lost: null,
        clockSkewMs: ('clockSkewMs' in event ? event.clockSkewMs : undefined) ?? intent.clockSkewMs,
        phase: furthest(intent.phase, isTerminal(event.batch.state) ? 'ended' : 'live'),
      }));
    case 'submit.refused':
      return change(event.intent, () => ({
        error: event.error,
        refusedAt: { seq: header.seq, at: header.at },
        phase: 'refused',
      }));
    case 'submit.absent':
      return change(event.intent, () => ({ phase: 'absent' }));
    case 'listing.searched':
      return change(event.intent, (intent) => ({
        inputGone: true,
        searches: event.counts ? [...intent.searches, event.serverAt] : intent.searches,
      }));
    case 'second.found':
      return withSecond(state, event, header, fresh);
    case 'candidates.seen':
      return change(event.intent, () => ({
        candidates: { batches: event.batches, presumed: event.presumed },
      }));
    case 'batch.unseen':
      return change(event.intent, () => ({ unseenSince: header.at }));
    case 'batch.lost':
      return change(event.intent, () => ({ lost: { by: event.by, at: header.at } }));
    case 'seconds.searched':
      return change(event.intent, () => ({ secondsSearchedAt: event.serverAt }));
    case 'raw.collected':
      return change(event.intent, (intent) => ({
        collections: [...intent.collections, collectionOf(event, header)],
        downloadFailed: null,
        phase: furthest(intent.phase, 'collected'),
      }));
    case 'download.failed':
      return change(event.intent, ({ downloadFailed }) => ({
        downloadFailed: {
          status: event.status,
          about: event.about,
          since: downloadFailed?.since ?? header.at,
        },
      }));
    case 'results.lost':
      return change(event.intent, () => ({ resultsLost: { why: event.why, at: header.at } }));
    case 'rows.released':
      return change(event.intent, ({ released }) => ({ released: [...released, ...event.ordinals] }));
    case 'outcomes.settled':
      return change(event.intent, () => ({
        phase: 'settled',
        settled: {
          seq: header.seq,
          at: header.at,
          outcomes: event.outcomes,
          summary: event.summary,
          usd: event.usd,
          wastedUsd: event.wastedUsd,
          collections: event.collections,
          ...(event.check === undefined ? {} : { check: event.check }),
          ...(event.duplicateUsd === undefined ? {} : { duplicateUsd: event.duplicateUsd }),
        },
      }));
    case 'check.changed':
      return withRun(state, event.job, event.run, (run) => ({
        ...run,
        recheck: { check: event.check, recipe: event.recipe },
      }));
    case 'outcomes.revised':
      return change(event.intent, ({ settled }) =>
        settled === null ? {} : { settled: revisedBy(settled, event, header) },
      );
    case 'applied':
      return withRun(state, event.job, event.run, (run) => ({
        ...run,
        applied: { ...run.applied, [event.sink]: appliedOf(event, header) },
      }));
    case 'remote.discarded':
      return change(event.intent, () => (event.inputOnly ? { inputGone: true } : { discarded: true }));
    case 'cancel.asked':
      return change(event.intent, () => ({ cancel: { why: event.why, at: header.at } }));
    case 'retry.asked':
      return withRun(state, event.job, event.run, (run) => ({
        ...run,
        pardons: [...run.pardons, { seq: header.seq, classes: event.classes }],
      }));
    case 'run.requested':
      return withJob(state, event.job, (job) => ({
        ...job,
        requested: { reason: event.reason, by: event.by, at: header.at },
      }));
    case 'try.intent':
      return withJob(state, event.job, (job) => ({
        ...job,
        tries: [...(job.tries ?? []), announcedTry(event, header)],
      }));
    case 'try.answered':
      return withJob(state, jobOfTry(state, event), (job) => ({
        ...job,
        tries: (job.tries ?? []).map((each) => answeredTry(each, event, header)),
      }));
    case 'job.withdrawn':
      return withJob(state, event.job, (job) => ({
        ...job,
        withdrawn: { at: header.at, commit: event.commit },
      }));
    case 'job.returned':
      return withJob(state, event.job, (job) => ({ ...job, withdrawn: null }));
    case 'run.dropped':
      return withRun(state, event.job, event.run, (run) => ({ ...run, dropped: droppedOf(event, header) }));
    case 'job.moved':
      return moveJob(state, event.from, event.job);
    default:
      return event satisfies never;
  }
}

/** Pure: the same history under another name. */
export function moveJob(state: JournalState, from: JobName, to: JobName): JournalState {
  const job = jobState(state, from);
  const { [from]: _, ...others } = state.jobs;
  const intents = Object.values(state.intents).map((intent) =>
    intent.job === from ? { ...intent, job: to } : intent,
  );
  return {
    ...state,
    jobs: {
      ...others,
      [to]: { ...job, runs: job.runs.map((run) => ({ ...run, job: to })), withdrawn: null },
    },
    intents: Object.fromEntries(intents.map((intent) => [intent.intent, intent])),
  };
}

function withSecond(
  state: JournalState,
  event: SecondFound,
  header: SegmentHeader,
  fresh: Fresh,
): JournalState {
  const first = state.intents[event.secondOf];
  if (first === undefined || state.intents[event.intent] !== undefined) return state;
  return withShard(state, secondIntent(first, event, header), fresh);
}

function withShard(state: JournalState, intent: Omit<IntentState, 'shard'>, fresh: Fresh): JournalState {
  const shard = (runState(state, intent.job, intent.run)?.intents.length ?? 0) + 1;
  const known = putIntent(state, { ...intent, shard }, fresh);
  return withRun(known, intent.job, intent.run, (run) => ({
    ...run,
    intents: [...run.intents, intent.intent],
  }));
}

function changeIntent(
  state: JournalState,
  id: IntentId,
  changes: (intent: IntentState) => Partial<IntentState>,
  fresh: Fresh,
): JournalState {
  const intent = state.intents[id];
  return intent === undefined ? state : putIntent(state, { ...intent, ...changes(intent) }, fresh);
}

function putIntent(state: JournalState, intent: IntentState, fresh: Fresh): JournalState {
  if (fresh.has(state.intents)) {
    Object.assign(state.intents, { [intent.intent]: intent });
    return state;
  }
  const intents = { ...state.intents, [intent.intent]: intent };
  fresh.add(intents);
  return { ...state, intents };
}

function withRun(
  state: JournalState,
  name: JobName,
  run: number,
  to: (run: RunState) => RunState,
): JournalState {
  return withJob(state, name, (job) => ({
    ...job,
    runs: job.runs.map((each) => (each.run === run ? to(each) : each)),
  }));
}

function withJob(state: JournalState, name: JobName, to: (job: JobState) => JobState): JournalState {
  return { ...state, jobs: { ...state.jobs, [name]: to(jobState(state, name)) } };
}
