import { join, posix } from 'node:path';
import { openDuck } from '../../duck.ts';
import { StateConflict } from '../../errors.ts';
import type { JobName } from '../../ids.ts';
import { currentRun, jobState } from '../../journal/fold.ts';
import type { JournalState } from '../../journal/state.ts';
import { foldersOf } from '../../plan/stored.ts';
import type { Check, Verification } from '../../report/verify-view.ts';
import type { PassContext } from '../context.ts';
import { type LedgerPool, ledgerPool } from '../ledgers.ts';
import { checkTripwire } from '../tripwire.ts';
import { checkBooks, checkBoughtOnce, type MadeLedger } from './books.ts';
import { checkChain, foldReadable, type ReadSegment } from './chain.ts';
import { proved, unproved, whyOf } from './check.ts';
import { checkFiles, namedFiles } from './files.ts';
import { checkOpen, checkRemoteFiles } from './remote.ts';
import { checkSinks } from './sinks.ts';
import { checkSnapshots } from './snapshots.ts';

/**
 * Proves or names, from the store alone: no network, nothing is changed. Ledgers are made anew in the work folder, so
 * that an old one cannot vouch for itself. A check that fails does not keep the others from being made.
 */
export async function verify(
  ctx: PassContext,
  segments: readonly ReadSegment[],
  jobs: readonly JobName[],
): Promise<Verification> {
  const state = foldReadable(segments);
  const snapshots = await checkSnapshots(ctx.store, segments);
  const checks = [
    checkChain(segments),
    ...(snapshots === null ? [] : [snapshots]),
    await checkReports(ctx, state),
  ];
  const stateFolder = join(ctx.work, 'verify');
  const ledgers = ledgerPool({ stateFolder, work: ctx.work, store: ctx.store, unproven: true });
  try {
    for (const job of jobs) checks.push(...(await checkJob(ctx, state, segments, job, ledgers)));
  } finally {
    ledgers.close();
  }
  return { checks };
}

/** The committed reports know how far the journal had got: one that ends before that has lost its end. */
async function checkReports(ctx: PassContext, state: JournalState): Promise<Check> {
  const of = { job: null, check: 'reports' };
  try {
    await checkTripwire(ctx.stateFolder, state, ctx.store);
    return proved(of, 'no status.json knows of anything that the journal does not have');
  } catch (error) {
    if (!(error instanceof StateConflict)) throw error;
    return unproved(of, 'lost', { message: error.message, next: error.hint });
  }
}

async function checkJob(
  ctx: PassContext,
  state: JournalState,
  segments: readonly ReadSegment[],
  name: JobName,
  ledgers: LedgerPool,
): Promise<Check[]> {
  const run = currentRun(state, name);
  const gone = new Set(droppedFolders(state, name));
  const named = namedFiles(segments, name).filter(({ name: file }) => !gone.has(posix.dirname(file)));
  const files = await checkFiles(ctx.store, name, named);
  const rest = [checkOpen(state, name), checkRemoteFiles(state, name)];
  if (run === undefined) return [files, ...rest];
  const job = ctx.repository.jobs.find((each) => each.job.name === name)?.job ?? null;
  const made = await makeLedger(() => ledgers.of(name, job, state));
  return [
    files,
    ...(await checkRuns(ctx, state, name, made)),
    ...('why' in made ? [] : [await checkBoughtOnce(made.ledger)]),
    ...(await checkSinks({ ctx, state, job: job ?? run.spec, made })),
    ...rest,
  ];
}

function droppedFolders(state: JournalState, name: JobName): string[] {
  return jobState(state, name)
    .runs.filter((run) => run.dropped !== undefined)
    .flatMap((run) => foldersOf(state, run));
}

async function makeLedger(make: () => ReturnType<LedgerPool['of']>): Promise<MadeLedger> {
  try {
    const ledger = await make();
    return ledger === null ? { why: 'there is no run' } : { ledger };
  } catch (error) {
    return { why: whyOf(error) };
  }
}

async function checkRuns(
  ctx: PassContext,
  state: JournalState,
  name: JobName,
  made: MadeLedger,
): Promise<Check[]> {
  const duck = await openDuck({ memoryLimit: '128MB' });
  try {
    const checks: Check[] = [];
    const runs = jobState(state, name).runs.filter((run) => run.dropped === undefined);
    for (const run of runs) checks.push(await checkBooks({ state, run, made, store: ctx.store, duck }));
    return checks;
  } finally {
    duck.close();
  }
}
