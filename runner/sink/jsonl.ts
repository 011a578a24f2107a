import { fileSink } from './file.ts';
import type { SinkFactory } from './port.ts';

/**
 * One object a line, UTF-8, lines ended by LF, names in the order of the columns. Values are JSON: arrays and objects
 * stand as such, a whole number keeps its digits however many, null where the answer has none. U+2028 stands unescaped, as JSON allows:
 * read lines by byte 0x0A alone.
 */
export const jsonlSink: SinkFactory = (path) =>
  fileSink(path, { kind: 'jsonl', form: 'json', copyOptions: () => 'FORMAT json' });
