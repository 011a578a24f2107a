import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { SMALL_BYTES, scratchDuck, sqlText } from '../../duck.ts';
import { effect } from '../../effects.ts';
import type { Classified } from '../../outcome/classify.ts';
import { OUTCOME_COLUMNS } from '../../outcome/outcome.ts';
import { copyInOrder, type RowPlace } from './row-order.ts';

const SLAB_BYTES = 1 << 20;
/** Rows longer than this on average are put in order, so that a sink can read a few neighbours without all the rest. */
const WIDE_BYTES = 2_000;

/**
 * Writes an outcomes file. Rows go to a separator file and from there into Parquet in one COPY: 5 µs a row, where an
 * appender takes 11. Memory does not grow with the rows' number or length. `discard` in a `finally`, whatever happened.
 */
export class OutcomeWriter {
  readonly #scratch: string;
  readonly #file: number;
  readonly #slab = Buffer.allocUnsafe(SLAB_BYTES);
  #used = 0;
  #written = 0;
  #longest = 0;
  #places: RowPlace[] = [];
  #open = true;

  /** @param scratch a path for the separator file, in a folder of the caller's own */
  constructor(scratch: string) {
    this.#scratch = scratch;
    this.#file = openSync(scratch, 'w');
  }

  add(ordinal: number, row: Classified): void {
    const line = lineOf(ordinal, row);
    const bytes = Buffer.byteLength(line);
    this.#longest = Math.max(this.#longest, bytes);
    this.#places.push({ ordinal, start: this.#written + this.#used, bytes });
    if (this.#used + bytes > SLAB_BYTES) this.#flush();
    if (bytes > SLAB_BYTES) this.#write(Buffer.from(line));
    else this.#used += this.#slab.write(line, this.#used);
  }

  /** Throws away what was added, for a second reading with more knowledge. */
  restart(): void {
    this.#used = 0;
    this.#written = 0;
    this.#longest = 0;
    this.#places = [];
  }

  /** Writes the Parquet file at `path`. */
  async finish(path: string): Promise<void> {
    this.#flush();
    ftruncateSync(this.#file, this.#written);
    this.#close();
    await copyToParquet(this.#inOrder(), path, this.#written, this.#longest);
  }

  /** Removes the separator files. */
  async discard(): Promise<void> {
    this.#close();
    await rm(this.#scratch, { force: true });
    await rm(this.#ordered, { force: true });
  }

  /** Results come shuffled. */
  #inOrder(): string {
    if (this.#written < this.#places.length * WIDE_BYTES) return this.#scratch;
    copyInOrder(this.#scratch, this.#ordered, this.#places);
    return this.#ordered;
  }

  get #ordered(): string {
    return `${this.#scratch}.ordered`;
  }

  #flush(): void {
    if (this.#used > 0) this.#write(this.#slab.subarray(0, this.#used));
    this.#used = 0;
  }

  #write(bytes: Buffer): void {
    writeAll(this.#file, bytes, this.#written);
    this.#written += bytes.length;
  }

  #close(): void {
    if (this.#open) closeSync(this.#file);
    this.#open = false;
  }
}

/** `writeSync` may write less than it was given. */
function writeAll(file: number, bytes: Buffer, position: number): void {
  let done = 0;
  while (done < bytes.length) {
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
  }
}

/** Between columns; JSON text never holds it raw. */
const SEPARATOR = '\x1f';
/** Alone in a column: NULL. */
const NULL = '\x1e';

function lineOf(ordinal: number, row: Classified): string {
  const { usage } = row;
  const tokens =
    usage === null
      ? NO_TOKENS
      : `${usage.inputTokens}${SEPARATOR}${usage.outputTokens}${SEPARATOR}${usage.cachedTokens}${SEPARATOR}${usage.reasoningTokens}`;
  // The answer is JSON from `JSON.stringify`: no control character stands in it as itself.
  return `${ordinal}${SEPARATOR}${row.class}${SEPARATOR}${escaped(row.cause)}${SEPARATOR}${escaped(row.detail)}${SEPARATOR}${row.answer ?? NULL}${SEPARATOR}${escaped(row.said)}${SEPARATOR}${tokens}${SEPARATOR}${escaped(row.servedModel)}${SEPARATOR}${escaped(row.responseId)}${SEPARATOR}${usage?.cacheWriteTokens ?? NULL}\n`;
}

const NO_TOKENS = [NULL, NULL, NULL, NULL].join(SEPARATOR);

/** What would end a column or a line, or mean NULL, travels as 0x1A and a letter; `UNESCAPE` turns it back. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\x1a': '\x1aS',
  '\n': '\x1aN',
  '\r': '\x1aR',
  [SEPARATOR]: '\x1aU',
  [NULL]: '\x1aE',
};

function escaped(text: string | null): string {
  if (text === null) return NULL;
  return UNSAFE.test(text) ? text.replaceAll(EACH_UNSAFE, (each) => ESCAPES[each] ?? each) : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that would cut a record.
const UNSAFE = /[\n\r\x1a\x1e\x1f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, each of them.
const EACH_UNSAFE = /[\n\r\x1a\x1e\x1f]/g;

async function copyToParquet(from: string, to: string, bytes: number, longest: number): Promise<void> {
  // One answer may be tens of megabytes, and DuckDB holds it several times over while it writes.
  const duck = await scratchDuck(bytes, { memoryLimit: '400MB' }, COUNTS_BYTES);
  try {
    effect('file.write', to);
    await duck.run(copyStatement(from, to, bytes, longest));
  } finally {
    duck.close();
  }
}

/** Without this DuckDB cannot count the bytes of a row group; one thread keeps the order all the same. */
const COUNTS_BYTES = 'SET preserve_insertion_order = false';

/**
 * The buffer is set together with the longest line: by itself a long line makes DuckDB allocate sixteen times its
 * length. Row groups stay small, in rows and in bytes: while writing a whole one is in memory, and while reading what
 * comes from one is never joined with the next, so that 2,048 long answers need not be in memory at once.
 */
function copyStatement(from: string, to: string, bytes: number, longest: number): string {
  const lineBytes = Math.max(2_000_000, longest + 1);
  const types = OUTCOME_COLUMNS.map((column) => `${sqlText(column)}: ${sqlText(TYPES[column] ?? 'VARCHAR')}`);
  const columns = OUTCOME_COLUMNS.map((column) => (ESCAPED.has(column) ? unescapedSql(column) : column));
  return `COPY (SELECT ${columns.join(', ')} FROM read_csv(${sqlText(from)}, columns = {${types.join(', ')}},
      auto_detect = false, header = false, delim = '${SEPARATOR}', quote = '', escape = '', nullstr = '${NULL}',
      new_line = '\\n', max_line_size = ${lineBytes}, buffer_size = ${2 * lineBytes}))
    TO ${sqlText(to)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 10000${bytes > SMALL_BYTES ? ", ROW_GROUP_SIZE_BYTES '2MB'" : ''})`;
}

const TYPES: Readonly<Record<string, string>> = {
  ordinal: 'INTEGER',
  input_tokens: 'INTEGER',
  output_tokens: 'INTEGER',
  cached_tokens: 'INTEGER',
  reasoning_tokens: 'INTEGER',
  cache_write_tokens: 'INTEGER',
};
const ESCAPED: ReadonlySet<string> = new Set(['cause', 'detail', 'said', 'model', 'response_id']);

/** The escape of the escape comes last: before, it would make new ones. */
function unescapedSql(column: string): string {
  const letters: readonly (readonly [string, number])[] = [
    ['N', 10],
    ['R', 13],
    ['U', 31],
    ['E', 30],
    ['S', 26],
  ];
  const text = letters.reduce(
    (sql, [letter, code]) => `replace(${sql}, chr(26) || '${letter}', chr(${code}))`,
    column,
  );
  return `CASE WHEN contains(${column}, chr(26)) THEN ${text} ELSE ${column} END AS ${column}`;
}
