import { formatMinute, type Instant } from '../../ids.ts';
import { intentsOf, jobState } from '../../journal/fold.ts';
import type { IntentState, JournalState, RunState } from '../../journal/state.ts';
import type { Rest } from '../../plan/action.ts';
import { isStuck } from '../../plan/cancel.ts';
import { resultsKeptUntil } from '../../plan/downloads.ts';
import type { Pacing } from '../../plan/snapshot.ts';
import { isOpen } from '../../plan/spend.ts';
import { type Clock, unreadableBatches } from '../../plan/unreadable.ts';
import type { Profile } from '../../provider/port.ts';
import type { Wait } from '../../report/report.ts';
import type { Job } from '../../spec/job.ts';
import { ambiguousWait, unseenWait } from './ambiguous.ts';

export interface WaitsOrder {
  readonly state: JournalState;
  readonly job: Job;
  readonly rests: readonly Rest[];
  readonly pacing: Pacing;
  readonly now: Instant;
  /** What the provider of an intent allows and does. */
  readonly profileOf: (intent: IntentState) => Profile;
}

/** Pure: what is not done yet, what each waits for, and what a person can do about it. Of older runs too. */
export function waitsOf({ state, job, rests, pacing, now, profileOf }: WaitsOrder): Wait[] {
  const intents = jobState(state, job.name).runs.flatMap((run) => intentsOf(state, run));
  const open = intents.filter((intent) => isOpen(intent) && intent.lost === null);
  const unseen = open.filter(({ phase, unseenSince }) => phase === 'live' && unseenSince !== null);
  return [
    ...rests.filter((rest) => rest.kind !== 'idle' && rest.kind !== 'in_flight').map(restWait),
    ...open
      .filter((intent) => intent.phase === 'intent')
      .map((intent) => ambiguousWait(intent, profileOf(intent), pacing)),
    ...unseen.map(unseenWait),
    ...open.filter(isUncollected).map((intent) => uncollectedWait(intent, profileOf(intent))),
    ...jobState(state, job.name).runs.flatMap((run) =>
      unreadableWaits(state, run, { quarterMs: pacing.missingMs, now }, profileOf),
    ),
    ...clockWaits(open),
    ...open.filter((intent) => isStuck(intent, job, now) && !unseen.includes(intent)).map(stuckWait),
  ];
}

function restWait(rest: Rest): Wait {
  // Only what is held back needs somebody; the rest goes on by itself.
  const mend = rest.kind === 'blocked' ? 'mend what it names; the next pass looks again' : null;
  return { what: rest.job, waitsFor: rest.message, until: rest.until ?? null, command: rest.next ?? mend };
}

/** Once a job, by the largest difference. */
function clockWaits(open: readonly IntentState[]): Wait[] {
  const [worst] = open
    .map(({ clockSkewMs }) => clockSkewMs)
    .filter((skewMs) => skewMs !== 0)
    .sort((a, b) => Math.abs(b) - Math.abs(a));
  if (worst === undefined) return [];
  const by = `${Math.round(Math.abs(worst) / 60_000)} min ${worst < 0 ? 'ahead of' : 'behind'}`;
  return [
    {
      what: 'the clock of the machine that runs the passes',
      waitsFor: `somebody to set it: it is ${by} the provider's, by which batches are judged`,
      until: null,
      command: 'set the clock; `batchwright doctor` compares it',
    },
  ];
}

function stuckWait(intent: IntentState): Wait {
  const state = intent.batch?.providerState ?? 'unknown';
  return {
    what: `shard ${intent.shard}, batch ${intent.batch?.id ?? 'unknown'}, ${intent.count} rows`,
    waitsFor: `its end: it has been ${state} since ${intent.batch?.createdAt ?? intent.at}, longer than \`sla.stuck_after\``,
    until: null,
    command: `batchwright cancel ${intent.job}`,
  };
}

/** It has ended, and its results could not be had so far. */
function isUncollected({ phase, collections }: IntentState): boolean {
  return phase === 'ended' && collections.length === 0;
}

function uncollectedWait(intent: IntentState, profile: Profile): Wait {
  const { batch, downloadFailed } = intent;
  const since = downloadFailed === null ? '' : ` since ${formatMinute(downloadFailed.since)}`;
  const why = downloadFailed === null ? 'they are downloaded by the next pass' : failureOf(downloadFailed);
  return {
    what: `shard ${intent.shard}, batch ${batch?.id ?? 'unknown'}, ${intent.count} rows`,
    waitsFor: `its results${since}: ${why}. Each pass tries again; ${profile.title} keeps them until ${formatMinute(resultsKeptUntil(intent, profile))}`,
    until: null,
    command: downloadFailed === null ? null : 'batchwright doctor',
  };
}

function failureOf({ status, about }: NonNullable<IntentState['downloadFailed']>): string {
  if (about === 'network') return 'the server could not be reached, or the download broke off';
  return status === null ? 'the download was not whole' : `the server answered with status ${status}`;
}

/** Rows that wait for a result that can be read: they may have been paid for. */
function unreadableWaits(
  state: JournalState,
  run: RunState,
  clock: Clock,
  profileOf: WaitsOrder['profileOf'],
): Wait[] {
  const [first] = intentsOf(state, run);
  if (first === undefined || run.dropped !== undefined) return [];
  return unreadableBatches(state, run, profileOf(first), clock).map(
    ({ intent, rows, awaited, why, nextDownload, keptUntil }) => ({
      what: `shard ${intent.shard}, batch ${intent.batch?.id ?? 'unknown'}, ${rows} of ${intent.count} rows`,
      waitsFor: `results that can be read: ${why}. They are kept until ${formatMinute(keptUntil)}`,
      until: nextDownload,
      // Where another try was paid for, what is read yet is only for the books.
      command: awaited === 0 ? null : `batchwright retry ${intent.job} --class unreadable`,
    }),
  );
}
