import { type Digest, digestOfValue } from '../ids.ts';
import { intentsOf, jobState } from '../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../journal/state.ts';
import type { Job, SinkSpec } from '../spec/job.ts';
import type { Action, Discard } from './action.ts';
import type { RunObserved } from './snapshot.ts';

/** A sink's name in journal and ledger. */
export function sinkId(sink: SinkSpec): string {
  return `${sink.kind}:${sink.path}`;
}

/** What a sink's file depends on besides the answers: an edit of it is applied from answers, without a request. */
export function sinkShape(job: Job, sink: SinkSpec): Digest {
  return digestOfValue({ pass: job.input.pass, onRemoved: sink.onRemoved });
}

/**
 * Sinks are written whole, so the question is only: does what stands there hold everything that was settled?
 * A job's first run is applied as its shards come in. A later run replaces its predecessor's rows in one step,
 * when nothing of it is outstanding: a consumer never sees half of an old and half of a new prompt.
 */
export function planApplies(run: RunState, observed: RunObserved, state: JournalState): Action[] {
  const through = settledThrough(run, state);
  const hasAnswers =
    (observed.dispositions.valid_not_applied ?? 0) +
      (observed.dispositions.applied ?? 0) +
      (observed.dispositions.reused ?? 0) >
    0;
  // Answers that an edited schema made invalid leave the sink, be they all.
  const isApplied = Object.keys(run.applied).length > 0;
  // A finished run takes the place of the one before also where it has no answer at all.
  const replaces = replacesAnother(run, state);
  if (replaces ? !isFinished(observed) : !hasAnswers && !isApplied) return [];
  return run.spec.sinks.flatMap((sink): Action[] => {
    const reason = whyApply(run, sink, observed, through);
    return reason === null ? [] : [{ kind: 'apply', job: run.job, run: run.run, sink: sinkId(sink), reason }];
  });
}

function whyApply(run: RunState, sink: SinkSpec, observed: RunObserved, through: number): string | null {
  const proof = run.applied[sinkId(sink)];
  if (proof === undefined) return 'not applied yet';
  const found = observed.sinks[sinkId(sink)] ?? null;
  if (found === null) return 'the file is missing';
  if (found !== proof.digest) return 'the file is not the one that was written';
  if (proof.shape !== sinkShape(run.spec, sink)) return 'its columns or kept rows were edited';
  return proof.throughSeq < through ? 'new answers' : null;
}

/**
 * Answers of earlier runs may serve this one, so what counts is the newest segment of the whole job that settled or
 * revised any. A batch that was turned away brings none: its sinks need not be written again each time that it is.
 */
export function settledThrough(run: RunState, state: JournalState): number {
  const seqs = jobState(state, run.job)
    .runs.flatMap((each) => intentsOf(state, each))
    .flatMap(({ settled }) => {
      if (settled === null) return [];
      if (settled.revised !== undefined) return [settled.revised.seq];
      return holdsAnswers(settled) ? [settled.seq] : [];
    });
  return Math.max(0, ...seqs);
}

function holdsAnswers({ summary }: NonNullable<IntentState['settled']>): boolean {
  const { ok = 0, late = 0 } = summary.counts;
  return ok + late > 0;
}

function replacesAnother(run: RunState, state: JournalState): boolean {
  return jobState(state, run.job).runs.some(
    (each) => each.run < run.run && Object.keys(each.applied).length > 0,
  );
}

/** Nothing of the run will change without a person. */
export function isFinished({
  dispositions,
  sendable,
}: Pick<RunObserved, 'dispositions' | 'sendable'>): boolean {
  const underWay =
    (dispositions.in_flight ?? 0) + (dispositions.ambiguous ?? 0) + (dispositions.unreadable ?? 0);
  // What a person has cancelled waits for a person.
  return underWay === 0 && sendable.first + sendable.retry + sendable.stalled === 0;
}

/** Remote files go in a pass after the answers were applied: until then they are our second copy. */
export function planDiscards(run: RunState, state: JournalState): Discard[] {
  return jobState(state, run.job)
    .runs.flatMap((each) => intentsOf(state, each))
    .flatMap((intent): Discard[] => {
      const inputOnly = !isDiscardable(intent, run);
      if (inputOnly && !isInputDiscardable(intent)) return [];
      const files = inputOnly ? 1 : remoteFiles(intent).length;
      return [{ kind: 'discard', job: run.job, intent: intent.intent, files, inputOnly }];
    });
}

/** A batch that has ended reads its input no more, however long its results have to stay. */
function isInputDiscardable({ settled, discarded, inputGone, fileId }: IntentState): boolean {
  const { unreadable = 0, lost = 0 } = settled?.summary.counts ?? {};
  return !discarded && !inputGone && fileId !== null && unreadable + lost > 0;
}

/** Results go only when every row has one that was read: until then the provider's copy may be the only one. */
function isDiscardable(intent: IntentState, run: RunState): boolean {
  if (intent.discarded) return false;
  if (intent.phase === 'refused' || intent.phase === 'absent') return true;
  if (intent.settled === null) return false;
  const { unreadable = 0, lost = 0 } = intent.settled.summary.counts;
  if (unreadable + lost > 0) return false;
  const seq = intent.settled.revised?.seq ?? intent.settled.seq;
  return (
    !holdsAnswers(intent.settled) ||
    run.spec.sinks.every((sink) => (run.applied[sinkId(sink)]?.throughSeq ?? 0) >= seq)
  );
}

/** Input, output and error file, as far as there are any. */
export function remoteFiles(intent: IntentState): string[] {
  return [intent.fileId, intent.batch?.outputFileId ?? null, intent.batch?.errorFileId ?? null].filter(
    (id) => id !== null,
  );
}
