import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { UserError } from '../errors.ts';
import { shortDigestOf } from '../ids.ts';
import { linesOfFile } from '../lines.ts';
import { parseRow } from './exact-json.ts';
import { stringEnd } from './json-names.ts';
import type { BadRow, SourceRow } from './source-row.ts';
import { MAX_ROW_BYTES, tooLarge, WHOLE_FILE } from './source-row.ts';
import { checkEncoding, LATIN1_HINT, withoutBom } from './source-text.ts';

/** The rows of a JSON Lines file: one object a line, split on byte 0x0A alone. `name` is for messages. */
export function* jsonLinesRows(path: string, name: string): Generator<SourceRow> {
  let first = true;
  for (const line of linesOfFile(path)) {
    if (first) {
      checkEncoding(line.bytes, name);
      refuseOtherJson(line.bytes, name);
    }
    const bytes = first ? withoutBom(line.bytes) : line.bytes;
    first = false;
    const row = rowOfBytes(bytes, line.number);
    if (row !== null) yield row;
  }
}

/** The rows of a JSON file: its one object, or the elements of its one array. */
export function* jsonFileRows(path: string, name: string): Generator<SourceRow> {
  refuseHuge(statSync(path).size, name);
  const file = readFileSync(path);
  checkEncoding(file, name);
  const bytes = withoutBom(file);
  if (!isUtf8(bytes)) {
    yield bad(WHOLE_FILE, bytes, 'row-not-utf8', `is not UTF-8${LATIN1_HINT}`);
    return;
  }
  const text = bytes.toString('utf8').trim();
  refuseLines(text, name);
  if (!text.startsWith('[')) {
    yield rowOfText(text, WHOLE_FILE) ?? bad(WHOLE_FILE, bytes, 'row-not-json', 'is empty');
    return;
  }
  if (!isJson(text)) {
    yield bad(WHOLE_FILE, bytes, 'row-not-json', 'is not valid JSON');
    return;
  }
  let at = 0;
  for (const element of elementsOf(text)) {
    at += 1;
    yield rowOfText(element, at) ?? bad(at, element, 'row-not-json', 'is empty');
  }
}

/** Null for a line of blanks. */
function rowOfBytes(bytes: Buffer, at: number): SourceRow | null {
  if (bytes.length > MAX_ROW_BYTES) return bad(at, bytes, 'row-too-large', tooLarge(bytes.length));
  if (!isUtf8(bytes)) return bad(at, bytes, 'row-not-utf8', `is not UTF-8${LATIN1_HINT}`);
  const written = bytes.toString('utf8');
  const text = onOneLine(written);
  if (text === '') return null;
  const parsed = parseRow(text);
  if (!parsed.ok) return bad(at, bytes, parsed.code, parsed.detail);
  return { ok: true, at, text, bytes: text === written ? bytes : null, value: parsed.value };
}

function rowOfText(written: string, at: number): SourceRow | null {
  return rowOfBytes(Buffer.from(onOneLine(written)), at);
}

function bad(at: number, bytes: Buffer | string, code: string, detail: string): BadRow {
  return { ok: false, at, code, detail, digest: shortDigestOf(bytes), partial: null };
}

/**
 * Blanks around the row and line ends inside it go: in JSON a raw line end, tab or carriage return can only stand
 * between tokens, so nothing that means anything is touched. Other blanks between tokens stay as they are.
 */
function onOneLine(text: string): string {
  // Three searches take 0.1 us a row, a character class 0.6.
  const isFlat = !text.includes('\r') && !text.includes('\n') && !text.includes('\t');
  const flat = isFlat ? text : text.replace(/[\r\n\t][\r\n\t ]*/g, '');
  return flat.startsWith(' ') || flat.endsWith(' ') ? flat.replace(/^ +| +$/g, '') : flat;
}

/** A document is read whole, and a JavaScript string ends at half a gigabyte. */
const MAX_DOCUMENT_BYTES = 256 << 20;

function refuseHuge(bytes: number, name: string): void {
  if (bytes <= MAX_DOCUMENT_BYTES) return;
  const message = `${name}: is ${bytes.toLocaleString('en-US')} bytes of JSON in one document; 268,435,456 are read`;
  const hint = 'Write it as JSON Lines, one object a line: such files may have any length.';
  throw new UserError([{ level: 'error', code: 'input-too-large', message, hint, file: name }]);
}

/** JSON of another layout given as JSON Lines would be one giant row, or one bad row a line. */
function refuseOtherJson(bytes: Buffer, name: string): void {
  const start = withoutBom(bytes).subarray(0, 64).toString('latin1').trim();
  if (!start.startsWith('[') && start !== '{') return;
  const found = start === '{' ? 'an object over several lines' : 'an array';
  const message = `${name}: expected one JSON object a line, found ${found}`;
  const hint = 'Rename it to end in .json: its object, or the elements of its array, are then the rows.';
  throw new UserError([{ level: 'error', code: 'input-layout', message, hint, file: name, line: 1 }]);
}

/** And the other way round. */
function refuseLines(text: string, name: string): void {
  const lineEnd = text.indexOf('\n');
  if (lineEnd < 0 || !isJson(text.slice(0, lineEnd)) || isJson(text)) return;
  const message = `${name}: expected one JSON document, found one a line`;
  const hint = 'Rename it to end in .jsonl: each line is then a row.';
  throw new UserError([{ level: 'error', code: 'input-layout', message, hint, file: name, line: 2 }]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The texts of an array's elements. `text` is valid JSON, so only strings and brackets matter. */
function* elementsOf(text: string): Generator<string> {
  let depth = 0;
  let start = 1;
  for (let at = 1; at < text.length - 1; ) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    if (character === ',' && depth === 0) {
      yield text.slice(start, at);
      start = at + 1;
    }
    at += 1;
  }
  const last = text.slice(start, -1);
  if (last.trim() !== '') yield last;
}
