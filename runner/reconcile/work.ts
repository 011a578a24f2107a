import { findingsWithoutHint, hintOf, UserError } from '../errors.ts';
import type { JobName } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import { JournalMoved } from '../journal/journal.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { isCorruptLedger } from '../ledger/places.ts';
import type { Action, NewRun, Rest } from '../plan/action.ts';
import { plan } from '../plan/plan.ts';
import type { DesiredJob } from '../plan/snapshot.ts';
import { tombstonesOf } from '../plan/withdraw.ts';
import { applySink } from './apply.ts';
import { revalidate } from './collect/revalidate.ts';
import type { PassContext } from './context.ts';
import { draftRun } from './draft.ts';
import { restOfFault } from './faults.ts';
import { freezeRun } from './freeze.ts';
import { approvalOf } from './limits.ts';
import type { PassMemory } from './memory.ts';
import { takeSnapshot } from './observe.ts';
import { submitShards } from './submit/submit.ts';

/** The acting part of a pass. Each step plans anew from what the step before has left. */
export class Work {
  private readonly ctx: PassContext;
  private readonly jobs: readonly DesiredJob[];
  private readonly memory: PassMemory;
  /** Jobs that something held back in this pass; nothing more is done for them. */
  private readonly held = new Map<JobName, Rest>();
  private readonly notes: Rest[] = [];
  done = 0;

  constructor(ctx: PassContext, jobs: readonly DesiredJob[], memory: PassMemory) {
    this.ctx = ctx;
    this.jobs = jobs;
    this.memory = memory;
  }

  async actions<Kind extends Action['kind']>(kind: Kind): Promise<Extract<Action, { kind: Kind }>[]> {
    const { actions } = plan(await takeSnapshot(this.ctx, this.jobs));
    // What holds sending back must not keep answers that were paid for from their sinks.
    const mayBeHeld = kind === 'new_run' || kind === 'submit';
    return actions.filter(
      (action): action is Extract<Action, { kind: Kind }> =>
        action.kind === kind && !(mayBeHeld && this.held.has(action.job)),
    );
  }

  /** Tombstones, set and lifted: one append, since they go by what the whole fleet is. */
  async tombstones(): Promise<void> {
    const { actions } = plan(await takeSnapshot(this.ctx, this.jobs));
    const events = tombstonesOf(actions);
    if (events.length > 0) await this.ctx.journal.append(events);
    this.done += events.length;
  }

  revalidate(): Promise<void> {
    return this.each('revalidate', (action) => revalidate(this.ctx, action));
  }

  freeze(): Promise<void> {
    return this.each('new_run', (action) => this.freezeOne(action));
  }

  submit(): Promise<void> {
    return this.each('submit', async (action) =>
      submitShards(this.ctx, action, await this.ledgerOf(action.job)),
    );
  }

  apply(): Promise<void> {
    return this.each('apply', async (action) => applySink(this.ctx, action, await this.ledgerOf(action.job)));
  }

  /** Why each job rests: as the plan says, or what held it back in this pass. */
  async rests(): Promise<Rest[]> {
    const planned = plan(await takeSnapshot(this.ctx, this.jobs)).rests.filter(
      (rest) => !this.held.has(rest.job) && !(rest.kind === 'idle' && this.isNoted(rest.job)),
    );
    return [...this.notes, ...planned, ...this.held.values()];
  }

  /** "Finished" beside "cannot be read" would say two things at once. */
  private isNoted(job: JobName): boolean {
    return this.notes.some((note) => note.job === job);
  }

  hold(rest: Rest): void {
    this.held.set(rest.job, rest);
    this.complain(rest);
  }

  /** Something that a person must mend, and that holds nothing back by itself. */
  note(rest: Rest): void {
    this.notes.push(rest);
    this.complain(rest);
  }

  private complain(rest: Rest): void {
    this.ctx.say({ level: rest.kind === 'blocked' ? 'error' : 'warning', job: rest.job, text: rest.message });
  }

  /** One job's bad input must not keep the others from their work. */
  private async each<Kind extends Action['kind']>(
    kind: Kind,
    step: (action: Extract<Action, { kind: Kind }>) => Promise<Rest | null>,
  ): Promise<void> {
    for (const action of await this.actions(kind)) {
      if (this.ctx.stopping()) return;
      const rest = await step(action).catch((error: unknown) => this.restOf(error, action.job));
      if (rest !== null) this.hold(rest);
      else this.done += 1;
    }
  }

  /** What a stream of rows meets no question can heal: the next pass makes the ledger anew. */
  private async restOf(error: unknown, job: JobName): Promise<Rest> {
    if (!isCorruptLedger(error)) return restOf(error, job);
    await this.ctx.ledgers.discard(job);
    const message = 'its ledger was damaged; the next pass makes it anew from the journal';
    return { job, kind: 'waiting', reason: 'LedgerDamaged', message, next: null };
  }

  private async freezeOne(action: NewRun): Promise<Rest | null> {
    const key = this.draftKey(action);
    const known = this.memory.turnedDown.get(action.job);
    if (known?.key === key) return known.rest;
    // First of all: a run that cannot be sent for want of a key should not be frozen either.
    await this.ctx.provider(action.loaded.job.model.provider);
    const draft = await draftRun(this.ctx, action, this.ctx.codec(action.loaded.job.model.provider));
    if (draft.verdict.kind === 'blocked') {
      const { kind, reason, message, next } = draft.verdict;
      const rest: Rest = { job: action.job, kind, reason, message, next };
      this.memory.turnedDown.set(action.job, { key, rest });
      return rest;
    }
    await freezeRun(this.ctx, draft);
    const { items } = draft.manifest;
    const text = `run ${action.run} frozen: ${items} ${items === 1 ? 'item' : 'items'}, ${draft.size.requests} of them to send (${action.reason})`;
    this.ctx.say({ level: 'info', job: action.job, text });
    return null;
  }

  /** Whatever a verdict depends on; the month's spend moves with the journal, and approvals end with a day. */
  private draftKey(action: NewRun): string {
    const desired = this.jobs.find((each) => each.loaded.job.name === action.job);
    return JSON.stringify([
      action.loaded.job,
      action.loaded.defines,
      desired?.source,
      this.ctx.settings,
      approvalOf(this.ctx, action.job),
      this.ctx.now().slice(0, 10),
      this.ctx.journal.state.seq,
    ]);
  }

  private async ledgerOf(name: JobName): Promise<Ledger> {
    const wanted = this.jobs.find((each) => each.loaded.job.name === name)?.loaded.job;
    const job = wanted ?? currentRun(this.ctx.journal.state, name)?.spec ?? null;
    const ledger = await this.ctx.ledgers.of(name, job, this.ctx.journal.state);
    if (ledger === null) throw new Error(`an action for ${name}, which has no run`);
    return ledger;
  }
}

const CREDENTIAL_CODES = ['key-', 'payer-'];

/** A mistake in what a person wrote, a damaged file or a full disk holds the job back; anything else ends the pass. */
function restOf(error: unknown, job: JobName): Rest {
  if (error instanceof JournalMoved) throw error;
  const fault = restOfFault(job, error);
  if (fault !== null) return fault;
  if (!(error instanceof UserError)) throw error;
  const credentials = error.findings.some(({ code }) =>
    CREDENTIAL_CODES.some((start) => code.startsWith(start)),
  );
  return {
    job,
    kind: 'blocked',
    reason: credentials ? 'CredentialsMissing' : 'InputUnusable',
    message: findingsWithoutHint(error.findings),
    next: hintOf(error.findings),
  };
}
