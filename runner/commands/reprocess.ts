import type { OutcomeChange } from '../reconcile/collect/merge-outcomes.ts';
import { type Reprocessed, reprocessJob } from '../reconcile/collect/reprocess.ts';
import { many } from '../report/text.ts';
import { runOf } from './ask.ts';
import { type Common, EXIT } from './common.ts';
import { withContext } from './session.ts';

export interface ReprocessOptions extends Common {
  readonly job: string;
  /** Rows with an accepted answer too. */
  readonly all: boolean;
  /** With `all`: do it, and not only say what would change. */
  readonly yes: boolean;
}

/** Understands kept result files anew, after an update of Batchwright that knows more of a server's ways. */
export async function runReprocess(options: ReprocessOptions): Promise<number> {
  return withContext(
    options,
    async (ctx) => {
      const { job } = runOf(ctx, options.job);
      const isDone = !options.all || options.yes;
      const read = await reprocessJob(ctx, job, { all: options.all, append: isDone });
      options.out(`${summaryOf(job, read, isDone)}\n`);
      return EXIT.ok;
    },
    'append',
  );
}

function summaryOf(job: string, { batches, changes }: Reprocessed, isDone: boolean): string {
  if (batches === 0) return `${job}: no kept result file has a row without an answer; nothing was read`;
  const head = `${job}: the results of ${many(batches, 'batch', 'batches')} were read again, 0 requests sent`;
  if (changes.length === 0) return `${head}; every row is as it was`;
  const rows = changes.reduce((sum, change) => sum + change.rows, 0);
  const lines = changes.map((change) => `  ${lineOf(change)}`);
  const end = isDone
    ? 'The next pass applies them.'
    : 'Nothing is changed yet: add `--yes` to take these in place of what stands.';
  return [`${head}; ${many(rows, 'row')} ${isDone ? 'changed' : 'would change'}:`, ...lines, end].join('\n');
}

function lineOf({ from, to, rows }: OutcomeChange): string {
  return from === to
    ? `${many(rows, 'row')}: ${to}, with another answer`
    : `${many(rows, 'row')}: ${from} → ${to}`;
}
