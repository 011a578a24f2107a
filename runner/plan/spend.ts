import type { Instant, JobName } from '../ids.ts';
import { intentsOf } from '../journal/fold.ts';
import type { IntentState, JournalState, RunState, TryState } from '../journal/state.ts';

/** USD. `reserved` is what may have been spent, or may still be, without our having been told. */
export interface Spend {
  readonly settled: number;
  readonly reserved: number;
}

/** What one run has cost and may cost; an unknown price counts as nothing here, the gate refuses it elsewhere. */
export function spendOfRun(state: JournalState, run: RunState): Spend {
  return sumOf(intentsOf(state, run));
}

/** What the runs of one generation of a job have cost and may cost together. */
export function spendOfGeneration(state: JournalState, job: JobName, generation: number): Spend {
  const runs = (state.jobs[job]?.runs ?? []).filter((run) => run.generation === generation);
  return sumOf(runs.flatMap((run) => intentsOf(state, run)));
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
  const intents = Object.values(state.jobs)
    .flatMap((job) => job.runs)
    .filter((run) => run.emulator === counts.emulator)
    .filter((run) => counts.owner === undefined || run.spec.owner === counts.owner)
    .filter((run) => counts.job === undefined || run.job === counts.job)
    .flatMap((run) => intentsOf(state, run))
    .filter((intent) => intent.settled === null || monthOf(intent.settled.at) === month);
  return total([sumOf(intents), ...triesOf(state, counts).filter(isOfMonth(month)).map(spendOfTry)]);
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
    ? { settled: 0, reserved: reservedUsd }
    : { settled: answered.usd, reserved: answered.unknownUsd };
}

function total(parts: readonly Spend[]): Spend {
  return parts.reduce((sum, part) => ({
    settled: sum.settled + part.settled,
    reserved: sum.reserved + part.reserved,
  }));
}

function sumOf(intents: readonly IntentState[]): Spend {
  return intents.reduce(
    (sum, intent) => ({
      settled: sum.settled + (intent.settled?.usd ?? 0),
      reserved: sum.reserved + reservedBy(intent),
    }),
    { settled: 0, reserved: 0 },
  );
}

/**
 * Refused and absent intents hold nothing. A settled one has given its reservation back, but for the share of the rows
 * that may have been billed and of whose usage nobody was told, such as missing ones: unknown is never zero.
 */
export function reservedBy(intent: IntentState): number {
  if (isOpen(intent)) return intent.reservedUsd ?? 0;
  const unknown = intent.settled?.summary.withoutUsage ?? 0;
  return ((intent.reservedUsd ?? 0) * unknown) / intent.count;
}

/** True while the batch may exist and its outcomes are not in the books. */
export function isOpen(intent: IntentState): boolean {
  return intent.settled === null && intent.phase !== 'refused' && intent.phase !== 'absent';
}
