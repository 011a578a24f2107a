import type { JobName } from '../ids.ts';
import { jobState } from '../journal/fold.ts';
import { isOpen } from '../plan/spend.ts';
import { bytesOf, storedBytes, storedFiles } from '../plan/stored.ts';
import type { PassContext } from '../reconcile/context.ts';
import { bytes, duration } from '../report/text.ts';
import { type Common, EXIT } from './common.ts';
import { withContext } from './session.ts';
import { tableText } from './table.ts';

/** What the store keeps: the journal's head, and each job's runs, open batches and files. Fetches none of them. */
export async function runState(options: Common): Promise<number> {
  return withContext(options, async (ctx) => {
    const { lineage, seq, head } = ctx.journal.state;
    const jobs = jobNames(ctx).map((name) => jobLine(ctx, name));
    const { store } = ctx.settings;
    const document = {
      format: 'batchwright/state/v1',
      store: ctx.store.kind,
      folder: ctx.stateFolder,
      place: ctx.store.place,
      journal: { lineage, seq, head },
      bytes: storedBytes(ctx.journal.state),
      max_bytes: store.kind === 'local' ? null : store.maxBytes,
      retention_ms: store.kind === 'local' ? null : store.retentionMs,
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
  /** Runs whose files are kept no longer. */
  readonly dropped_runs: number;
}

function jobNames(ctx: PassContext): JobName[] {
  return (Object.keys(ctx.journal.state.jobs) as JobName[]).sort();
}

function jobLine(ctx: PassContext, name: JobName): JobLine {
  const { state } = ctx.journal;
  const { runs } = jobState(state, name);
  const open = Object.values(state.intents).filter((intent) => intent.job === name && isOpen(intent));
  const files = runs.flatMap((run) => storedFiles(state, run));
  return {
    job: name,
    runs: runs.length,
    open_batches: open.length,
    files: files.length,
    bytes: bytesOf(files),
    dropped_runs: runs.filter((run) => run.dropped !== undefined).length,
  };
}

function textOf(ctx: PassContext, jobs: readonly JobLine[]): string {
  const { lineage, seq, head } = ctx.journal.state;
  const place = `store ${ctx.store.kind} at ${ctx.store.place}`;
  if (lineage === null) return `${place}: no journal yet\n`;
  const top = `${place}\njournal ${lineage}, ${seq} segments, head ${head}\n${roomOf(ctx)}\n`;
  const columns = ['job', 'runs', 'open_batches', 'files', 'bytes', 'dropped_runs'];
  return (
    top +
    tableText(
      columns,
      jobs.map((job) => ({ ...job })),
    )
  );
}

function roomOf({ settings: { store }, journal }: PassContext): string {
  if (store.kind === 'local') return '';
  const used = bytes(storedBytes(journal.state));
  return `files ${used} of at most ${bytes(store.maxBytes)}; \`state prune\` may drop runs that nothing uses after ${duration(store.retentionMs)}\n`;
}
