import { type Duck, sqlTexts } from '../duck.ts';

/**
 * DuckDB handles 2,048 rows at a time, and several copies of them: while it sorts, while it takes JSON apart, while it
 * writes. Within the ledger's memory limit it can do so with this many bytes, and not with 2,048 answers of 8 KB.
 */
const PIECE_BYTES = 4 << 20;
const VECTOR_ROWS = 2048;

/** How many rows of this size may be handled at once; null where there is nothing to mind. */
export function rowsAtOnce(rowBytes: number): number | null {
  const rows = Math.max(1, Math.floor(PIECE_BYTES / Math.max(1, rowBytes)));
  return rows >= VECTOR_ROWS ? null : rows;
}

/** The rows of a relation in pieces of so many, in order; one piece, the relation itself, where `rows` is null. */
export async function piecesOf(
  duck: Duck,
  relation: string,
  rows: number | null,
): Promise<readonly string[]> {
  if (rows === null) return [relation];
  const ranges = await duck.rows<{ first: number; last: number }>(
    `SELECT min(ordinal)::DOUBLE AS first, max(ordinal)::DOUBLE AS last
     FROM (SELECT ordinal, (row_number() OVER (ORDER BY ordinal) - 1) // ${rows} AS piece FROM (${relation}))
     GROUP BY piece ORDER BY piece`,
  );
  if (ranges.length <= 1) return [relation];
  return ranges.map(
    ({ first, last }) => `SELECT * FROM (${relation}) WHERE ordinal BETWEEN ${first} AND ${last}`,
  );
}

/** All rows of the pieces that were written to these Parquet files, one after the other. */
export function joinedSelect(paths: readonly string[]): string {
  return `SELECT * FROM read_parquet(${sqlTexts(paths)})`;
}
