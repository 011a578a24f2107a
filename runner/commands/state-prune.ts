import { userError } from '../errors.ts';
import { type Pruned, planPrune, prune } from '../reconcile/prune.ts';
import { bytes, many } from '../report/text.ts';
import { durationMs } from '../spec/duration.ts';
import { type Common, EXIT } from './common.ts';
import { selected, withContext } from './session.ts';

export interface PruneOptions extends Common {
  readonly jobs: readonly string[];
  /** `30d`; null: as the settings say. */
  readonly keep: string | null;
  readonly dryRun: boolean;
}

/** For stores whose settings have no `retention`. */
const KEPT_MS = durationMs('30d');

/**
 * `batchwright state prune`: drops the files of runs that another run has taken the place of, once they are old enough
 * and nothing uses an answer of theirs.
 * @throws UserError where this checkout may not act
 */
export async function runPrune(options: PruneOptions): Promise<number> {
  return withContext(
    options,
    async (ctx) => {
      const { store } = ctx.settings;
      const keptMs = keepOf(options.keep) ?? (store.kind === 'local' ? KEPT_MS : store.retentionMs);
      const pruned = await planPrune(ctx, keptMs, selected(options.jobs, ctx.repository));
      if (!options.dryRun && ctx.readOnly !== null)
        throw userError('read-only', `nothing is dropped from here: ${ctx.readOnly}`);
      if (!options.dryRun) await prune(ctx, pruned);
      options.out(options.json ? jsonOf(pruned, options.dryRun) : textOf(pruned, options.dryRun));
      return EXIT.ok;
    },
    'append',
  );
}

function keepOf(written: string | null): number | null {
  if (written === null) return null;
  try {
    return durationMs(written);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw userError(
      'bad-duration',
      `--keep takes a duration such as 12h or 30d, not ${JSON.stringify(written)}`,
    );
  }
}

function jsonOf(pruned: readonly Pruned[], dryRun: boolean): string {
  const runs = pruned.map(({ event: { job, run, files, bytes }, keptFor }) => ({
    job,
    run,
    files,
    bytes,
    dropped: keptFor === null,
    kept_for: keptFor,
  }));
  return `${JSON.stringify({ format: 'batchwright/prune/v1', dry_run: dryRun, runs }, null, 2)}\n`;
}

function textOf(pruned: readonly Pruned[], dryRun: boolean): string {
  if (pruned.length === 0) return 'no run is old enough to be dropped\n';
  const verb = dryRun ? 'would be dropped' : 'dropped';
  return pruned
    .map(({ event, keptFor }) => {
      const what = `${event.job} run ${event.run}: ${many(event.files, 'file')}, ${bytes(event.bytes)}`;
      return `${what} ${keptFor === null ? verb : `kept: ${keptFor}`}\n`;
    })
    .join('');
}
