import { intentsOf } from '../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../journal/state.ts';
import { isAboutJob } from '../outcome/rejection.ts';
import { type CanaryVerdict, canaryVerdict, type Left } from './canary.ts';
import { awaitsResults } from './downloads.ts';
import type { RunObserved } from './snapshot.ts';
import { isOpen } from './spend.ts';

/** What has come back of a run so that nothing more of it is sent before a person acts. */
export interface Stop {
  /** CamelCase: the condition's reason. */
  readonly reason: 'ProviderRejected' | 'BatchFailed' | 'CanaryFailed' | 'ResultsUnreadable' | 'Cancelled';
  readonly message: string;
  readonly next: string;
  /** The shards whose rows show why. */
  readonly shards: readonly number[];
}

export type StopObserved = Pick<RunObserved, 'dispositions' | 'sendable' | 'rejected'>;

/**
 * Pure: why nothing more of a run is sent, whatever is left of it; null where nothing stops it. What is refused about
 * model, endpoint, schema or parameters would be refused again, canary or not. A person's retry lifts what was before.
 */
export function findStop(state: JournalState, run: RunState, observed: StopObserved): Stop | null {
  const intents = intentsOf(state, run).filter(({ secondOf }) => secondOf === null);
  return (
    findRefusedCreate(run, intents) ??
    findFailedBatch(run, intents) ??
    findRejectedLines(run, intents, observed) ??
    findStoppingCanary(run, intents, canaryVerdict(state, run, countLeft(observed))) ??
    findUnread(run, intents, observed)
  );
}

/** Requests that could be sent now, first tries and others. */
export function countSendable({
  sendable: { first, retry, stalled },
}: Pick<RunObserved, 'sendable'>): number {
  return first + retry + stalled;
}

/** What a verdict of the canary depends on besides what came back. */
export function countLeft(observed: Pick<RunObserved, 'dispositions' | 'sendable'>): Left {
  return { requests: countSendable(observed), unreadable: observed.dispositions.unreadable ?? 0 };
}

/** After this a person has asked for another round. */
function isLifted(run: RunState, seq: number): boolean {
  return (run.pardons.at(-1)?.seq ?? 0) > seq;
}

/** The batches after a refused one were never asked for. */
function findRefusedCreate(run: RunState, intents: readonly IntentState[]): Stop | null {
  const last = intents.findLast(({ phase }) => phase !== 'absent');
  if (last?.phase !== 'refused' || last.error?.about !== 'request') return null;
  if (isLifted(run, last.refusedAt?.seq ?? 0)) return null;
  return {
    reason: 'ProviderRejected',
    message: `the provider rejects the batch: ${last.error.message}`,
    next: `mend the job and merge: a changed job is a new run. Where it was mended at the provider, \`batchwright retry ${run.job}\``,
    shards: [last.shard],
  };
}

/** A batch that failed as a whole is told in the provider's words: nobody has cancelled anything. */
function findFailedBatch(run: RunState, intents: readonly IntentState[]): Stop | null {
  const failed = intents.findLast(
    ({ batch, settled }) =>
      batch?.state === 'failed' &&
      settled !== null &&
      (settled.summary.counts.cancelled ?? 0) > 0 &&
      !isLifted(run, settled.seq),
  );
  if (failed === undefined) return null;
  const errors = failed.batch?.errors ?? [];
  const words = errors.find(({ line }) => line === null) ?? errors[0];
  return {
    reason: 'BatchFailed',
    message: `the provider refused a whole batch of ${formatRows(failed.count)}, and nothing more is sent: ${words?.message ?? 'it gives no reason'}`,
    next: `mend what it names and merge, which is a new run; or \`batchwright retry ${run.job} --class cancelled\``,
    shards: [failed.shard],
  };
}

