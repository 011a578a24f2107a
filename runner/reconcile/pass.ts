import { findingsInShort, StateConflict, UserError } from '../errors.ts';
import type { JobName } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import { JournalMoved } from '../journal/journal.ts';
import type { Action, NewRun, Rest } from '../plan/action.ts';
import { plan } from '../plan/plan.ts';
import type { DesiredJob } from '../plan/snapshot.ts';
import { resolveAmbiguous } from './adopt.ts';
import { applySink } from './apply.ts';
import { cancelBatches } from './cancel.ts';
import { collectEnded } from './collect.ts';
import type { PassContext } from './context.ts';
import { discardRemote } from './discard.ts';
import { draftRun } from './draft.ts';
import { freezeRun } from './freeze.ts';
import { observeDesired, takeSnapshot } from './observe.ts';
import { type LastLooks, pollLive } from './poll.ts';
import { submitShards } from './submit.ts';
import { checkTripwire } from './tripwire.ts';

/** What one process remembers between its passes; losing it costs only work. */
export interface PassMemory {
  readonly looks: LastLooks;
  /** Drafts that the gate turned down: not made again while nothing that they depend on has changed. */
  readonly turnedDown: Map<JobName, { readonly key: string; readonly rest: Rest }>;
  /** The last complaint about each job. */
  readonly said: Map<JobName, string>;
}

export function newMemory(): PassMemory {
  return { looks: new Map(), turnedDown: new Map(), said: new Map() };
}

/** What a pass came to. */
export interface PassResult {
  /** Why each job rests now. */
  readonly rests: readonly Rest[];
  /** How many actions were carried out. */
  readonly done: number;
}

/** Another writer may move the journal under us; each time what it touched is planned again. */
const MOST_REPLANS = 10;

/** One round of the reconciler: read, poll, collect, plan, gate, freeze, submit, apply. Reports are the caller's. */
export async function reconcileOnce(ctx: PassContext, memory: PassMemory): Promise<PassResult> {
  for (let replans = 0; ; replans += 1) {
    try {
      return await attempt(ctx, memory);
    } catch (error) {
      if (!(error instanceof JournalMoved)) throw error;
      if (replans >= MOST_REPLANS) throw busy(error);
      ctx.say({ level: 'info', job: null, text: `${error.message}; planning again` });
    }
  }
}

function busy(error: JournalMoved): StateConflict {
  return new StateConflict(
    `Another reconciler is at work: ${error.message}, ${MOST_REPLANS} times in a row.`,
    'Nothing is lost. Let the other one finish; one reconciler at a time is enough.',
  );
}

async function attempt(ctx: PassContext, memory: PassMemory): Promise<PassResult> {
  await ctx.journal.refresh();
  await checkTripwire(ctx.stateFolder, ctx.journal.state, ctx.store);
  await resolveAmbiguous(ctx);
  await pollLive(ctx, memory.looks);
  await collectEnded(ctx);
  const { jobs, unreadable } = await observeDesired(ctx);
  const work = new Work(ctx, jobs, memory);
  for (const { job, message } of unreadable) work.hold(job, 'InputUnreadable', message);
  // Planned before anything is applied: what this pass applies is discarded by a later one.
  const discards = await work.actions('discard');
  const cancels = await work.actions('cancel');
  if (cancels.length > 0) await cancelBatches(ctx, cancels);
  await work.freeze();
  await work.submit();
  await work.apply();
  if (!ctx.stopping()) await discardRemote(ctx, discards);
  return { rests: await work.rests(), done: work.done + discards.length };
}

/** The acting part of a pass. Each step plans anew from what the step before has left. */
class Work {
  private readonly ctx: PassContext;
  private readonly jobs: readonly DesiredJob[];
  private readonly memory: PassMemory;
  private readonly held = new Map<JobName, Rest>();
  done = 0;

  constructor(ctx: PassContext, jobs: readonly DesiredJob[], memory: PassMemory) {
    this.ctx = ctx;
    this.jobs = jobs;
    this.memory = memory;
  }

