import type { OutcomeClass } from '../outcome/outcome.ts';
import { cut } from './escape.ts';

/** A row that no pass will mend, as `held.csv` lists it. */
export interface HeldRow {
  readonly key: string;
  readonly class: OutcomeClass | 'set_aside';
  readonly cause: string;
  readonly detail: string | null;
  /** What the model said in an attempt that did not end well; null where it said nothing, or nobody knows. */
  readonly answer: string | null;
  readonly next: string;
}

const COLUMNS = ['key', 'class', 'cause', 'detail', 'answer', 'next'] as const;
/** Enough of an answer to judge it by; the raw file has it whole. */
const ANSWER_LENGTH = 2_000;

/**
 * `state/<job>/held.csv`: RFC 4180 with a header, CRLF, UTF-8.
 *
 * People open it in a spreadsheet, which runs a cell that starts with `=`, `+`, `-`, `@`, a tab or a line end as a
 * formula. Such a cell gets an apostrophe in front, also where it is a key, and so does one that starts with an
 * apostrophe: to join the file by key, take one apostrophe off again, or read the keys from the ledger.
 *
 * @param codeOf where the settings say that committed pages show no keys: the code that the pages show in their place.
 * Then `detail` and `answer` are empty, since either may quote the row.
 */
export function heldCsv(rows: readonly HeldRow[], codeOf: ((key: string) => string) | null = null): string {
  const shown = codeOf === null ? rows : rows.map((row) => hidden(row, codeOf));
  const lines = shown.map((row) => COLUMNS.map((column) => cell(row, column)).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}

function hidden(row: HeldRow, codeOf: (key: string) => string): HeldRow {
  return { ...row, key: codeOf(row.key), detail: null, answer: null };
}

function cell(row: HeldRow, column: (typeof COLUMNS)[number]): string {
  const text =
    (column === 'answer' && row.answer !== null ? cut(row.answer, ANSWER_LENGTH) : row[column]) ?? '';
  return quoted(harmless(text));
}

/** The list is OWASP's for CSV injection, with the wide forms that some spreadsheets take for the same. */
function harmless(text: string): string {
  return /^['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
}

/** Semicolons and tabs too: where a comma is for decimals, spreadsheets split at those. */
function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
