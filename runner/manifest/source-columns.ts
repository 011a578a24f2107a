import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import type { InputSpec } from '../spec/job.ts';
import type { SourceRoots } from './source-files.ts';
import type { Source } from './source-open.ts';
import { openSource } from './source-open.ts';

/** What can be known cheaply. */
export interface SourceColumns {
  readonly columns: readonly string[];
  /** False for JSON: rows that were not looked at may have further columns. */
  readonly complete: boolean;
  /** The first rows, at most five. */
  readonly sample: readonly Readonly<Record<string, unknown>>[];
}

const ROWS_LOOKED_AT = 1000;
const SAMPLE_ROWS = 5;

/**
 * Columns from headers, or from the first thousand rows of JSON. With `input.sql` the query runs over as many; where
 * it fails, over all of them, since the types of columns come from the values.
 * @throws UserError as `openSource`.
 */
export async function sourceColumns(input: InputSpec, roots: SourceRoots): Promise<SourceColumns> {
  try {
    return await lookAt(input, roots, ROWS_LOOKED_AT);
  } catch (error) {
    if (input.sql === null || !(error instanceof UserError)) throw error;
    return lookAt(input, roots, null);
  }
}

async function lookAt(
  input: InputSpec,
  roots: SourceRoots,
  firstRows: number | null,
): Promise<SourceColumns> {
  const work = mkdtempSync(join(tmpdir(), 'batchwright-columns-'));
  try {
    const source = await openSource(input, { ...roots, work, digests: null, firstRows });
    const rows = goodRows(source, source.columns === null ? ROWS_LOOKED_AT : SAMPLE_ROWS);
    const seen = new Set(source.columns ?? rows.flatMap((row) => Object.keys(row)));
    return { columns: [...seen], complete: source.columns !== null, sample: rows.slice(0, SAMPLE_ROWS) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function goodRows(source: Source, most: number): Record<string, unknown>[] {
  const rows: Record<string, unknown>[] = [];
  for (const part of source.parts) {
    for (const row of part.rows()) {
      if (row.ok) rows.push(row.value);
      if (rows.length >= most) return rows;
    }
  }
  return rows;
}
