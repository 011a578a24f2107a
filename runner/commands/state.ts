import { stat } from 'node:fs/promises';
import type { JobName } from '../ids.ts';
import { jobState } from '../journal/fold.ts';
import { isOpen } from '../plan/spend.ts';
import type { PassContext } from '../reconcile/context.ts';
import { type Common, EXIT } from './common.ts';
import { withContext } from './session.ts';
import { tableText } from './table.ts';

/** What the store keeps: the journal's head, and each job's runs, open batches and files. */
export async function runState(options: Common): Promise<number> {
  return withContext(options, async (ctx) => {
    const { lineage, seq, head } = ctx.journal.state;
    const jobs = await Promise.all(jobNames(ctx).map((name) => jobLine(ctx, name)));
    const document = {
      format: 'batchwright/state/v1',
      store: ctx.store.kind,
      folder: ctx.stateFolder,
      journal: { lineage, seq, head },
      jobs,
    };
    if (options.json) options.out(`${JSON.stringify(document, null, 2)}\n`);
    else options.out(textOf(ctx, jobs));
    return EXIT.ok;
  });
}

interface JobLine {
  readonly job: JobName;
  readonly runs: number;
  readonly open_batches: number;
  readonly files: number;
  readonly bytes: number;
}

function jobNames(ctx: PassContext): JobName[] {
  return (Object.keys(ctx.journal.state.jobs) as JobName[]).sort();
}

async function jobLine(ctx: PassContext, name: JobName): Promise<JobLine> {
  const { runs } = jobState(ctx.journal.state, name);
  const open = Object.values(ctx.journal.state.intents).filter(
    (intent) => intent.job === name && isOpen(intent),
  );
  const files = await ctx.store.list(`${name}/runs/`);
  const sizes = await Promise.all(files.map((file) => sizeOf(ctx, file)));
  return {
    job: name,
    runs: runs.length,
    open_batches: open.length,
    files: files.length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

async function sizeOf(ctx: PassContext, name: string): Promise<number> {
  const path = await ctx.store.get(name);
  return path === null ? 0 : (await stat(path)).size;
}

function textOf(ctx: PassContext, jobs: readonly JobLine[]): string {
  const { lineage, seq, head } = ctx.journal.state;
  if (lineage === null) return `store ${ctx.store.kind} at ${ctx.stateFolder}: no journal yet\n`;
  const top = `store ${ctx.store.kind} at ${ctx.stateFolder}\njournal ${lineage}, ${seq} segments, head ${head}\n\n`;
  return (
    top +
    tableText(
      ['job', 'runs', 'open_batches', 'files', 'bytes'],
      jobs.map((job) => ({ ...job })),
    )
  );
}
