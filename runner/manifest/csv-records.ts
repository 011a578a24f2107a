import { closeSync, openSync, readSync } from 'node:fs';
import { UserError } from '../errors.ts';

/*
 * CSV is read here and not by DuckDB's `read_csv`. With all columns VARCHAR, fixed delimiter and quotes, strict mode
 * and `store_rejects`, DuckDB 1.5.6 still
 *   - gives up on the whole file at one bare CR or one line that ends otherwise than the first,
 *   - trims blanks around a quoted field (` "a"` becomes `a`) and drops an empty extra field without a reject,
 *   - passes over the blank lines of a one-column file, and counts some blank lines in a reject's line and some not,
 *     so that a bad row cannot be found in the file,
 *   - needs its result staged (7 us a row) where this takes about 3.
 */

/** One record: its bytes without the line end (a view, valid until the next), and the line on which it begins. */
export interface CsvRecord {
  readonly bytes: Buffer;
  readonly line: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const BLOCK_BYTES = 1 << 20;
/** A record that goes on for so long is a quote that nobody closed, and memory is not for that. */
const MAX_RECORD_BYTES = 256 << 20;

/**
 * The records of a file, the header among them; blank lines are passed over. A record ends at a line feed outside
 * quotes; quotes count only where a field begins with one, elsewhere they are ordinary characters.
 * Memory is a block, or the longest record.
 * @throws UserError where a quote is never closed: whatever follows it would be lost in one field.
 */
export function* recordsOfFile(path: string, name: string, delimiter: string): Generator<CsvRecord> {
  const file = openSync(path, 'r');
  try {
    yield* recordsOf(file, name, delimiter.charCodeAt(0));
  } finally {
    closeSync(file);
  }
}

/** The fields of a record, or what is wrong with it, as the end of a sentence. */
export function fieldsOf(text: string, delimiter: string): string[] | string {
  if (!text.includes('"')) return text.split(delimiter);
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const field = text[at] === '"' ? quotedField(text, at) : plainField(text, at, delimiter);
    if (field === null) return 'has a quote that is not closed';
    if (field.end < text.length && text[field.end] !== delimiter) {
      return `has text after the closing quote of field ${fields.length + 1}`;
    }
    fields.push(field.value);
    if (field.end >= text.length) return fields;
    at = field.end + 1;
  }
}

interface Field {
  readonly value: string;
  /** The place after the field: a delimiter, or the record's end. */
  readonly end: number;
}

function plainField(text: string, from: number, delimiter: string): Field {
  const found = text.indexOf(delimiter, from);
  const end = found < 0 ? text.length : found;
  return { value: text.slice(from, end), end };
}

function quotedField(text: string, from: number): Field | null {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return null;
    if (text[quote + 1] !== '"') {
      return { value: text.slice(from + 1, quote).replaceAll('""', '"'), end: quote + 1 };
    }
    at = quote + 2;
  }
}

function* recordsOf(file: number, name: string, delimiter: number): Generator<CsvRecord> {
  let block: Buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let filled = 0;
  let line = 1;
  for (let ended = false; !ended; ) {
    if (filled === block.length) block = grown(block, name, line);
    filled += fill(file, block, filled);
    ended = filled < block.length;
    const view = block.subarray(0, filled);
    const scanner = new RecordScanner(view, delimiter, ended);
    let start = 0;
    for (let end = scanner.next(); end !== null; end = scanner.next()) {
      const bytes = withoutCarriageReturn(view, start, end);
      if (bytes.length > 0) yield { bytes, line };
      line += linesIn(view, start, end + 1);
      start = end + 1;
    }
    if (ended && scanner.insideQuotes) throw neverClosed(name, line);
    block.copyWithin(0, Math.min(start, filled), filled);
    filled = Math.max(0, filled - start);
  }
}

/** Finds where records end. The place of the next quote is kept, or a file without quotes would cost a square. */
class RecordScanner {
  /** True where the last record of `bytes` has an opening quote and no closing one. */
  insideQuotes = false;
  private readonly bytes: Buffer;
  private readonly delimiter: number;
  private readonly isLast: boolean;
  private start = 0;
  private quote = -1;

  constructor(bytes: Buffer, delimiter: number, isLast: boolean) {
    this.bytes = bytes;
    this.delimiter = delimiter;
    this.isLast = isLast;
  }

  /** The place of the line feed that ends the next record (or of the file's end); null where it is not here yet. */
  next(): number | null {
    let at = this.start;
    for (;;) {
      const lineFeed = this.bytes.indexOf(LINE_FEED, at);
      const quote = this.nextQuote(at);
      if (quote < 0 || (lineFeed >= 0 && lineFeed < quote)) return this.endAt(lineFeed);
      at = this.opensField(quote) ? this.afterClosing(quote + 1) : quote + 1;
      if (at < 0) {
        this.insideQuotes = true;
        return null;
      }
    }
  }

  private endAt(lineFeed: number): number | null {
    if (lineFeed < 0 && !(this.isLast && this.start < this.bytes.length)) return null;
    const end = lineFeed < 0 ? this.bytes.length : lineFeed;
    this.start = end + 1;
    return end;
  }

  private nextQuote(at: number): number {
    if (this.quote !== NO_MORE && this.quote < at) {
      const found = this.bytes.indexOf(QUOTE, at);
      this.quote = found < 0 ? NO_MORE : found;
    }
    return this.quote === NO_MORE ? -1 : this.quote;
  }

  private opensField(quote: number): boolean {
    return quote === this.start || this.bytes[quote - 1] === this.delimiter;
  }

  /** The place after the closing quote; -1 where it is not in these bytes. */
  private afterClosing(from: number): number {
    let at = from;
    for (;;) {
      const quote = this.bytes.indexOf(QUOTE, at);
      if (quote < 0 || (quote + 1 === this.bytes.length && !this.isLast)) return -1;
      if (this.bytes[quote + 1] !== QUOTE) return quote + 1;
      at = quote + 2;
    }
  }
}

const NO_MORE = Number.MAX_SAFE_INTEGER;

function fill(file: number, block: Buffer, from: number): number {
  let filled = from;
  while (filled < block.length) {
    const count = readSync(file, block, filled, block.length - filled, null);
    if (count === 0) break;
    filled += count;
  }
  return filled - from;
}

/** Doubled, so that a long record is scanned a few times and not once a block. */
function grown(block: Buffer, name: string, line: number): Buffer {
  if (block.length >= MAX_RECORD_BYTES) throw neverClosed(name, line);
  const larger = Buffer.allocUnsafe(block.length * 2);
  block.copy(larger);
  return larger;
}

function withoutCarriageReturn(bytes: Buffer, start: number, end: number): Buffer {
  const last = end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
  return bytes.subarray(start, last);
}

function linesIn(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, start); at >= 0 && at < end; at = bytes.indexOf(LINE_FEED, at + 1)) {
    count += 1;
  }
  return count;
}

function neverClosed(name: string, line: number): UserError {
  const message = `${name} line ${line}: a field opens with a quote that is never closed`;
  const hint = 'Close it, or double each quote inside the field: "" stands for one.';
  return new UserError([{ level: 'error', code: 'csv-quote', message, hint, file: name, line }]);
}
