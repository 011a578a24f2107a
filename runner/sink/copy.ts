import { rm } from 'node:fs/promises';
import { type Duck, sqlText } from '../duck.ts';
import { checkContent } from './check.ts';
import type { Column } from './columns.ts';
import { piecesOf, readSelect, rowsAtOnce, staged } from './pieces.ts';
import type { SinkContent } from './port.ts';
import { type Form, fileSelect, fileSelectOfSorted } from './select.ts';

/** How values stand in a file, and DuckDB's COPY options for it; `rowGroup` is how many rows may be in memory. */
export interface Layout {
  readonly form: Form;
  copyOptions(rowGroup: number): string;
}

/** Where rows are short: the default row group of 122,880 costs 490 MB while writing, which no memory limit covers. */
const ROW_GROUP = 10_000;

/**
 * Checks the content and writes it to a file. Short rows in one statement, or piece by piece where there are very many;
 * long ones are staged, and then checked, sorted and written a few at a time. Gives the number of rows.
 * @throws UserError as `checkContent`
 */
export async function copyContent(
  to: string,
  layout: Layout,
  content: SinkContent,
  columns: readonly Column[],
): Promise<number> {
  const atOnce = rowsAtOnce(content);
  if (atOnce !== null) return copyLong(to, layout, content, columns, atOnce);
  const { pieces = [] } = content;
  if (pieces.length > 1) return copyMany(to, layout, content, columns, pieces);
  const rows = await checkContent(content, columns, layout.form, [content.relation]);
  const select = fileSelect(content.relation, columns, layout.form);
  await copy(content.duck, select, to, layout.copyOptions(ROW_GROUP));
  return rows;
}

/** Joins and sorts a piece at a time; what is then read are files in order, and nothing has to be held. */
async function copyMany(
  to: string,
  layout: Layout,
  content: SinkContent,
  columns: readonly Column[],
  pieces: readonly string[],
): Promise<number> {
  const { duck } = content;
  const files = pieces.map((_, at) => `${to}.${at}`);
  try {
    for (const [at, file] of files.entries()) {
      const options = `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${ROW_GROUP}`;
      await copy(duck, `SELECT * FROM (${pieces[at]}) ORDER BY ordinal`, file, options);
    }
    const kept = { ...content, relation: readSelect(files) };
    const rows = await checkContent(
      kept,
      columns,
      layout.form,
      files.map((file) => readSelect([file])),
    );
    const select = fileSelectOfSorted(kept.relation, columns, layout.form);
    await copy(duck, select, to, layout.copyOptions(ROW_GROUP));
    return rows;
  } finally {
    for (const file of files) await rm(file, { force: true });
  }
}

async function copyLong(
  to: string,
  layout: Layout,
  content: SinkContent,
  columns: readonly Column[],
  atOnce: number,
): Promise<number> {
  const { duck } = content;
  const files = [`${to}.rows`];
  try {
    const kept = await staged(content, `${to}.rows`);
    const pieces = await piecesOf(duck, kept.relation, atOnce);
    const rows = await checkContent(kept, columns, layout.form, pieces);
    const sorted = pieces.map((_, at) => `${to}.${at}`);
    files.push(...sorted);
    for (const [at, piece] of pieces.entries()) {
      const options = `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${atOnce}`;
      await copy(duck, fileSelect(piece, columns, layout.form), sorted[at] ?? '', options);
    }
    await copy(duck, readSelect(sorted), to, layout.copyOptions(atOnce));
    return rows;
  } finally {
    for (const file of files) await rm(file, { force: true });
  }
}

function copy(duck: Duck, select: string, to: string, options: string): Promise<void> {
  return duck.run(`COPY (${select}) TO ${sqlText(to)} (${options})`);
}