function findRejectedLines(
  run: RunState,
  intents: readonly IntentState[],
  { rejected }: StopObserved,
): Stop | null {
  const found = rejected.findLast((each) => {
    const intent = intents.find(({ shard }) => shard === each.shard);
    return intent?.settled != null && !isLifted(run, intent.settled.seq) && isAboutJob(each);
  });
  if (found === undefined) return null;
  const all =
    found.rows === 1
      ? 'the one row of a batch'
      : `each of the ${found.rows} rows of a batch for the same reason`;
  return {
    reason: 'ProviderRejected',
    message: `the provider refused ${all}, and nothing more is sent: ${(found.mayBeQuoted ? found.words : null) ?? found.cause}`,
    next: `mend what it names and merge, which is a new run; \`batchwright retry ${run.job}\` sends the other rows all the same`,
    shards: [found.shard],
  };
}

function findStoppingCanary(
  run: RunState,
  intents: readonly IntentState[],
  verdict: CanaryVerdict,
): Stop | null {
  const canaries = intents.filter(({ kind }) => kind === 'canary');
  const shards = canaries.map(({ shard }) => shard);
  switch (verdict.kind) {
    case 'not_needed':
    case 'send':
    case 'waiting':
    case 'passed':
      return null;
    case 'unreadable':
      return { ...describeUnreadable(run, canaries, verdict.rows, 'canary'), shards };
    case 'cancelled':
      return { ...describeCancelled(run, verdict.rows), shards };
    case 'failed':
      return { reason: 'CanaryFailed', ...describeFailure(run, verdict), shards };
    default:
      return verdict satisfies never;
  }
}

function describeFailure(
  run: RunState,
  { ok, judged, minValid, tries }: Extract<CanaryVerdict, { kind: 'failed' }>,
): Pick<Stop, 'message' | 'next'> {
  const again = `\`batchwright retry ${run.job}\` sends another canary`;
  if (judged === 0)
    return {
      message: `${tries} canaries have brought no answer that could be judged; the rest was not sent`,
      next: `read what came back. If it is mended, ${again}`,
    };
  const needed = Math.ceil(judged * minValid);
  return {
    message: `the canary has ${ok} valid of ${judged} answers, ${needed} are needed; the rest was not sent`,
    next: `read what came back, mend prompt or schema, and merge: that starts a new run; or ${again}`,
  };
}

/** Nothing is left to send, in flight or to be asked of a person, and still the run is not finished. */
function findUnread(run: RunState, intents: readonly IntentState[], observed: StopObserved): Stop | null {
  const count = observed.dispositions.unreadable ?? 0;
  const others = countSendable(observed) + observed.sendable.cancelled;
  if (count === 0 || others > 0 || intents.some(isOpen)) return null;
  const shards = intents.filter(({ settled }) => (settled?.summary.counts.unreadable ?? 0) > 0);
  return { ...describeUnreadable(run, shards, count, null), shards: shards.map(({ shard }) => shard) };
}

/** Results that cannot be read prove nothing. Those of a canary hold all back, others the rows that they are of. */
function describeUnreadable(
  run: RunState,
  intents: readonly IntentState[],
  count: number,
  of: 'canary' | null,
): Omit<Stop, 'shards'> {
  const what = of === null ? formatRows(count) : `${formatRows(count)} of the canary`;
  const sent = of === null ? 'nothing is sent for them' : 'nothing more is sent';
  return {
    reason: 'ResultsUnreadable',
    message: `the results of ${what} cannot be read yet, and ${sent}`,
    next: `${describeNextLook(run, intents)}; to pay for another try: \`batchwright retry ${run.job} --class unreadable\``,
  };
}

/** Nobody looks again at what was asked row by row: it has no file at the provider. None at all: they are of an older run. */
function describeNextLook({ job }: RunState, intents: readonly IntentState[]): string {
  return intents.length === 0 || intents.some(awaitsResults)
    ? 'they are looked at again by themselves'
    : `once a later version understands what was kept, \`batchwright reprocess ${job}\` reads it again`;
}

export function describeCancelled(run: RunState, count: number): Omit<Stop, 'shards'> {
  return {
    reason: 'Cancelled',
    message: `${count} items were cancelled at the provider; they are not sent again by themselves`,
    next: `batchwright retry ${run.job} --class cancelled`,
  };
}

function formatRows(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}
