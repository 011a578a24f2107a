import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Duck } from '../duck.ts';
import { openDuck, sqlText, sqlTexts } from '../duck.ts';
import { messageOf, UserError } from '../errors.ts';
import { rowJson } from './column-json.ts';
import { collidingNames } from './exact-json.ts';
import { columnsOf } from './source-parquet.ts';
import { checkSelect } from './sql-check.ts';

export interface Query {
  readonly sql: string;
  /** A SELECT that gives the table `input`, over `files` alone. */
  readonly input: string;
  /** The only files that the query may touch. */
  readonly files: readonly string[];
}

export interface QueryResult {
  /** JSON Lines, a row each. */
  readonly path: string;
  readonly columns: readonly string[];
}

/** Longer queries than this are no selection of rows any more. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Runs a job's SQL in a DuckDB of its own, in which nothing but the input's files can be read, nothing written but
 * spilled pages in `work`, no extension loaded and no setting changed.
 * @throws UserError where the SQL is not one SELECT over `input`, fails, or takes too long.
 */
export async function runQuery(query: Query, work: string, timeoutMs = TIMEOUT_MS): Promise<QueryResult> {
  const duck = await openDuck({ memoryLimit: '256MB', tempFolder: join(work, 'query') });
  try {
    await checkSelect(duck, query.sql);
    await lock(duck, query);
    // As a view and not inside parentheses: the text may end in a comment or a semicolon.
    await duck.run(`CREATE TEMP VIEW result AS ${query.sql}`);
    return await withTimeout(duck, timeoutMs, () => writeResult(duck, join(work, 'result.jsonl')));
  } catch (error) {
    throw error instanceof UserError ? error : failed(error);
  } finally {
    duck.close();
  }
}

async function lock(duck: Duck, query: Query): Promise<void> {
  await duck.run(`SET allowed_paths = ${sqlTexts(query.files)}; SET enable_external_access = false`);
  await duck.run(`CREATE VIEW input AS ${query.input}`);
  await duck.run('SET lock_configuration = true');
}

async function withTimeout<Value>(duck: Duck, timeoutMs: number, work: () => Promise<Value>): Promise<Value> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    duck.connection.interrupt();
  }, timeoutMs);
  try {
    return await work();
  } catch (error) {
    if (!isLate) throw error;
    const hint = 'Select fewer rows, or prepare the input in a step of its own.';
    const message = `input.sql: not done after ${timeoutMs / 60_000} minutes`;
    throw new UserError([{ level: 'error', code: 'sql-slow', message, hint }]);
  } finally {
    clearTimeout(timer);
  }
}

/** Through JavaScript and not with COPY: this connection can write nowhere. */
async function writeResult(duck: Duck, path: string): Promise<QueryResult> {
  const columns = await columnsOf(duck, 'FROM result');
  const names = columns.map((column) => column.name);
  refuseColliding(names);
  const result = await duck.connection.stream(`SELECT ${rowJson(columns)} AS row FROM result`);
  const file = openSync(path, 'w');
  try {
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      const bytes = Buffer.from(`${chunk.getColumnValues(0).join('\n')}\n`);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    }
  } finally {
    closeSync(file);
  }
  return { path, columns: names };
}

function refuseColliding(names: readonly string[]): void {
  const colliding = collidingNames(names);
  if (colliding === null) return;
  const [first, second] = colliding.map((name) => JSON.stringify(name));
  const message = `input.sql: the result has the columns ${first} and ${second}, which differ at most in case`;
  throw new UserError([{ level: 'error', code: 'columns-collide', message, hint: 'Rename one with AS.' }]);
}

/** Errors about the query are shown; errors about values quote them, and rows are no business of a log. */
function failed(error: unknown): UserError {
  const [first = ''] = messageOf(error).split('\n', 1);
  const isAboutQuery = /^(Parser|Binder|Catalog|Permission|Not implemented|Syntax) Error/.test(first);
  const kind = first.split(':', 1)[0];
  const message = isAboutQuery ? `input.sql: ${first}` : `input.sql: a value made the query fail (${kind})`;
  const hint = isAboutQuery
    ? 'Columns of JSON and CSV are text unless all values are whole numbers or all are true or false; CAST as needed.'
    : 'Use TRY_CAST, or run the query over the file with the duckdb command to see which value it is.';
  return new UserError([{ level: 'error', code: 'sql-failed', message, hint }]);
}

/** The table `input` over Parquet files, with their own types; `names` are the paths that people know. */
export function parquetInput(
  files: readonly { readonly path: string; readonly absolute: string }[],
  filenameColumn: string | null,
): string {
  const list = sqlTexts(files.map((file) => file.absolute));
  const read = `read_parquet(${list}, union_by_name = true, hive_partitioning = false, filename = 'batchwright_file')`;
  if (filenameColumn === null) return `SELECT * EXCLUDE batchwright_file FROM ${read}`;
  const names = files.map((file) => `${sqlText(file.absolute)}: ${sqlText(file.path)}`).join(', ');
  const name = `"${filenameColumn.replaceAll('"', '""')}"`;
  return `SELECT * EXCLUDE batchwright_file, MAP {${names}}[batchwright_file] AS ${name} FROM ${read}`;
}
