import type { Instant, JobName } from '../ids.ts';
import { intentsOf } from '../journal/fold.ts';
import type { IntentState, JournalState, RunState, TryState } from '../journal/state.ts';
import type { OutcomeClass } from '../outcome/outcome.ts';

/** USD. */
export interface Spend {
  /** By the provider's own figures. */
  readonly settled: number;
  /** For rows that may have been billed and of whose usage nobody will be told: at their limit. Unknown is never zero. */
  readonly assumed: number;
  /** What may still be spent, or was, and will be told yet. */
  readonly reserved: number;
}

export const NO_SPEND: Spend = { settled: 0, assumed: 0, reserved: 0 };

/** All that counts against a limit. */
export function totalOf({ settled, assumed, reserved }: Spend): number {
  return settled + assumed + reserved;
}

/**
 * What one run has cost and may cost; an unknown price counts as nothing here, the gate refuses it elsewhere. What was
 * bought again because its result could not be read counts once: its first price stays with its month.
 */
export function spendOfRun(state: JournalState, run: RunState): Spend {
  const intents = intentsOf(state, run);
  const left = intents.reduce((sum, intent) => sum + boughtAgain(intent, run), 0);
  const spend = sumOf(run, intents);
  return { ...spend, assumed: Math.max(0, spend.assumed - left) };
}

/** What the runs of one generation of a job have cost and may cost together. */
export function spendOfGeneration(state: JournalState, job: JobName, generation: number): Spend {
  const runs = (state.jobs[job]?.runs ?? []).filter((run) => run.generation === generation);
  return total(runs.map((run) => spendOfRun(state, run)));
}

/** The UTC month of an instant: `2026-11`. */
export function monthOf(at: Instant): string {
  return at.slice(0, 7);
}

/** This month's spend of all runs that `counts` takes. Emulated and real money never meet. */
export function spendOfMonth(
  state: JournalState,
  now: Instant,
  counts: { readonly owner?: string; readonly job?: JobName; readonly emulator: boolean },
): Spend {
  const month = monthOf(now);
  const runs = Object.values(state.jobs)
    .flatMap((job) => job.runs)
    .filter((run) => run.emulator === counts.emulator)
    .filter((run) => counts.owner === undefined || run.spec.owner === counts.owner)
    .filter((run) => counts.job === undefined || run.job === counts.job)
    .map((run) => sumOf(run, intentsOf(state, run).filter(isOfThisMonth(month))));
  return total([...runs, ...triesOf(state, counts).filter(isOfMonth(month)).map(spendOfTry)]);
}

function isOfThisMonth(month: string): (intent: IntentState) => boolean {
  return ({ settled }) => settled === null || monthOf(settled.at) === month;
}

function triesOf(
  { jobs }: JournalState,
  counts: { readonly owner?: string; readonly job?: JobName; readonly emulator: boolean },
): TryState[] {
  return Object.entries(jobs)
    .filter(([name]) => counts.job === undefined || name === counts.job)
    .flatMap(([, { tries = [] }]) => tries)
    .filter(({ emulator }) => emulator === counts.emulator)
    .filter(({ owner }) => counts.owner === undefined || owner === counts.owner);
}

/** Money that was spent, if it was, was spent when it was announced: it can never come later. */
function isOfMonth(month: string): (each: TryState) => boolean {
  return ({ at }) => monthOf(at) === month;
}

/** A try that was never answered for keeps what it reserved. */
export function spendOfTry({ answered, reservedUsd }: TryState): Spend {
  return answered === null
    ? { settled: 0, assumed: 0, reserved: reservedUsd }
    : { settled: answered.usd, assumed: answered.unknownUsd, reserved: 0 };
}

function total(parts: readonly Spend[]): Spend {
  return parts.reduce(
    (sum, part) => ({
      settled: sum.settled + part.settled,
      assumed: sum.assumed + part.assumed,
      reserved: sum.reserved + part.reserved,
    }),
    NO_SPEND,
  );
}

function sumOf(run: RunState, intents: readonly IntentState[]): Spend {
  return total(intents.map((intent) => spendOfIntent(intent, run)));
}

/**
 * Refused and absent intents hold nothing. A settled one has given its reservation back, but for the share of the rows
 * that may have been billed and of whose usage nobody was told: rows whose results may be read yet go on reserving it,
 * and for all others it is assumed.
 */
export function spendOfIntent(intent: IntentState, run: RunState): Spend {
  if (isOpen(intent)) return { ...NO_SPEND, reserved: intent.reservedUsd ?? 0 };
  if (intent.settled === null) return NO_SPEND;
  const { usd, summary } = intent.settled;
  const waiting = countAwaited(intent, run);
  const price = shareOf(intent);
  return {
    settled: usd ?? 0,
    assumed: Math.max(0, summary.withoutUsage - waiting) * price,
    reserved: waiting * price,
  };
}

/** Rows of a batch whose results cannot be read, and that were not sent again: they wait for them. */
export function countAwaited(intent: IntentState, run: RunState): number {
  const { unreadable = 0 } = intent.settled?.summary.counts ?? {};
  return unreadable - rowsBoughtAgain(intent, run).unreadable;
}

/** What the first price of rows is assumed to be that were sent again since their results could not be read. */
function boughtAgain(intent: IntentState, run: RunState): number {
  const { unreadable, lost } = rowsBoughtAgain(intent, run);
  return (unreadable + lost) * shareOf(intent);
}

/** Rows of a batch that go again, or went: by themselves, or since a person asked for it. */
function rowsBoughtAgain(
  { settled, released }: IntentState,
  { pardons }: RunState,
): { readonly unreadable: number; readonly lost: number } {
  const { unreadable = 0, lost = 0 } = settled?.summary.counts ?? {};
  const isAsked = (name: OutcomeClass) =>
    pardons.some(({ seq, classes }) => seq > (settled?.seq ?? 0) && classes.includes(name));
  const bySelf = released.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  return {
    unreadable: isAsked('unreadable') ? unreadable : Math.min(bySelf, unreadable),
    lost: isAsked('unreadable') || isAsked('lost') ? lost : Math.min(bySelf, lost),
  };
}

/** Of the reservation, a row's part. */
function shareOf({ reservedUsd, count }: IntentState): number {
  return (reservedUsd ?? 0) / count;
}

/** True while the batch may exist and its outcomes are not in the books. */
export function isOpen(intent: IntentState): boolean {
  return intent.settled === null && intent.phase !== 'refused' && intent.phase !== 'absent';
}