  async actions<Kind extends Action['kind']>(kind: Kind): Promise<Extract<Action, { kind: Kind }>[]> {
    const { actions } = plan(await takeSnapshot(this.ctx, this.jobs));
    return actions.filter(
      (action): action is Extract<Action, { kind: Kind }> =>
        action.kind === kind && !this.held.has(action.job),
    );
  }

  async freeze(): Promise<void> {
    for (const action of await this.actions('new_run')) {
      if (this.ctx.stopping()) return;
      await this.guarded(action.job, () => this.freezeOne(action));
    }
  }

  private async freezeOne(action: NewRun): Promise<void> {
    const key = this.draftKey(action);
    const known = this.memory.turnedDown.get(action.job);
    if (known?.key === key) {
      this.held.set(action.job, known.rest);
      return;
    }
    const draft = await draftRun(this.ctx, action, this.ctx.codec(action.loaded.job.model.provider));
    if (draft.verdict.kind === 'blocked') {
      const { reason, message, next } = draft.verdict;
      const rest: Rest = { job: action.job, kind: 'blocked', reason, message, next };
      this.memory.turnedDown.set(action.job, { key, rest });
      this.held.set(action.job, rest);
      return;
    }
    await freezeRun(this.ctx, draft);
    this.ctx.say({
      level: 'info',
      job: action.job,
      text: `run ${action.run} frozen: ${draft.manifest.items} items, ${draft.size.requests} requests to send (${action.reason})`,
    });
    this.done += 1;
  }

  /** Whatever a verdict depends on; the month's spend moves with the journal. */
  private draftKey(action: NewRun): string {
    const desired = this.jobs.find((each) => each.loaded.job.name === action.job);
    return JSON.stringify([
      action.loaded.job,
      action.loaded.defines,
      desired?.source,
      this.ctx.journal.state.seq,
      this.ctx.now().slice(0, 7),
    ]);
  }

  async submit(): Promise<void> {
    for (const action of await this.actions('submit')) {
      if (this.ctx.stopping()) return;
      await this.guarded(action.job, async () => {
        const ledger = await this.ctx.ledgers.of(action.job, this.jobOf(action.job), this.ctx.journal.state);
        if (ledger === null) return;
        const reason = await submitShards(this.ctx, action, ledger);
        if (reason !== null) this.hold(action.job, 'NotSent', reason);
        this.done += 1;
      });
    }
  }

  async apply(): Promise<void> {
    for (const action of await this.actions('apply')) {
      if (this.ctx.stopping()) return;
      await this.guarded(action.job, async () => {
        const ledger = await this.ctx.ledgers.of(action.job, this.jobOf(action.job), this.ctx.journal.state);
        if (ledger === null) return;
        const reason = await applySink(this.ctx, action, ledger);
        if (reason !== null) this.hold(action.job, 'SinkFailed', reason);
        this.done += 1;
      });
    }
  }

  async rests(): Promise<Rest[]> {
    const planned = plan(await takeSnapshot(this.ctx, this.jobs)).rests.filter(
      (rest) => !this.held.has(rest.job),
    );
    return [...planned, ...this.held.values()];
  }

  /** Said once a process, not in each pass: the report goes on saying it. */
  hold(job: JobName, reason: string, message: string): void {
    const file = this.jobs.find((each) => each.loaded.job.name === job)?.loaded.job.file ?? job;
    this.held.set(job, { job, kind: 'blocked', reason, message, next: `see ${file}` });
    if (this.memory.said.get(job) !== message) this.ctx.say({ level: 'error', job, text: message });
    this.memory.said.set(job, message);
  }

  private jobOf(name: JobName) {
    return (
      this.jobs.find((each) => each.loaded.job.name === name)?.loaded.job ??
      currentRun(this.ctx.journal.state, name)?.spec ??
      null
    );
  }

  /** One job's bad input must not keep the others from their work. */
  private async guarded(job: JobName, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (error instanceof JournalMoved || !(error instanceof UserError)) throw error;
      this.hold(job, 'InputUnusable', findingsInShort(error.findings));
    }
  }
}
