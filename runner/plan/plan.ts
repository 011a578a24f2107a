import type { Instant, JobName } from '../ids.ts';
import { instantOf } from '../ids.ts';
import { intentsOf, jobState } from '../journal/fold.ts';
import type { IntentState, RunState } from '../journal/state.ts';
import { kindOf, profileOf } from '../spec/profiles.ts';
import type { Action, Plan, Rest } from './action.ts';
import { planApplies, planDiscards } from './apply.ts';
import { canaryVerdict } from './canary.ts';
import { planCancels } from './cancel.ts';
import { changeOf, generationDigest } from './generation.ts';
import type { DesiredJob, RunObserved, Snapshot } from './snapshot.ts';
import { isOpen, pausedUntil } from './spend.ts';
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
  const rests = [...sending.rests, ...unreadableRests(run, observed, snapshot)];
  if (actions.length + rests.length > 0) return { actions, rests };
  return rest(desired.loaded.job.name, 'idle', 'UpToDate', `run ${run.run} is finished`, null);
}

/** Rows whose results cannot be read hold nothing else back. */
function unreadableRests(run: RunState, { dispositions }: RunObserved, snapshot: Snapshot): Rest[] {
  const { settings, journal, pacing } = snapshot;
  const profile = profileOf(kindOf(run.spec.model.provider, settings), run.emulator);
  const batches = unreadableBatches(journal, run, profile, pacing.missingMs);
  const rest = restUnreadable(run, batches, dispositions.unreadable ?? 0);
  return rest === null ? [] : [rest];
}

/** Answers that are there are applied, and what is applied does not lie about at the provider. */
function finishedWork(run: RunState, observed: RunObserved, { journal }: Snapshot): Action[] {
  return [...planApplies(run, observed, journal), ...planDiscards(run, journal)];
}

function planSubmits(run: RunState, observed: RunObserved, snapshot: Snapshot): Plan {
  const intents = intentsOf(snapshot.journal, run);
  const open = intents.filter(isOpen).length;
  const { sendable } = observed;
  const wanted = sendable.first + sendable.retry + sendable.stalled;
  if (wanted === 0) return open > 0 ? inFlight(run, open) : cancelled(run, sendable.cancelled, intents);
  const blocker = blockedBy(run, open, intents, snapshot);
  if (blocker !== null) return blocker;
  const canary = canaryVerdict(snapshot.journal, run, wanted);
  if (canary.kind === 'failed') return canaryFailed(run, canary);
  if (canary.kind === 'waiting')
    return rest(run.job, 'waiting', 'Canary', `its canary of ${canary.items}`, null);
  if (canary.kind === 'send') return submitCanary(run, canary.items, intents, snapshot);
  return submitShards(run, open, observed, intents, snapshot);
}

const NOTHING: Plan = { actions: [], rests: [] };

/** A batch that failed as a whole is told in the provider's words: nobody has cancelled anything. */
function cancelled(run: RunState, items: number, intents: readonly IntentState[]): Plan {
  if (items === 0) return NOTHING;
  const failed = intents.findLast(({ batch, settled }) => batch?.state === 'failed' && settled !== null);
  const words = failed?.batch?.errors.find(({ line }) => line === null) ?? failed?.batch?.errors[0];
  if (failed !== undefined && (failed.settled?.summary.counts.cancelled ?? 0) > 0) {
    const why = words?.message ?? 'it gives no reason';
    const message = `the provider refused a whole batch, and ${items} items wait: ${why}`;
    const next = `mend what it names and merge, which is a new run; or \`batchwright retry ${run.job} --class cancelled\``;
    return rest(run.job, 'blocked', 'BatchFailed', message, next);
  }
  const message = `${items} items were cancelled at the provider; they are not sent again by themselves`;
  return rest(run.job, 'blocked', 'Cancelled', message, `batchwright retry ${run.job} --class cancelled`);
}

function inFlight(run: RunState, open: number): Plan {
  return rest(
    run.job,
    'in_flight',
    'ProviderRunning',
    `${open} ${open === 1 ? 'batch' : 'batches'} under way`,
    null,
  );
}

