import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import type { InputSpec } from '../spec/job.ts';
import { csvHeader, csvRows } from './source-csv.ts';
import { expanded } from './source-expand.ts';
import type { ResolvedFile, SourceDigests, SourceRoots } from './source-files.ts';
import { checkUnchanged, resolveFiles } from './source-files.ts';
import { jsonFileRows, jsonLinesRows } from './source-json.ts';
import { stageParquet } from './source-parquet.ts';
import type { BadRow, SourcePart, SourceRow } from './source-row.ts';
import { QUERY_RESULT } from './source-row.ts';
import { parquetInput, runQuery } from './source-sql.ts';
import { stageRows } from './sql-stage.ts';

/** A job's input, ready to be read in order. */
export interface Source {
  /** Where the format says so before the rows are read; null for JSON, whose rows say it one by one. */
  readonly columns: readonly string[] | null;
  readonly parts: readonly SourcePart[];
  /** To be called when all rows were read. @throws UserError where a file changed since it was digested. */
  checkUnchanged(): void;
}

export interface SourceOptions extends SourceRoots {
  /** For scratch files; they must stay as long as the source is read. */
  readonly work: string;
  readonly digests: SourceDigests | null;
  /** As many rows as a look at the input needs; all where it is not given. More may come. */
  readonly firstRows?: number | null;
}

/**
 * Opens the input: text formats are read where they stand, by bytes; compressed files, Parquet and the result of
 * `input.sql` go through scratch files in `work` first.
 * @throws UserError where a file or a header cannot be used, or the SQL fails.
 */
export async function openSource(input: InputSpec, options: SourceOptions): Promise<Source> {
  const { work, digests, firstRows = null } = options;
  await mkdir(work, { recursive: true });
  const files = resolveFiles(input.files, options);
  const local = await expandedFiles(files, work);
  const open = input.sql === null ? openFiles : openQuery;
  const opened = await open(local, input, { work, firstRows });
  return {
    ...opened,
    checkUnchanged: () => {
      if (digests !== null) checkUnchanged(files, digests);
    },
  };
}

/** `absolute` leads to uncompressed bytes. */
async function expandedFiles(files: readonly ResolvedFile[], work: string): Promise<ResolvedFile[]> {
  const local: ResolvedFile[] = [];
  for (const [index, file] of files.entries()) {
    local.push({ ...file, absolute: await expanded(file, index, work) });
  }
  return local;
}

type Opened = Pick<Source, 'columns' | 'parts'>;
type Look = Required<Pick<SourceOptions, 'work' | 'firstRows'>>;

async function openFiles(files: readonly ResolvedFile[], input: InputSpec, look: Look): Promise<Opened> {
  const opened = files[0]?.format === 'parquet' ? await openParquet(files, look) : openText(files);
  const name = input.filenameColumn;
  if (name === null) return opened;
  if (opened.columns?.includes(name)) throw filenameTaken(name);
  return {
    columns: opened.columns === null ? null : [...opened.columns, name],
    parts: opened.parts.map((part) => ({ ...part, rows: () => withFilename(part, name) })),
  };
}

async function openParquet(files: readonly ResolvedFile[], { work, firstRows }: Look): Promise<Opened> {
  const staged = await stageParquet(files, work, firstRows);
  const parts = staged.map((stage, index): SourcePart => {
    const name = files[index]?.path ?? '';
    return { name, unit: 'row', rows: () => jsonLinesRows(stage.path, name) };
  });
  return { columns: [...new Set(staged.flatMap((stage) => stage.columns))], parts };
}

function openText(files: readonly ResolvedFile[]): Opened {
  const opened = files.map(openTextFile);
  const known = opened.flatMap((file) => file.columns ?? []);
  const isKnown = opened.every((file) => file.columns !== null);
  return { columns: isKnown ? [...new Set(known)] : null, parts: opened.flatMap((file) => file.parts) };
}

function openTextFile(file: ResolvedFile): Opened {
  const { path: name, absolute, format } = file;
  switch (format) {
    case 'csv':
    case 'tsv': {
      const header = csvHeader(absolute, name, format);
      const part: SourcePart = { name, unit: 'line', rows: () => csvRows(absolute, name, header) };
      return { columns: header.columns, parts: [part] };
    }
    case 'jsonl':
      return { columns: null, parts: [{ name, unit: 'line', rows: () => jsonLinesRows(absolute, name) }] };
    case 'json':
      return { columns: null, parts: [{ name, unit: 'element', rows: () => jsonFileRows(absolute, name) }] };
    case 'parquet':
      throw new TypeError('Parquet is no text');
    default:
      throw new TypeError(format satisfies never);
  }
}

async function openQuery(files: readonly ResolvedFile[], input: InputSpec, look: Look): Promise<Opened> {
  const { work, firstRows } = look;
  const sql = input.sql ?? '';
  if (files[0]?.format === 'parquet') {
    const limit = firstRows === null ? '' : ` LIMIT ${firstRows}`;
    const view = parquetInput(files, input.filenameColumn) + limit;
    const result = await runQuery({ sql, input: view, files: files.map((file) => file.absolute) }, work);
    return { columns: result.columns, parts: [resultPart(result.path)] };
  }
  const { parts } = await openFiles(files, input, look);
  const stage = stageRows(parts, join(work, 'input.txt'), firstRows);
  const unread = badParts(stage.bad);
  // A query over a table without columns could only fail: there is no row to select.
  if (stage.select === null) return { columns: null, parts: unread };
  const result = await runQuery({ sql, input: stage.select, files: [stage.path] }, work);
  return { columns: result.columns, parts: [...unread, resultPart(result.path)] };
}

function resultPart(path: string): SourcePart {
  return { name: QUERY_RESULT, unit: 'row', rows: () => jsonLinesRows(path, QUERY_RESULT) };
}

/** Rows that no query could see; they are bad rows of the job all the same. */
function badParts(bad: readonly { readonly part: SourcePart; readonly row: BadRow }[]): SourcePart[] {
  const byPart = Map.groupBy(bad, ({ part }) => part);
  return [...byPart].map(([part, rows]) => ({ ...part, rows: () => rows.map(({ row }) => row) }));
}

function* withFilename(part: SourcePart, column: string): Generator<SourceRow> {
  const member = `${JSON.stringify(column)}:${JSON.stringify(part.name)}`;
  for (const row of part.rows()) {
    if (!row.ok) {
      yield row;
      continue;
    }
    if (Object.hasOwn(row.value, column)) throw filenameTaken(column);
    const isEmpty = Object.keys(row.value).length === 0;
    const text = `${row.text.slice(0, row.text.lastIndexOf('}'))}${isEmpty ? '' : ','}${member}}`;
    yield { ...row, text, bytes: null, value: { ...row.value, [column]: part.name } };
  }
}

function filenameTaken(name: string): UserError {
  const message = `input.filename_column: the input has a column ${JSON.stringify(name)} of its own`;
  return new UserError([{ level: 'error', code: 'columns-collide', message, hint: 'Choose another name.' }]);
}
