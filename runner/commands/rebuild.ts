import { join, relative } from 'node:path';
import { DamagedFiles, userError } from '../errors.ts';
import { moveInPlace } from '../files.ts';
import { isJobName, type JobName } from '../ids.ts';
import { jobState } from '../journal/fold.ts';
import { ledgerPath } from '../ledger/ledger.ts';
import { removeLedgerFile } from '../ledger/open.ts';
import { isHeld, tableCounts } from '../ledger/rebuild.ts';
import type { PassContext } from '../reconcile/context.ts';
import { bringBack } from '../reconcile/faults.ts';
import { ledgerPool } from '../reconcile/ledgers.ts';
import { type Common, EXIT } from './common.ts';
import { unknownJob, withContext } from './session.ts';
import { tableText } from './table.ts';

/**
 * `batchwright state rebuild`: makes ledgers anew from the journal and the files that it names. A ledger is made beside
 * the old one and takes its place only when it is whole.
 * Where a stored file of a job is damaged its old ledger stays, which is told (exit code 4), and the others are made.
 * @throws UserError where there is no room for one
 */
export async function runRebuild(options: Common & { readonly jobs: readonly string[] }): Promise<number> {
  return withContext(options, async (ctx) => {
    const jobs: Rebuilt[] = [];
    const damaged: { readonly job: JobName; readonly message: string }[] = [];
    for (const job of jobsOf(options.jobs, ctx)) {
      try {
        jobs.push(await rebuild(ctx, job));
      } catch (error) {
        if (!(error instanceof DamagedFiles)) throw error;
        damaged.push({ job, message: error.message });
      }
    }
    const { seq } = ctx.journal.state;
    const document = { format: 'batchwright/rebuild/v1', journal_seq: seq, jobs, damaged };
    const text = [...jobs.map(textOf), ...damaged.map(damagedText)].join('\n');
    options.out(options.json ? `${JSON.stringify(document, null, 2)}\n` : text || NOTHING);
    return damaged.length > 0 ? EXIT.stateConflict : EXIT.ok;
  });
}

const NOTHING = 'no job has a run yet, so there is no ledger\n';

interface Rebuilt {
  readonly job: JobName;
  /** From the root. */
  readonly ledger: string;
  readonly tables: Readonly<Record<string, number>>;
}

/** Jobs with a run; of others there is nothing to make a ledger of. */
function jobsOf(names: readonly string[], ctx: PassContext): JobName[] {
  const { state } = ctx.journal;
  const hasRun = (name: JobName) => jobState(state, name).runs.length > 0;
  if (names.length === 0) return (Object.keys(state.jobs) as JobName[]).filter(hasRun).sort();
  return names.map((name) => {
    if (isJobName(name) && hasRun(name)) return name;
    if (!ctx.repository.jobs.some(({ job }) => job.name === name)) throw unknownJob(name, ctx.repository);
    throw userError('no-run', `job ${name} has no run yet, so it has no ledger`);
  });
}

async function rebuild(ctx: PassContext, name: JobName): Promise<Rebuilt> {
  const path = ledgerPath(ctx.stateFolder, name);
  if (await isHeld(path)) {
    // Its write-ahead log would be left behind, and be replayed into the new file.
    throw userError(
      'ledger-held',
      `another process has ${path} open`,
      'close it (a pass, an editor) and try again',
    );
  }
  const stateFolder = join(ctx.work, 'rebuilt');
  const tables = await make(ctx, name, stateFolder);
  await removeLedgerFile(path);
  await moveInPlace(ledgerPath(stateFolder, name), path);
  return { job: name, ledger: relative(ctx.root, path), tables };
}

async function make(ctx: PassContext, name: JobName, stateFolder: string): Promise<Record<string, number>> {
  const job = ctx.repository.jobs.find((each) => each.job.name === name)?.job ?? null;
  const pool = ledgerPool({ stateFolder, work: ctx.work, store: ctx.store });
  try {
    const ledger = await pool.of(name, job, ctx.journal.state);
    if (ledger === null) throw new Error(`${name} has no run`);
    if (ledger.notKept !== null) {
      const why = `the ledger of ${name} was not made anew, and the old one stays. ${ledger.notKept}`;
      throw userError('ledger-not-kept', why, 'it is made anew by itself whenever a verb needs it');
    }
    const counts = await tableCounts(ledger.duck);
    // Closing does so too where all goes well; without it the log would stay behind under the old name.
    await ledger.duck.run('CHECKPOINT');
    return counts;
  } finally {
    pool.close();
  }
}

function damagedText({ job, message }: { readonly job: JobName; readonly message: string }): string {
  return `${job}: not made anew, and the old ledger stays: ${message}\n  → ${bringBack(job)}\n`;
}

function textOf({ job, ledger, tables }: Rebuilt): string {
  const rows = Object.entries(tables).map(([table, count]) => ({ table, rows: count }));
  return `${job}: ${ledger} made anew from the journal\n${tableText(['table', 'rows'], rows)}`;
}
