import { UserError } from '../errors.ts';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The byte order mark that some editors put before UTF-8 is no part of the first row. */
export function withoutBom(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(BOM) ? bytes.subarray(3) : bytes;
}

/**
 * UTF-16, as PowerShell and old Excel save it, is refused as a whole: read as UTF-8 every row would be bad, for a
 * reason that no row's message could tell. `start` is the beginning of the file.
 * @throws UserError
 */
export function checkEncoding(start: Buffer, name: string): void {
  const [first = 0, second = 0] = start;
  const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const unmarked = start.length > 3 && (first === 0) !== (second === 0);
  if (!marked && !unmarked) return;
  const message = `${name}: line 1 is UTF-16, expected UTF-8`;
  const hint = `Save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8 ${name} > converted`;
  throw new UserError([{ level: 'error', code: 'input-utf16', message, hint, file: name, line: 1 }]);
}

/** Bytes that are no UTF-8 in an otherwise readable file nearly always come from these two. */
export const LATIN1_HINT =
  ' (Latin-1 or Windows-1252 perhaps; convert the file: iconv -f WINDOWS-1252 -t UTF-8)';
