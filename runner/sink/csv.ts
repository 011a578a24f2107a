import { fileSink } from './file.ts';
import type { SinkFactory } from './port.ts';

/**
 * RFC 4180: a header, commas, CRLF, fields quoted where they need it and quotes doubled, UTF-8 without a byte order
 * mark. NULL is an empty field, the empty string is `""`. Arrays and objects are JSON text. A whole number that no double
 * is keeps its digits.
 *
 * Values stand exactly as answered, so a cell that starts with `=` is a formula to a spreadsheet: import such a
 * file as text.
 */
export const csvSink: SinkFactory = (path) =>
  fileSink(path, {
    kind: 'csv',
    form: 'cells',
    copyOptions: () =>
      `FORMAT csv, HEADER true, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR '', NEW_LINE '\\r\\n'`,
  });
