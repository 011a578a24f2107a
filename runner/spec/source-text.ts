import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../errors.ts';
import { isCode } from '../files.ts';

/** A text file of the repository that findings can point into. */
export interface SourceText {
  /** From the root, with forward slashes. */
  readonly file: string;
  /** Without a byte order mark; line ends as they stand in the file. */
  readonly text: string;
  /** Where each line begins, as an offset into `text`. */
  readonly lineStarts: readonly number[];
}

/** What is wrong, without the place. */
export interface Note {
  readonly level?: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

export type ReadText =
  | { readonly kind: 'text'; readonly source: SourceText }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly finding: Finding };

/** Larger than any honest spec or prompt; a YAML or template bomb is stopped before a parser sees it. */
const MOST_BYTES = 1_000_000;

/** Reads a file of the repository as UTF-8 text. Its folder must have been checked to lie inside the root. */
export async function readSourceText(root: string, file: string): Promise<ReadText> {
  try {
    const path = join(root, file);
    const { size } = await stat(path);
    if (size > MOST_BYTES) return unreadable(file, tooLarge(size));
    return decoded(file, await readFile(path));
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return { kind: 'absent' };
    if (isCode(error, 'EISDIR')) return unreadable(file, aFolder(file));
    throw error;
  }
}

export function sourceText(file: string, text: string): SourceText {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { file, text, lineStarts };
}

/** A finding with the line, column and source line of `[start, end)`; the caret never leaves the first line. */
export function findingAt(source: SourceText, start: number, end: number, note: Note): Finding {
  const line = lineOf(source, start);
  const begin = source.lineStarts[line - 1] ?? 0;
  const content = lineText(source, line);
  const column = Math.min(start - begin, content.length) + 1;
  const length = Math.max(1, Math.min(end - start, content.length - column + 1));
  return { ...bare(note), file: source.file, line, column, length, source: content };
}

/** The same where a parser gives a line and a column, both from 1. */
export function findingAtLine(
  source: SourceText,
  line: number,
  column: number,
  length: number,
  note: Note,
): Finding {
  const begin = source.lineStarts[Math.min(line, source.lineStarts.length) - 1] ?? 0;
  return findingAt(source, begin + column - 1, begin + column - 1 + length, note);
}

/** A finding about a file as a whole. */
export function findingInFile(file: string, note: Note): Finding {
  return { ...bare(note), file };
}

function bare(note: Note): Finding {
  const { level = 'error', code, message, hint } = note;
  return { level, code, message, ...(hint === undefined ? {} : { hint }) };
}

/** The 1-based line that an offset falls in, by bisection. */
function lineOf(source: SourceText, offset: number): number {
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((source.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

function lineText(source: SourceText, line: number): string {
  const begin = source.lineStarts[line - 1] ?? 0;
  const end = source.lineStarts[line] ?? source.text.length + 1;
  return source.text.slice(begin, end - 1).replace(/\r$/, '');
}

function decoded(file: string, bytes: Buffer): ReadText {
  if (isUtf16(bytes)) return unreadable(file, UTF16);
  if (!isUtf8(bytes)) return unreadable(file, NOT_UTF8);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.includes('\0')) return unreadable(file, NOT_UTF8);
  return { kind: 'text', source: sourceText(file, text) };
}

/** By its byte order mark, or by the zero byte that half of the characters of English UTF-16 text have. */
function isUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return bytes.length >= 4 && (bytes[0] === 0) !== (bytes[1] === 0) && (bytes[2] === 0) !== (bytes[3] === 0);
}

const UTF16: Note = {
  code: 'not-utf8',
  message: 'The file is saved as UTF-16; UTF-8 was expected.',
  hint: 'Save it again as UTF-8 (PowerShell: `Set-Content -Encoding utf8`).',
};

const NOT_UTF8: Note = {
  code: 'not-utf8',
  message: 'The file is not UTF-8 text.',
  hint: 'Save it again as UTF-8.',
};

function tooLarge(size: number): Note {
  return {
    code: 'too-large',
    message: `The file has ${size.toLocaleString('en-US')} bytes; at most 1,000,000 are read.`,
    hint: 'Rows belong in a data file under `input.files`, not in a spec or a prompt.',
  };
}

function aFolder(file: string): Note {
  return { code: 'not-a-file', message: `\`${file}\` is a folder; a file was expected.` };
}

function unreadable(file: string, note: Note): ReadText {
  return { kind: 'unreadable', finding: findingInFile(file, note) };
}
