import { messageOf, userError } from '../errors.ts';
import type { JobName } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import { type Common, EXIT } from './common.ts';
import { unknownJob, withContext } from './session.ts';
import { tableText } from './table.ts';

/** Runs a query on a job's ledger, after it has been brought up to the journal. Whatever it changes is thrown away. */
export async function runSql(
  options: Common & { readonly job: string; readonly query: string },
): Promise<number> {
  return withContext(options, async (ctx) => {
    const name = options.job as JobName;
    const job = ctx.repository.jobs.find((each) => each.job.name === name)?.job ?? null;
    if (job === null && currentRun(ctx.journal.state, name) === undefined)
      throw unknownJob(options.job, ctx.repository);
    const ledger = await ctx.ledgers.of(name, job, ctx.journal.state);
    if (ledger === null)
      throw userError(
        'no-run',
        `job ${name} has no run yet, so it has no ledger`,
        'run `batchwright reconcile` first',
      );
    await ledger.duck.run('BEGIN TRANSACTION READ ONLY');
    try {
      const reader = await ledger.duck.connection.runAndReadAll(options.query);
      const rows = reader.getRowObjectsJson();
      options.out(
        options.json
          ? `${JSON.stringify({ format: 'batchwright/rows/v1', rows })}\n`
          : tableText(reader.columnNames(), rows),
      );
      return EXIT.ok;
    } catch (error) {
      throw userError(
        'bad-query',
        `DuckDB cannot run this: ${messageOf(error)}`,
        'tables: run, item, shard, attempt, answer, applied, spend; views: manifest, outcome, disposition, retry_ledger, event',
      );
    } finally {
      await ledger.duck.run('ROLLBACK');
    }
  });
}
