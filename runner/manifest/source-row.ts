import type { Finding } from '../errors.ts';
import type { ShortDigest } from '../ids.ts';

/**
 * One row as the source has it, or why it cannot be used. `at` is the number by which a person finds it: the line
 * for CSV and JSON Lines, the row for Parquet and query results, the element for JSON.
 */
export type SourceRow = GoodRow | BadRow;

export interface GoodRow {
  readonly ok: true;
  readonly at: number;
  /** The row as JSON on one line. */
  readonly text: string;
  /** The bytes of `text` where they are at hand; a view, valid until the next row is asked for. */
  readonly bytes: Buffer | null;
  readonly value: Record<string, unknown>;
}

export interface BadRow {
  readonly ok: false;
  readonly at: number;
  readonly code: string;
  /** What is wrong, as the end of a sentence that begins with the place. Never quotes the row. */
  readonly detail: string;
  /** Of the row's bytes as they stand in the source. */
  readonly digest: ShortDigest;
  /** What could be read of it: the key may be there. */
  readonly partial: Record<string, unknown> | null;
}

/** A stretch of the input whose rows are counted together: a file, or a query's result. */
export interface SourcePart {
  /** The file's path from the root, or `QUERY_RESULT`. */
  readonly name: string;
  readonly unit: 'line' | 'row' | 'element';
  /** Reads from the start, once or more often. */
  rows(): Iterable<SourceRow>;
}

/** `data/tickets.csv line 12`; just the file where it is one row as a whole. */
export function placeOf(part: Pick<SourcePart, 'name' | 'unit'>, at: number): string {
  return at === WHOLE_FILE ? part.name : `${part.name} ${part.unit} ${at}`;
}

/** The name of the part that a job's query makes. */
export const QUERY_RESULT = 'input.sql';

/** The number of a row that is its whole file. */
export const WHOLE_FILE = 0;

/** A finding about a row; it has a line only where people count lines. */
export function rowFinding(
  part: Pick<SourcePart, 'name' | 'unit'>,
  at: number,
  code: string,
  detail: string,
): Finding {
  const file = part.name === QUERY_RESULT ? {} : { file: part.name };
  const line = part.unit === 'line' ? { line: at } : {};
  return { level: 'error', code, message: `${placeOf(part, at)}: ${detail}`, ...file, ...line };
}

/**
 * Longest row that is read, in bytes. One row becomes a row and a body in one line of a scratch file, and DuckDB
 * needs several times that in memory; longer rows are documents that belong in a file of their own.
 */
export const MAX_ROW_BYTES = 16 * 1024 * 1024;

export function tooLarge(bytes: number): string {
  return `is ${bytes.toLocaleString('en-US')} bytes long; a row may have ${MAX_ROW_BYTES.toLocaleString('en-US')}`;
}
