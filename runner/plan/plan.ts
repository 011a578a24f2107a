import type { Instant, JobName } from '../ids.ts';
import { instantOf } from '../ids.ts';
import { jobState } from '../journal/fold.ts';
import type { RunState } from '../journal/state.ts';
import { kindOf, profileOf } from '../spec/profiles.ts';
import type { Action, Plan, Rest } from './action.ts';
import { planApplies, planDiscards } from './apply.ts';
import { planCancels } from './cancel.ts';
import { changeOf, generationDigest } from './generation.ts';
import type { DesiredJob, RunObserved, Snapshot } from './snapshot.ts';
import { countSendable, findStop } from './stop.ts';
import { planSubmits } from './submits.ts';
import { restUnreadable, unreadableBatches } from './unreadable.ts';
import { planWithdrawals } from './withdraw.ts';

/** Pure: what a pass would do now, job by job. The same snapshot gives the same plan. */
export function plan(snapshot: Snapshot): Plan {
  const planned = [...snapshot.jobs].sort(byPriority).map((desired) => planJob(desired, snapshot));
  planned.push(planWithdrawals(snapshot));
  return { actions: planned.flatMap((each) => each.actions), rests: planned.flatMap((each) => each.rests) };
}

const URGENCY = { high: 0, normal: 1, low: 2 } as const;

function byPriority(a: DesiredJob, b: DesiredJob): number {
  const order = URGENCY[a.loaded.job.priority] - URGENCY[b.loaded.job.priority];
  return order !== 0 ? order : a.loaded.job.name < b.loaded.job.name ? -1 : 1;
}

/** A batch may be cancelled whatever else holds the job back. */
function planJob(desired: DesiredJob, snapshot: Snapshot): Plan {
  const { job } = desired.loaded;
  if (snapshot.readOnly !== null) return rest(job.name, 'blocked', 'NotTheTip', snapshot.readOnly, null);
  const planned = planWork(desired, snapshot);
  return { ...planned, actions: [...planCancels(job, snapshot.journal, snapshot.now), ...planned.actions] };
}

/** Read downwards: the first reason to leave the job alone ends the planning of it. */
function planWork(desired: DesiredJob, snapshot: Snapshot): Plan {
  const { job } = desired.loaded;
  const damage = snapshot.damaged?.[job.name];
  if (damage !== undefined) return { actions: [], rests: [damage] };
  if (isSuspended(desired, snapshot.now)) return suspended(desired);
  const known = jobState(snapshot.journal, job.name);
  const change = changeOf(desired, known);
  const run = known.runs.at(-1);
  const observed = snapshot.runs[job.name];
  const checks = observed === undefined ? [] : planChecks(desired, observed);
  if (change.kind === 'changed') {
    const next = newRun(desired, snapshot, change.reason, change.forcedBy);
    // Until it is frozen (a gate may hold it back for days) the answers of the run before are applied.
    const finished =
      run === undefined || observed === undefined || checks.length > 0
        ? []
        : finishedWork(withCurrentSpec(run, desired), observed, snapshot);
    return { ...next, actions: [...checks, ...next.actions, ...finished] };
  }
  if (run === undefined || observed === undefined)
    return rest(job.name, 'waiting', 'LedgerMissing', 'the ledger was not read', null);
  // Neither sent nor applied on the word of answers that may not be valid any more.
  if (checks.length > 0) return { actions: checks, rests: [] };
  return planRun(desired, withCurrentSpec(run, desired), observed, snapshot);
}

function planChecks(desired: DesiredJob, { stale }: RunObserved): Action[] {
  if (stale.intents.length === 0) return [];
  return [{ kind: 'revalidate', job: desired.loaded.job.name, ...stale }];
}

/** Operational fields (budget, retry, canary, shard, sinks …) hold as git has them now, for the current run. */
function withCurrentSpec(run: RunState, desired: DesiredJob): RunState {
  return { ...run, spec: desired.loaded.job };
}

function isSuspended(desired: DesiredJob, now: Instant): boolean {
  const { suspend } = desired.loaded.job;
  return suspend !== null && (suspend.until === null || now < instantOf(Date.parse(suspend.until)));
}

function suspended(desired: DesiredJob): Plan {
  const { name, suspend } = desired.loaded.job;
  const until = suspend?.until == null ? '' : ` until ${suspend.until}`;
  return rest(
    name,
    'suspended',
    'User',
    `${suspend?.reason ?? ''}${until}`,
    `remove \`suspend\` from ${desired.loaded.job.file}`,
  );
}

function newRun(desired: DesiredJob, snapshot: Snapshot, reason: string, forcedBy: readonly string[]): Plan {
  const { name } = desired.loaded.job;
  const known = jobState(snapshot.journal, name);
  const digest = generationDigest(desired.loaded.defines, desired.source, desired.account);
  // A revert is a new generation too: generations count edits, they do not name contents.
  const latest = known.generations.at(-1);
  const generation =
    latest === undefined ? 1 : latest.digest === digest ? latest.generation : latest.generation + 1;
  const run = (known.runs.at(-1)?.run ?? 0) + 1;
  return {
    actions: [{ kind: 'new_run', job: name, run, generation, reason, forcedBy, loaded: desired.loaded }],
    rests: [],
  };
}

function planRun(desired: DesiredJob, run: RunState, observed: RunObserved, snapshot: Snapshot): Plan {
  const sending = planSubmits(run, observed, snapshot);
  const actions = [...sending.actions, ...finishedWork(run, observed, snapshot)];
  const rests = withUnreadable(sending.rests, unreadableRest(run, observed, snapshot));
  // To tidy up at the provider is no more than a finished run is owed.
  if (rests.length > 0 || actions.some(({ kind }) => kind !== 'discard')) return { actions, rests };
  const idle = rest(desired.loaded.job.name, 'idle', 'UpToDate', `run ${run.run} is finished`, null);
  return { actions, rests: idle.rests };
}

/** That they cannot be read is said once, with why and until when; what else stops the run comes first. */
function withUnreadable(rests: readonly Rest[], unreadable: Rest | null): readonly Rest[] {
  if (unreadable === null) return rests;
  return [...rests.filter(({ reason }) => reason !== unreadable.reason), unreadable];
}

/** Rows whose results cannot be read hold nothing else back, but for those of a canary. */
function unreadableRest(run: RunState, observed: RunObserved, snapshot: Snapshot): Rest | null {
  const { settings, journal, pacing, now } = snapshot;
  const profile = profileOf(kindOf(run.spec.model.provider, settings), run.emulator);
  const batches = unreadableBatches(journal, run, profile, { quarterMs: pacing.missingMs, now });
  const rows = observed.dispositions.unreadable ?? 0;
  const stop = rows === 0 ? null : findStop(journal, run, observed);
  const holdsRest = stop?.reason === 'ResultsUnreadable' && countSendable(observed) > 0;
  return restUnreadable(run, batches, { rows, holdsRest });
}

/** Answers that are there are applied, and what is applied does not lie about at the provider. */
function finishedWork(run: RunState, observed: RunObserved, { journal }: Snapshot): Action[] {
  return [...planApplies(run, observed, journal), ...planDiscards(run, journal)];
}

function rest(job: JobName, kind: Rest['kind'], reason: string, message: string, next: string | null): Plan {
  return { actions: [], rests: [{ job, kind, reason, message, next }] };
}
