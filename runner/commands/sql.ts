import type { Duck } from '../duck.ts';
import { messageOf, UserError, userError } from '../errors.ts';
import type { JobName } from '../ids.ts';
import { currentRun } from '../journal/fold.ts';
import { isBrokenLedger } from '../ledger/places.ts';
import { isNoRoom } from '../machine-trouble.ts';
import { type Common, EXIT } from './common.ts';
import { noRun } from './no-run.ts';
import { unknownJob, withContext } from './session.ts';
import { tableText } from './table.ts';

export interface SqlOptions extends Common {
  readonly job: string;
  readonly query: string;
}

/** Runs a query on a job's ledger, after it has been brought up to the journal. Whatever it changes is thrown away. */
export async function runSql(options: SqlOptions): Promise<number> {
  refuseEmpty(options);
  return withContext(options, async (ctx) => {
    const name = options.job as JobName;
    const job = ctx.repository.jobs.find((each) => each.job.name === name)?.job ?? null;
    if (job === null && currentRun(ctx.journal.state, name) === undefined)
      throw unknownJob(options.job, ctx.repository);
    const ledger = await ctx.ledgers.of(name, job, ctx.journal.state);
    if (ledger === null) throw noRun(options.job, options);
    await ledger.prove();
    const result = await ledger.ask((duck) => query(duck, options.query));
    options.out(
      options.json
        ? `${JSON.stringify({ format: 'batchwright/rows/v1', rows: result.getRowObjectsJson() })}\n`
        : tableText(result.deduplicatedColumnNames(), result.getRowObjects().map(asText)),
    );
    return EXIT.ok;
  });
}

/** To blanks, semicolons and comments DuckDB would answer with nothing at all. */
function refuseEmpty({ job, query }: SqlOptions): void {
  const words = query.replaceAll(/--.*|\/\*[\s\S]*?\*\//g, '');
  if (!/^[\s;]*$/.test(words)) return;
  throw userError(
    'empty-query',
    'the query is empty',
    `write it as one argument in quotes: batchwright sql ${job} "SELECT disposition, count(*) FROM disposition GROUP BY 1"`,
  );
}

async function query(duck: Duck, sql: string) {
  await refuseSeveral(duck, sql);
  await duck.run('BEGIN TRANSACTION READ ONLY');
  try {
    return await duck.connection.runAndReadAll(sql);
  } catch (error) {
    // The ledger is made anew, and asked once more.
    if (isBrokenLedger(error) || isNoRoom(error)) throw error;
    throw badQuery(messageOf(error));
  } finally {
    // A query may have ended the transaction by itself.
    await duck.run('ROLLBACK').catch(() => {});
  }
}

/** The first of several could end the transaction that keeps the others from changing anything. */
async function refuseSeveral({ connection }: Duck, sql: string): Promise<void> {
  // What does not parse is told better when it is run.
  const count = await connection.extractStatements(sql).then(
    (statements) => statements.count,
    () => 1,
  );
  if (count > 1) throw userError('several-queries', `one query at a time, not ${count}`);
}

/** DuckDB's words line by line: a caret in them points at the fault. */
function badQuery(message: string): UserError {
  const [first = '', ...lines] = message.split('\n').filter((line) => line.trim() !== '');
  return new UserError([
    {
      level: 'error',
      code: 'bad-query',
      message: `DuckDB cannot run this: ${first}`,
      lines,
      hint: 'tables: run, item, shard, attempt, answer, applied, spend; views: manifest, outcome, disposition, retry_ledger, event',
    },
  ]);
}

/** Values as DuckDB writes them: an interval is `26:00:00`, a list `[1, 2]`. */
function asText(row: Readonly<Record<string, unknown>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}
