import { isUtf8 } from 'node:buffer';
import type { Finding } from '../errors.ts';
import { UserError } from '../errors.ts';
import { shortDigestOf } from '../ids.ts';
import type { CsvRecord } from './csv-records.ts';
import { fieldsOf, recordsOfFile } from './csv-records.ts';
import { collidingNames } from './exact-json.ts';
import type { BadRow, SourceRow } from './source-row.ts';
import { MAX_ROW_BYTES, tooLarge } from './source-row.ts';
import { checkEncoding, LATIN1_HINT, withoutBom } from './source-text.ts';

export interface CsvHeader {
  readonly columns: readonly string[];
  readonly delimiter: string;
}

/**
 * The header of a CSV or TSV file. A `.csv` whose header has semicolons and no comma is what spreadsheets save in
 * half of Europe: the semicolon is its delimiter.
 * @throws UserError where the names cannot be used: empty, or the same but for case.
 */
export function csvHeader(path: string, name: string, format: 'csv' | 'tsv'): CsvHeader {
  const guess = format === 'tsv' ? '\t' : ',';
  for (const record of recordsOfFile(path, name, guess)) {
    checkEncoding(record.bytes, name);
    const text = withoutBom(record.bytes).toString('utf8');
    const delimiter = guess === ',' && !text.includes(',') && text.includes(';') ? ';' : guess;
    const columns = fieldsOf(text, delimiter);
    const findings = isUtf8(record.bytes) ? headerFindings(columns, name) : [notUtf8(name)];
    if (findings.length > 0) throw new UserError(findings);
    return { columns: columns as string[], delimiter };
  }
  const message = `${name}: the file is empty, expected a header line`;
  throw new UserError([{ level: 'error', code: 'input-empty', message, file: name }]);
}

/** The rows below the header. Every value is a string, exactly as written; blank lines are passed over. */
export function* csvRows(path: string, name: string, header: CsvHeader): Generator<SourceRow> {
  let isHeader = true;
  for (const record of recordsOfFile(path, name, header.delimiter)) {
    if (!isHeader) yield rowOf(record, header);
    isHeader = false;
  }
}

function rowOf(record: CsvRecord, header: CsvHeader): SourceRow {
  const { bytes } = record;
  if (bytes.length > MAX_ROW_BYTES) return bad(record, 'row-too-large', tooLarge(bytes.length));
  if (!isUtf8(bytes)) return bad(record, 'row-not-utf8', `is not UTF-8${LATIN1_HINT}`);
  const fields = fieldsOf(bytes.toString('utf8'), header.delimiter);
  if (typeof fields === 'string') return bad(record, 'csv-quote', fields);
  const value = rowValue(fields, header.columns);
  if (fields.length !== header.columns.length) {
    const counts = `has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`;
    return bad(record, 'csv-fields', `${counts}, the header has ${header.columns.length}`, value);
  }
  return { ok: true, at: record.line, text: JSON.stringify(value), bytes: null, value };
}

function rowValue(fields: readonly string[], columns: readonly string[]): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const count = Math.min(fields.length, columns.length);
  for (let index = 0; index < count; index += 1) value[columns[index] as string] = fields[index];
  return value;
}

function bad(record: CsvRecord, code: string, detail: string, partial: BadRow['partial'] = null): BadRow {
  return { ok: false, at: record.line, code, detail, digest: shortDigestOf(record.bytes), partial };
}

function headerFindings(columns: readonly string[] | string, name: string): Finding[] {
  const place = { level: 'error', file: name, line: 1 } as const;
  if (typeof columns === 'string') {
    return [{ ...place, code: 'csv-quote', message: `${name}: the header ${columns}` }];
  }
  const findings: Finding[] = [];
  const unusable = columns.findIndex((column) => column.trim() === '' || column === '__proto__');
  if (unusable >= 0) {
    const message = `${name}: column ${unusable + 1} of the header has no usable name`;
    findings.push({ ...place, code: 'column-name', message, hint: 'Give every column a name.' });
  }
  if (columns.some((column) => column.includes('\r'))) {
    const message = `${name}: lines end in a bare carriage return, expected line feeds`;
    findings.push({
      ...place,
      code: 'csv-line-ends',
      message,
      hint: 'Save it with Unix or Windows line ends.',
    });
  }
  const colliding = collidingNames(columns);
  if (colliding !== null) findings.push({ ...place, ...collision(colliding, name) });
  return findings;
}

function collision([first, second]: readonly [string, string], name: string) {
  const both = `${JSON.stringify(first)} and ${JSON.stringify(second)}`;
  const why = first === second ? 'are the same' : 'differ only in case';
  const message = `${name}: the columns ${both} of the header ${why}`;
  return { code: 'columns-collide', message, hint: 'Rename one: a prompt could not say which it means.' };
}

function notUtf8(name: string): Finding {
  const message = `${name}: line 1 is not UTF-8${LATIN1_HINT}`;
  return { level: 'error', code: 'input-not-utf8', message, file: name, line: 1 };
}
