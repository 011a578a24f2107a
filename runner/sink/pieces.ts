import { type Duck, sqlText, sqlTexts } from '../duck.ts';
import type { SinkContent } from './port.ts';

/**
 * DuckDB handles 2,048 rows at a time, and several copies of them: while it sorts, while it takes JSON apart, while it
 * writes. Within the ledger's memory limit it can do so with this many bytes, but not with 2,048 answers of 8 KB.
 */
const PIECE_BYTES = 4 << 20;
const VECTOR_ROWS = 2048;

/** How many rows may be handled at once; null where there is nothing to mind. */
export function rowsAtOnce({ rowBytes }: SinkContent): number | null {
  if (rowBytes === undefined) return null;
  const rows = Math.max(1, Math.floor(PIECE_BYTES / Math.max(1, rowBytes.answer + rowBytes.passed)));
  return rows >= VECTOR_ROWS ? null : rows;
}

/**
 * Reads the relation once, in whatever order its rows come, and keeps them in a file from which a few neighbours can be
 * read without the rest. @returns the content with that file in the relation's place
 */
export async function staged(content: SinkContent, to: string): Promise<SinkContent> {
  const { duck, relation } = content;
  const before = await settingsOf(duck);
  try {
    await duck.run(STREAMING);
    await duck.run(`SET memory_limit = '${memoryFor(content)}MB'`);
    await duck.run(
      `COPY (${relation}) TO ${sqlText(to)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1,
         ROW_GROUP_SIZE 10000, ROW_GROUP_SIZE_BYTES '2MB')`,
    );
  } finally {
    await duck.run(before);
  }
  return { ...content, relation: readSelect([to]) };
}

/**
 * Answers first, as the relation has them, and row group by row group: 600 MB of answers then go through in 145 MB. With
 * its optimizer DuckDB may put them into a hash table, and with its cache it gathers 2,048 of them before it goes on.
 */
const STREAMING = `SET preserve_insertion_order = false; SET enable_caching_operators = false;
  SET disabled_optimizers = 'join_order,build_side_probe_side'`;

/** Passed columns stand in a hash table beside the answers: 2,048 of them are looked up at a time, in six copies. */
function memoryFor({ rowBytes }: SinkContent): number {
  return 256 + Math.ceil((6 * VECTOR_ROWS * (rowBytes?.passed ?? 0)) / 1_000_000);
}

async function settingsOf(duck: Duck): Promise<string> {
  const [row] = await duck.rows<{ limit: string }>(`SELECT current_setting('memory_limit') AS "limit"`);
  return `RESET preserve_insertion_order; RESET enable_caching_operators; RESET disabled_optimizers;
    SET memory_limit = ${sqlText(row?.limit ?? '256MB')}`;
}

/** The rows of a relation in pieces of so many, in order. */
export async function piecesOf(duck: Duck, relation: string, rows: number): Promise<readonly string[]> {
  const ranges = await duck.rows<{ first: number; last: number }>(
    `SELECT min(ordinal)::DOUBLE AS first, max(ordinal)::DOUBLE AS last
     FROM (SELECT ordinal, (row_number() OVER (ORDER BY ordinal) - 1) // ${rows} AS piece FROM (${relation}))
     GROUP BY piece ORDER BY piece`,
  );
  return ranges.map(
    ({ first, last }) => `SELECT * FROM (${relation}) WHERE ordinal BETWEEN ${first} AND ${last}`,
  );
}

/** All rows of these Parquet files, one file after the other. */
export function readSelect(paths: readonly string[]): string {
  return `SELECT * FROM read_parquet(${sqlTexts(paths)})`;
}