function blockedBy(
  run: RunState,
  open: number,
  intents: readonly IntentState[],
  snapshot: Snapshot,
): Plan | null {
  // The batches after a refused one were never asked for.
  const rejected = intents.findLast((intent) => intent.phase !== 'absent' && intent.secondOf === null);
  if (rejected?.phase === 'refused' && rejected.error?.about === 'request') {
    const message = `the provider rejects the batch: ${rejected.error.message}`;
    return rest(
      run.job,
      'blocked',
      'ProviderRejected',
      message,
      'mend the job and merge; a changed job is a new run',
    );
  }
  const pause = pausedUntil(snapshot.journal, run.account, snapshot.pacing);
  if (pause !== null && snapshot.now < pause.until) {
    const account = pause.about === 'account';
    return rest(
      run.job,
      account ? 'blocked' : 'waiting',
      account ? 'AccountPaused' : 'QueueFull',
      `${run.account} takes no new batch until ${pause.until}: ${pause.why}`,
      account ? "look at the provider's billing and limits pages; nothing more is sent until then" : null,
    );
  }
  if (open >= run.spec.shard.maxInFlight) return inFlight(run, open);
  return null;
}

function canaryFailed(
  run: RunState,
  canary: { readonly ok: number; readonly judged: number; readonly minValid: number },
): Plan {
  const needed = Math.ceil(canary.judged * canary.minValid);
  return rest(
    run.job,
    'blocked',
    'CanaryFailed',
    `the canary has ${canary.ok} valid of ${canary.judged} answers, ${needed} are needed; the rest was not sent`,
    `read the report, mend prompt or schema, and merge: that starts a new run`,
  );
}

/** A canary that came back without an answer is tried again like any other failure: after a pause. */
function submitCanary(
  run: RunState,
  items: number,
  intents: readonly IntentState[],
  snapshot: Snapshot,
): Plan {
  const before = intents.filter(
    ({ kind, settled, secondOf }) => kind === 'canary' && settled !== null && secondOf === null,
  ).length;
  const due = before === 0 ? snapshot.now : retryDue(intents, before - 1, snapshot);
  if (snapshot.now < due)
    return rest(run.job, 'waiting', 'Retry', `the canary is tried again after ${due}`, null);
  return submit(
    run,
    'canary',
    items,
    before === 0 ? 'model, prompt or schema is new' : 'the last canary was not answered',
  );
}

/** First tries before retries; retries when nothing of the run is under way, so that they travel together. */
function submitShards(
  run: RunState,
  open: number,
  observed: RunObserved,
  intents: readonly IntentState[],
  snapshot: Snapshot,
): Plan {
  const { first, retry, stalled } = observed.sendable;
  if (first + stalled > 0) return submit(run, 'first', first + stalled, 'not sent yet');
  if (open > 0) return inFlight(run, open);
  // Shards that were announced together are one round.
  const retries = intents.filter((intent) => intent.kind === 'retry' && intent.secondOf === null);
  const rounds = new Set(retries.map((intent) => intent.at)).size;
  const due = retryDue(intents, rounds, snapshot);
  if (snapshot.now < due)
    return rest(run.job, 'waiting', 'Retry', `${retry} items are tried again after ${due}`, null);
  return submit(run, 'retry', retry, 'failed in a way that another try may mend');
}

/** Doubles with each round of retries: a provider in trouble gets room. */
function retryDue(intents: readonly IntentState[], rounds: number, snapshot: Snapshot): Instant {
  const settled = intents.flatMap((intent) => (intent.settled === null ? [] : [intent.settled.at])).sort();
  const last = settled.at(-1);
  if (last === undefined) return snapshot.now;
  return instantOf(Date.parse(last) + snapshot.pacing.retryMs * 2 ** Math.min(rounds, 5));
}

function submit(run: RunState, shard: 'canary' | 'first' | 'retry', items: number, reason: string): Plan {
  return { actions: [{ kind: 'submit', job: run.job, run: run.run, shard, items, reason }], rests: [] };
}

function rest(job: JobName, kind: Rest['kind'], reason: string, message: string, next: string | null): Plan {
  return { actions: [], rests: [{ job, kind, reason, message, next }] };
}
