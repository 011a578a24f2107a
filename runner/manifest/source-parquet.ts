import { join } from 'node:path';
import type { Duck } from '../duck.ts';
import { openDuck, sqlText } from '../duck.ts';
import { messageOf, UserError } from '../errors.ts';
import type { TypedColumn } from './column-json.ts';
import { rowJson } from './column-json.ts';

export interface StagedFile {
  readonly path: string;
  readonly columns: readonly string[];
}

/**
 * Writes each Parquet file's rows as JSON Lines to `work`, so that one reader serves all formats and every value
 * is the text that `column-json.ts` promises. 7 us a row; fetching values one by one into JavaScript costs 7 to 15.
 * @throws UserError where a file is no Parquet.
 */
export async function stageParquet(
  files: readonly { readonly path: string; readonly absolute: string }[],
  work: string,
  firstRows: number | null,
): Promise<StagedFile[]> {
  const duck = await openDuck({ tempFolder: join(work, 'duckdb') });
  try {
    const staged: StagedFile[] = [];
    for (const [index, file] of files.entries()) {
      const path = join(work, `parquet-${index}.jsonl`);
      const columns = await stage(duck, file, path, firstRows);
      staged.push({ path, columns: columns.map((column) => column.name) });
    }
    return staged;
  } finally {
    duck.close();
  }
}

/** Columns of a query in their order. */
export async function columnsOf(duck: Duck, query: string): Promise<TypedColumn[]> {
  const result = await duck.connection.run(`SELECT * FROM (${query}\n) LIMIT 0`);
  const types = result.columnTypes();
  return result.columnNames().map((name, index) => ({ name, type: types[index] as TypedColumn['type'] }));
}

/** Rows as lines of a file, one JSON text each: JSON holds no raw line end, so nothing needs quoting. */
export async function copyLines(duck: Duck, query: string, path: string): Promise<void> {
  await duck.run(
    `COPY (${query}\n) TO ${sqlText(path)} (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '')`,
  );
}

async function stage(
  duck: Duck,
  file: { readonly path: string; readonly absolute: string },
  path: string,
  firstRows: number | null,
): Promise<TypedColumn[]> {
  const limit = firstRows === null ? '' : ` LIMIT ${firstRows}`;
  const source = `FROM read_parquet(${sqlText(file.absolute)}, hive_partitioning = false)`;
  try {
    const columns = await columnsOf(duck, source);
    await copyLines(duck, `SELECT ${rowJson(columns)} ${source}${limit}`, path);
    return columns;
  } catch (error) {
    throw unreadable(file.path, error);
  }
}

/** Only the first line of DuckDB's words: what follows may quote the data. */
function unreadable(name: string, error: unknown): UserError {
  const words = messageOf(error).split('\n', 1)[0] ?? '';
  const message = `${name}: cannot be read as Parquet: ${words}`;
  return new UserError([{ level: 'error', code: 'input-unreadable', message, file: name }]);
}
